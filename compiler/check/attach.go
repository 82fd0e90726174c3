package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// point is one place to attach to, with what its program can see there.
type point struct {
	provider string
	hook     object.Hook
	fn       *target.Func
	args     *types.Type
	retval   *types.Type
	usdt     []target.USDTArg
	// symbol is the probed function of a program.
	symbol target.UserSymbol
	// event is the default action, where it is not that of other probes.
	event *ast.Block
	// either: by the script a kprobe would do as well.
	either bool
}

// failure says why an attach point has no places.
type failure struct {
	span      source.Span
	msg, hint string
	// missing is true if the probe is well formed but this kernel or binary
	// lacks it: then the setting missing_probes decides.
	missing bool
	// wild is true for a pattern that matches nothing: no error as long as
	// the clause has another place.
	wild bool
	// open is true if a parameter of the script that is not known yet decides.
	open bool
	// near finds the nearest name when the failure is reported; looking for
	// it may take long.
	near func() string
	// also stands behind what is near.
	also string
}

func (f *failure) report(d *diag.Diagnostic) {
	d.Hint = f.hint
	if f.near != nil {
		if n := f.near(); n != "" {
			d.Hintf("did you mean %s?%s", n, f.also)
		}
	}
}

// resolver finds the places of one provider's attach points.
type resolver func(c *checker, ap *ast.AttachPoint) ([]point, *failure)

var resolvers map[string]resolver

func init() {
	resolvers = map[string]resolver{
		"begin": (*checker).resolveBegin, "end": (*checker).resolveBegin, "self": (*checker).resolveSelf,
		"test": (*checker).resolveTrial, "bench": (*checker).resolveTrial,
		"kprobe": (*checker).resolveKprobe, "kretprobe": (*checker).resolveKprobe,
		"fentry": (*checker).resolveFentry, "fexit": (*checker).resolveFentry,
		"call": (*checker).resolveCall, "syscall": (*checker).resolveSyscall,
		"tracepoint": (*checker).resolveTracepoint, "rawtracepoint": (*checker).resolveRawTracepoint,
		"uprobe": (*checker).resolveUprobe, "uretprobe": (*checker).resolveUprobe, "ucall": (*checker).resolveUprobe,
		"usdt":    (*checker).resolveUSDT,
		"profile": (*checker).resolveTimer, "interval": (*checker).resolveTimer,
		"software": (*checker).resolvePerf, "hardware": (*checker).resolvePerf,
		"watchpoint": (*checker).resolveWatchpoint, "iter": (*checker).resolveIter,
	}
}

// resolve finds the places of an attach point: of the first of its
// alternatives that has any.
func (c *checker) resolve(ap *ast.AttachPoint) ([]point, *failure) {
	points, fail := c.resolveOne(ap)
	if len(ap.Or)+len(ap.Before) == 0 {
		return points, fail
	}
	var names []string
	add := func(ap *ast.AttachPoint) { names = append(names, strings.TrimSpace(ap.Raw)) }
	for _, other := range ap.Before {
		add(other)
		for _, o := range other.Or {
			add(o)
		}
	}
	var first *failure
	var doubtful []point
	for i := 0; ; i++ {
		switch {
		case fail == nil && !c.surelyMissing(points):
			return points, nil
		case fail == nil && doubtful == nil:
			// Attaching it says best why it can't be, if all others are missing.
			doubtful = points
		case fail == nil:
		case !fail.missing && !fail.wild:
			return nil, fail
		case first == nil:
			first = fail
		}
		if i == 0 {
			add(ap)
		} else {
			add(ap.Or[i-1])
		}
		if i == len(ap.Or) {
			break
		}
		next := *ap.Or[i]
		next.Label = cmp.Or(next.Label, ap.Label)
		points, fail = c.resolveOne(&next)
	}
	if doubtful != nil {
		return doubtful, nil
	}
	first.msg = "none of " + strings.Join(names, ", ") + " exists here"
	first.span = ap.Span
	return nil, first
}

