package check

import (
	"cmp"
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

// exists asks what this kernel has: a probe, a type, a member, an enumerator.
func exists(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	u.Consts[x] = 0
	for _, a := range x.Args {
		u.Types[a] = types.NoneType
	}
	switch a := x.Args[0].(type) {
	case *ast.ProbeArg:
		if len(x.Args) > 1 {
			u.calls.misused(x, f, "exists takes nothing after a probe")
			return types.BoolType
		}
		points, fail := u.probes.Resolve(a.Probe)
		if fail != nil && !fail.Missing && !fail.Wild {
			fail.Report(u.errorf)
		}
		u.Consts[x] = b2i(fail == nil && !u.probes.SurelyMissing(points))
	case *ast.TypeArg:
		t, ok := u.typeRefs.typeExists(a.Type)
		if len(x.Args) == 1 {
			u.Consts[x] = b2i(ok)
			return types.BoolType
		}
		path, isPath := memberPath(x.Args[1])
		if !isPath {
			u.calls.misused(x, f, "exists takes the name of a member after a type")
			return types.BoolType
		}
		u.Consts[x] = b2i(ok && hasPath(t, path))
	case *ast.Ident:
		_, _, ok := u.constant(a.Name)
		if !ok {
			_, ok = u.t.Type("", a.Name)
		}
		if kind, isKind := builtin.ProbeByName(a.Name); isKind && !ok && len(kind.Forms) > 0 && strings.Contains(kind.Forms[0], ":") {
			u.errorf(a.Span, "this probe is not complete").Hintf("it is written %s", strings.Join(kind.Forms, " or "))
			return types.BoolType
		}
		if len(x.Args) > 1 {
			u.errorf(a.Span, "%s needs its tag here", a.Name).Hintf("write exists(struct %s, MEMBER)", a.Name)
			return types.BoolType
		}
		u.Consts[x] = b2i(ok)
	case *ast.TupleIndex:
		names, known := u.arguments.parameters()
		if !Names(a.X, builtin.VarArgs) || len(x.Args) > 1 {
			u.calls.misused(x, f, "exists takes a probe, a type or a field")
		} else if u.names.available(builtin.VarArgs, builtin.VarArgs.Name, a.X.Pos()) {
			u.Consts[x] = b2i(!known || a.N < len(names))
		}
	case *ast.Field:
		if len(x.Args) > 1 {
			u.calls.misused(x, f, "exists takes nothing after a field")
			return types.BoolType
		}
		t, ok := u.calls.fieldExists(a)
		u.Consts[x] = b2i(ok)
		if t.Kind == types.Invalid {
			delete(u.Consts, x) // what it is a field of is wrong
		}
	default:
		u.calls.misused(x, f, "exists takes a probe, a type or a field")
	}
	return types.BoolType
}

// fieldExists looks for args.NAME, or for a member of a value, without reading it.
// Where it is not there ok is false; where the value is wrong the type is invalid.
func (u callRules) fieldExists(x ast.Expr) (t *types.Type, ok bool) {
	switch x := x.(type) {
	case *ast.Field:
		if Names(x.X, builtin.VarArgs) {
			if !u.names.available(builtin.VarArgs, builtin.VarArgs.Name, x.X.Pos()) {
				return invalid, false
			}
			return u.argumentType(x.Name)
		}
		if t, ok = u.fieldExists(x.X); !ok {
			return t, false
		}
		if t.Kind == types.Pointer {
			t = t.Elem
		}
		f, ok := t.Field(x.Name)
		return cmp.Or(f.Type, types.NoneType), ok
	case *ast.Index:
		if t, ok = u.fieldExists(x.X); !ok || t.Elem == nil {
			return t, false
		}
		return t.Elem, true
	case *ast.Refused: // by a declared probe
		return types.NoneType, false
	}
	t = u.value(x)
	return t, t.Kind != types.Invalid
}

// argumentType is the type of args.name, if there is one.
func (u callRules) argumentType(name string) (*types.Type, bool) {
	if u.Args != nil {
		if f, ok := u.Args.Field(name); ok {
			return f.Type, true
		}
	}
	if p := u.arguments.entryParam(name); p != nil {
		return p.Type, true
	}
	return types.NoneType, false
}

func hasPath(t *types.Type, path []string) bool {
	for _, step := range path {
		if strings.HasPrefix(step, "[") {
			if t.Kind != types.Array {
				return false
			}
			t = t.Elem
			continue
		}
		if t.Kind != types.Struct && t.Kind != types.Union {
			return false
		}
		f, ok := t.Field(step)
		if !ok {
			return false
		}
		t = f.Type
	}
	return true
}

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
	word, given := u.opts.Named[name]
	def := types.BoolType
	if len(x.Args) > 1 {
		def = u.value(x.Args[1])
		if def.Kind == types.Invalid {
			return invalid
		}
		if s, known := u.Strings[x.Args[1]]; known && def.Kind == types.ProbeName {
			def = types.StringType(len(s) + 1) // the name of the only probe
		}
		if !u.isConst(x.Args[1]) || def.Kind != types.String && !def.IsInteger() {
			return wrong(u.errorf(x.Args[1].Pos(), "the default of an option must be a constant").Hintf("%s", f.Signature))
		}
	}
	if only := u.opts.OnlyPID(); only != 0 && !given && name == pidOption && def.IsInteger() {
		word, given = strconv.Itoa(only), true
	}
	if len(x.Args) > 2 {
		u.calls.arg(x, f, 2, x.Args[2])
	}
	help := ""
	if len(x.Args) > 2 {
		help = u.Strings[x.Args[2]]
	}
	if !u.declareOption(name, u.calls.defaultText(x), help, x.Span) {
		u.getopts[name] = u.quiet
		return invalid
	}
	if !given {
		if len(x.Args) > 1 {
			u.copyConst(x, x.Args[1])
		} else {
			u.Consts[x] = 0
		}
		return plainInt(def)
	}
	switch {
	case u.opts.Flags[name] && def.Kind != types.Bool:
		value := "text"
		if def.IsInteger() {
			value = "5"
		}
		u.errorf(source.Span{}, "the option --%s needs a value", name).Hintf("--%s=%s", name, value)
		u.getopts[name] = u.quiet
		return invalid
	case def.Kind == types.Bool:
		on, ok := parseBool(word)
		if !ok && word != "" {
			u.errorf(source.Span{}, "the option --%s is %q, but must be true or false", name, word).Hintf("--%s or --%s=false", name, name)
			u.getopts[name] = u.quiet
			return invalid
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
			u.errorf(source.Span{}, "the option --%s is %q, but must be a number", name, word).Hintf("--%s=%s", name, likelyNumber(word))
			u.getopts[name] = u.quiet
			return invalid
		}
		u.Consts[x] = n
		return types.IntType(8, signed)
	}
	u.Strings[x] = word
	return types.StringType(min(len(word)+1, u.info.Config.MaxStrlen))
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
