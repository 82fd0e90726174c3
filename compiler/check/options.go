package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// pidOption is the option by which a tool is told its process, as any script is by -p of fst itself.
const pidOption = "pid"

// getopt is the value of --name=value behind "--"; the default's type decides
// how it is read.
func getopt(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	if u.calls.arg(x, f, 0, x.Args[0]).Kind == types.Invalid {
		return invalid
	}
	name := u.Strings[x.Args[0]]
	if known, seen := u.getopts[name]; seen && !known {
		return invalid // said once, however often the script reads it
	}
	u.getopts[name] = true
	def := u.calls.optionType(x, f)
	if def.Kind == types.Invalid {
		return invalid
	}
	help := ""
	if len(x.Args) > 2 {
		u.calls.arg(x, f, 2, x.Args[2])
		help = u.Strings[x.Args[2]]
	}
	if !u.declareOption(name, u.calls.defaultText(x), help, x.Span) {
		u.getopts[name] = u.quiet
		return invalid
	}
	word, given := u.opts.Named[name]
	if only := u.opts.OnlyPID(); only != 0 && !given && name == pidOption && def.IsInteger() {
		word, given = strconv.Itoa(only), true
	}
	switch {
	case given:
		return u.calls.optionValue(x, name, word, def)
	case len(x.Args) > 1:
		u.copyConst(x, x.Args[1])
	default:
		u.Consts[x] = 0
	}
	return plainInt(def)
}

// optionType is the type of an option's default.
func (u callRules) optionType(x *ast.Call, f *builtin.Func) *types.Type {
	if len(x.Args) == 1 {
		return types.BoolType
	}
	t := u.value(x.Args[1])
	if s, known := u.Strings[x.Args[1]]; known && t.Kind == types.ProbeName {
		t = types.StringType(len(s) + 1) // the name of the only probe
	}
	if t.Kind != types.Invalid && (!u.isConst(x.Args[1]) || t.Kind != types.String && !t.IsInteger()) {
		return wrong(u.errorf(x.Args[1].Pos(), "the default of an option must be a constant").Hintf("%s", f.Signature))
	}
	return t
}

// optionValue reads the word that an option is given, as the type of its default says.
func (u callRules) optionValue(x *ast.Call, name, word string, def *types.Type) *types.Type {
	switch {
	case u.opts.Flags[name] && def.Kind != types.Bool:
		value := "text"
		if def.IsInteger() {
			value = "5"
		}
		return wrong(u.wrongOption(name, "the option --%s needs a value", name).Hintf("--%s=%s", name, value))
	case def.Kind == types.Bool:
		on, ok := builtin.ParseSwitch(word)
		if !ok && word != "" {
			return wrong(u.wrongOption(name, "the option --%s is %q, but must be true or false", name, word).Hintf("--%s or --%s=false", name, name))
		}
		u.Consts[x] = b2i(on || word == "")
		return types.BoolType
	case def.IsInteger():
		n, signed, ok := parse.Number(word)
		if !ok {
			n, _, ok = u.constant(word)
			signed = n < 0
		}
		if !ok {
			return wrong(u.wrongOption(name, "the option --%s is %q, but must be a number", name, word).Hintf("--%s=%s", name, likelyNumber(word)))
		}
		u.Consts[x] = n
		return types.IntType(8, signed)
	}
	u.Strings[x] = word
	return types.StringType(min(len(word)+1, u.info.Config.MaxStrlen))
}

// wrongOption reports the value of an option, once however often the script reads it.
func (c *checker) wrongOption(name, format string, args ...any) *diag.Diagnostic {
	c.getopts[name] = c.quiet
	return c.errorf(source.Span{}, format, args...)
}

// noteOption notes that the script has an option.
func (c *checker) noteOption(name string) {
	if _, seen := c.getopts[name]; !seen {
		c.getopts[name] = true
	}
}

// declareOption notes an option that the script reads. It reports one that was
// read with another default before, and returns false.
func (c *checker) declareOption(name, def, help string, at source.Span) bool {
	c.noteOption(name)
	first := c.defaults[name]
	if first == nil {
		c.defaults[name] = &firstGetopt{at, def}
		c.info.Getopts = append(c.info.Getopts, Getopt{Name: name, Default: def, Help: help})
		return true
	}
	if first.def != def {
		c.errorf(at, "the option --%s has another default here", name).Hintf("give it the same default everywhere").Notef(first.at, "it is first read here")
	}
	return first.def == def
}

// likelyNumber is a number, or the name of one, that may be meant by a word.
func likelyNumber(word string) string {
	if signal := "SIG" + strings.ToUpper(word); builtin.Constants()[signal] != 0 {
		return signal
	}
	if name := diag.Nearest(word, slices.Sorted(maps.Keys(builtin.Constants()))); name != "" {
		return name
	}
	return "5"
}

// defaultText is the default of an option as its author wrote it.
func (u callRules) defaultText(x *ast.Call) string {
	if len(x.Args) < 2 {
		return "false"
	}
	if s, ok := u.Strings[x.Args[1]]; ok {
		return strconv.Quote(s)
	}
	if u.Types[x.Args[1]] == types.BoolType {
		return strconv.FormatBool(u.Consts[x.Args[1]] != 0)
	}
	return strconv.FormatInt(u.Consts[x.Args[1]], 10)
}

// unknownOptions reports options on the command line that the script does not
// have. Those that it reads only in branches which are not taken, for other
// options say so, are among those that it has.
func (c *checker) unknownOptions() {
	ast.Walk(c.prog, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok {
			return true
		}
		var names []string
		if f, known := builtin.FuncByName(call.Name); known {
			names = f.Options
		}
		if builtin.Does(call.Name, builtin.ReadsOptions) && len(call.Args) > 0 {
			if lit, ok := call.Args[0].(*ast.StringLit); ok {
				names = []string{lit.Value}
			}
		}
		for _, name := range names {
			c.noteOption(name)
		}
		return true
	})
	known := slices.Sorted(maps.Keys(c.getopts))
	for _, n := range slices.Sorted(maps.Keys(c.opts.Named)) {
		if _, known := c.getopts[n]; known || n == "help" {
			continue
		}
		d := c.errorf(source.Span{}, "the script has no option --%s", n)
		if slices.Contains(builtin.FuncTable.Options, n) {
			d.Hintf("--%s is an option of table(): report { table(\"COMM %%-16s CALLS %%8d\", @calls); }", n)
		} else if near := diag.Nearest(n, known); near != "" {
			d.Hintf("did you mean --%s?", near)
		} else if len(known) > 0 {
			d.Hintf("it has --%s", strings.Join(known, ", --"))
		} else {
			d.Hintf("it has none")
		}
	}
}