func (c *checker) resolveOne(ap *ast.AttachPoint) ([]point, *failure) {
	ap, fail := c.expandOptions(ap)
	if fail == nil {
		ap, fail = c.expandParams(ap)
	}
	if fail != nil {
		return nil, fail
	}
	r := resolvers[ap.Provider]
	if r == nil {
		return nil, c.unknownProvider(ap)
	}
	if c.t == nil && ap.Provider != "begin" && ap.Provider != "end" {
		return nil, &failure{span: ap.Span, msg: "nothing is known of the kernel"}
	}
	points, fail := r(c, ap)
	if fail != nil {
		if !fail.span.IsValid() {
			fail.span = ap.Span
		}
		return nil, fail
	}
	for i := range points {
		p := &points[i]
		p.hook.Span = ap.Span
		if ap.Label != "" {
			p.hook.Place, p.hook.Name = p.hook.Name, ap.Label
		}
	}
	return points, nil
}

// expandOptions puts the values of options in the place of getopt().
func (c *checker) expandOptions(ap *ast.AttachPoint) (*ast.AttachPoint, *failure) {
	if ap.Options == nil {
		return ap, nil
	}
	out := *ap
	out.Parts = slices.Clone(ap.Parts)
	for i, call := range ap.Options {
		if call == nil {
			continue
		}
		name, def := call.Args[0].(*ast.StringLit).Value, ""
		help := ""
		if len(call.Args) > 2 {
			if text, ok := call.Args[2].(*ast.StringLit); ok {
				help = text.Value
			}
		}
		word, given := c.opts.Named[name]
		switch d := call.Args[1].(type) {
		case *ast.IntLit:
			def = strconv.FormatUint(d.Value, 10)
			c.declareOption(name, def, help, call.Span)
			if n, _, ok := parse.Number(word); ok && n >= 0 {
				word = strconv.FormatInt(n, 10)
			} else if given {
				return nil, &failure{span: partSpan(ap, i), msg: fmt.Sprintf("the option --%s is %q, but must be a number", name, word),
					hint: "--" + name + "=" + def}
			}
		case *ast.StringLit:
			def = d.Value
			c.declareOption(name, strconv.Quote(def), help, call.Span)
			if given && (word == "" || c.opts.Flags[name]) {
				return nil, &failure{span: partSpan(ap, i), msg: "the option --" + name + " needs a value", hint: "--" + name + "=text"}
			}
		}
		if !given {
			word = def
		}
		out.Parts[i] = word
	}
	return &out, nil
}

// expandParams puts the words of the command line in the place of $1...
func (c *checker) expandParams(ap *ast.AttachPoint) (*ast.AttachPoint, *failure) {
	if !strings.Contains(strings.Join(ap.Parts, ""), "$") {
		return ap, nil
	}
	out := *ap
	out.Parts = make([]string, len(ap.Parts))
	for i, part := range ap.Parts {
		var b strings.Builder
		for j := 0; j < len(part); j++ {
			k := j + 1
			for k < len(part) && part[k] >= '0' && part[k] <= '9' {
				k++
			}
			if part[j] != '$' || k == j+1 {
				b.WriteByte(part[j])
				continue
			}
			n, err := strconv.Atoi(part[j+1 : k])
			if c.opts.OpenParams && err == nil && n > len(c.opts.Params) {
				if !counted(ap.Provider) {
					return nil, &failure{span: partSpan(ap, i), open: true, msg: "probes that depend on parameter " + part[j:k] + " were not looked for",
						hint: "fst --dry-run SCRIPT WORD... checks a script with its parameters"}
				}
				b.WriteByte('1')
				j = k - 1
				continue
			}
			if err != nil || n < 1 || n > len(c.opts.Params) {
				return nil, &failure{span: partSpan(ap, i), msg: "this probe needs parameter " + part[j:k] + ", which was not given",
					hint: "write it behind the script's name"}
			}
			b.WriteString(c.opts.Params[n-1])
			j = k - 1
		}
		out.Parts[i] = b.String()
	}
	if len(ap.Parts) == 1 && ap.Parts[0] == "$"+strings.TrimLeft(ap.Parts[0], "$") && !strings.ContainsAny(ap.Parts[0][1:], "$*:") {
		c.wholeProbe(&out, partSpan(ap, 0))
	}
	return &out, nil
}

// counted reports whether the last part of a provider's probes is a number.
func counted(provider string) bool {
	switch provider {
	case "interval", "profile", "software", "hardware":
		return true
	}
	return false
}

// wholeProbe lets a word of the command line that stands for all behind the
// provider bring parts of its own, kprobe:$1 with ext4:ext4_sync_file, and even
// another provider, kprobe:$1 with tracepoint:sched:sched_switch.
func (c *checker) wholeProbe(ap *ast.AttachPoint, sp source.Span) {
	parts := strings.Split(ap.Parts[0], ":")
	if provider, ok := parse.Provider(parts[0]); ok && len(parts) > 1 {
		ap.Provider, ap.Written, parts = provider, parts[0], parts[1:]
	}
	ap.Parts = parts
	ap.PartSpans = nil
	for range parts {
		ap.PartSpans = append(ap.PartSpans, sp)
	}
}

// partSpan is where part i stands.
func partSpan(ap *ast.AttachPoint, i int) source.Span {
	if i < len(ap.PartSpans) && ap.PartSpans[i].IsValid() {
		return ap.PartSpans[i]
	}
	return ap.Span
}

// badForm is the failure of an attach point with too few or too many parts.
func badForm(ap *ast.AttachPoint) *failure {
	forms := []string{ap.Provider}
	if p, ok := builtin.ProbeByName(ap.Provider); ok {
		forms = p.Forms
	}
	f := &failure{span: ap.Span, msg: "this probe has too many parts", hint: "it is written " + strings.Join(forms, " or ")}
	longest := 0
	for _, form := range forms {
		longest = max(longest, strings.Count(form, ":"))
	}
	if len(ap.Parts) < longest || strings.Contains(ap.Raw, "::") {
		f.msg = "this probe is not complete"
	}
	if instead := parse.Foreign(ap.Raw); instead != "" {
		f.hint = "write " + instead
	} else if name := strings.TrimPrefix(ap.Raw, ap.Written+"::"); len(forms) > 0 && name != ap.Raw && strings.HasPrefix(forms[0], ap.Provider+":FUNCTION") {
		f.hint = "write " + ap.Written + ":" + name
	}
	return f
}

// written is how a kind of probe is written, for hints.
func written(ap *ast.AttachPoint) string { return badForm(ap).hint }

// providerSpan is where the kind of a probe stands.
func providerSpan(ap *ast.AttachPoint) source.Span {
	start := ap.Span.Start
	if ap.Label != "" {
		start += source.Pos(len(ap.Label) + 1)
	}
	return source.Span{Start: start, End: start + source.Pos(len(ap.Written))}
}

// unknownProvider is the failure of a kind of probe that does not exist.
func (c *checker) unknownProvider(ap *ast.AttachPoint) *failure {
	f := &failure{span: providerSpan(ap), msg: "there are no probes of the kind " + strconv.Quote(ap.Written),
		hint: "kinds are kprobe, tracepoint, call, syscall, uprobe, usdt, interval, profile, BEGIN, END and others (fst doc probes)"}
	if instead := parse.Foreign(ap.Raw); instead != "" {
		f.hint = "write " + instead
		return f
	}
	if len(ap.Parts) == 1 && resolvers[ap.Parts[0]] != nil {
		f.hint = "the kind comes first: " + ap.Parts[0] + ":" + ap.Written
		return f
	}
	f.near = func() string {
		// The kind was left out: vfs_read, sched:sched_switch.
		if len(ap.Parts) == 1 && c.t != nil {
			if list, err := c.t.Tracepoints(ap.Written, ap.Parts[0]); err == nil && len(list) > 0 {
				return "tracepoint:" + ap.Written + ":" + ap.Parts[0]
			}
		}
		var names []string
		for n := range resolvers {
			names = append(names, n)
		}
		if n := diag.Nearest(ap.Provider, names); n != "" {
			return n
		}
		if c.t == nil || len(ap.Parts) > 0 {
			return ""
		}
		if list, err := c.t.Traceable("", ap.Written); err == nil && len(list) > 0 && !list[0].Unsure {
			return "kprobe:" + ap.Written + " or call:" + ap.Written
		}
		if list, err := c.t.Tracepoints("*", ap.Written); err == nil && len(list) > 0 {
			return "tracepoint:" + list[0]
		}
		if _, ok := c.t.SyscallNumber(ap.Written); ok {
			return "syscall:" + ap.Written
		}
		return ""
	}
	return f
}

func isWild(pattern string) bool { return strings.Contains(pattern, "*") }

// paramStruct makes the type of `args` from parameters: each lies in as many words as
// it takes.
func paramStruct(fn *target.Func) *types.Type {
	if fn == nil {
		return nil
	}
	fields := make([]types.Field, 0, len(fn.Params))
	for i, p := range fn.Params {
		fields = append(fields, types.Field{Name: p.Name, Type: p.Type, Offset: 8 * max(fn.Slot(i), 0)})
	}
	return types.NewStruct(types.Struct, "args of "+fn.Name, 8*fn.Words(), fields)
}

// numbered is a signature of parameters arg0 to arg5, for functions whose own
// is not known.
func numbered(name string) *target.Func {
	fn := &target.Func{Name: name, Result: types.U64}
	for i := range 6 {
		fn.Params = append(fn.Params, target.Param{Name: "arg" + strconv.Itoa(i), Type: types.U64})
	}
	return fn
}

func (c *checker) resolveBegin(ap *ast.AttachPoint) ([]point, *failure) {
	if len(ap.Parts) > 0 {
		return nil, &failure{span: partSpan(ap, 0), msg: ap.Written + " takes nothing behind it", hint: "write " + ap.Written + " { ... }"}
	}
	kind := object.HookBegin
	if ap.Provider == "end" {
		kind = object.HookEnd
	}
	return []point{{provider: ap.Provider, hook: object.Hook{Kind: kind, Name: ap.Provider}}}, nil
}

// resolveTrial is test:NAME and bench:NAME, which other than --test and --bench
// leave out.
func (c *checker) resolveTrial(ap *ast.AttachPoint) ([]point, *failure) {
	if len(ap.Parts) != 1 || ap.Parts[0] == "" {
		return nil, badForm(ap)
	}
	kind := object.HookTest
	if ap.Provider == "bench" {
		kind = object.HookBench
	}
	return []point{{provider: ap.Provider, hook: object.Hook{Kind: kind, Name: ap.Provider + ":" + ap.Parts[0], Symbol: ap.Parts[0]}}}, nil
}

// isWanted reports whether the mode of the run and its filter have use for a
// probe. What a library attaches to is chosen by the probe that it is needed for.
func (c *checker) isWanted(cl *ast.Clause, p point) bool {
	mode, name := "", p.hook.Name
	switch p.hook.Kind {
	case object.HookBegin, object.HookEnd:
		return true
	case object.HookTest, object.HookBench:
		mode = p.provider
	}
	if cl.For != nil {
		name = cl.For.Probe
	}
	if mode != c.opts.Mode {
		return false
	}
	wanted := c.opts.Filter == nil || c.opts.Filter.MatchString(name)
	c.filtered = c.filtered || !wanted
	return wanted
}

func (c *checker) resolveSelf(ap *ast.AttachPoint) ([]point, *failure) {
	if len(ap.Parts) == 2 && ap.Parts[0] == "signal" && ap.Parts[1] != "SIGUSR1" {
		return nil, &failure{span: partSpan(ap, 1), msg: ap.Parts[1] + " can't be probed", hint: "the signal for scripts is SIGUSR1: self:signal:SIGUSR1"}
	}
	if len(ap.Parts) != 2 || ap.Parts[0] != "signal" {
		return nil, badForm(ap)
	}
	return []point{{provider: "self", hook: object.Hook{Kind: object.HookSelf, Name: "self:signal:SIGUSR1"}}}, nil
}

// ProbeKinds lists the kinds of probes that the checker resolves, sorted.
func ProbeKinds() []string { return slices.Sorted(maps.Keys(resolvers)) }
