// Package probe finds the places that the attach points of a script stand for:
// functions, events and system calls of a kernel, places in programs, timers. What a
// point's program can see there comes with it. An attach point without a place is
// answered by a Failure that says why, and what may be meant.
//
// It knows nothing of bodies and filters, and must not import the checker.
package probe

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

// Point is one place to attach to, with what its program can see there.
type Point struct {
	Provider string
	Hook     object.Hook
	// Func is the signature of the probed function, Args the type of `args` and
	// Retval that of `retval`; nil where there is none, or nothing is known of it.
	Func   *target.Func
	Args   *types.Type
	Retval *types.Type
	USDT   []target.USDTArg
	// Event is the default action, where it is not that of other probes.
	Event *ast.Block
	// Either is true if by the script a kprobe would do as well.
	Either bool
	// symbol is the probed function of a program.
	symbol target.UserSymbol
}

// Failure says why an attach point has no places. Most are never reported: an exists()
// or an alternative asks only whether there are places. What takes long to find out, such as
// where else a name is known, is therefore left to Reason and Report.
type Failure struct {
	Span          source.Span
	message, hint string
	// Missing is true if the probe is well formed but this kernel or binary
	// lacks it: then the setting missing_probes decides.
	Missing bool
	// Wild is true for a pattern that matches nothing: no error as long as
	// the clause has another place.
	Wild bool
	// Open is true if a parameter of the script that is not known yet decides.
	Open bool
	// detail makes message, hint and near more exact.
	detail func()
	// near finds the nearest name.
	near func() string
	// also stands behind what is near.
	also string
}

// Reason is the message of the failure.
func (f *Failure) Reason() string {
	if f.detail != nil {
		f.detail()
		f.detail = nil
	}
	return f.message
}

// Report makes a diagnostic of the failure: say makes it of a place and a message.
func (f *Failure) Report(say func(at source.Span, format string, args ...any) *diag.Diagnostic) *diag.Diagnostic {
	d := say(f.Span, "%s", f.Reason())
	d.Hint = f.hint
	if f.near != nil {
		if n := f.near(); n != "" {
			d.Hintf("did you mean %s?%s", n, f.also)
		}
	}
	return d
}

// Resolver finds the places of attach points, for one run of a script.
type Resolver struct {
	Target target.Target // nil if nothing is known of a kernel
	// Params, OpenParams, Named and Flags are the words of the command line, and
	// PID, CPID, Follow and Unsafe its options, as in check.Options.
	Params     []string
	OpenParams bool
	Named      map[string]string
	Flags      map[string]bool
	PID, CPID  int
	Follow     bool
	Unsafe     bool
	// Missing is the setting missing_probes.
	Missing string
	// Diags gets warnings about places that are left out.
	Diags *diag.List
	// Option is told of each getopt() of an attach point.
	Option func(name, def, help string, at source.Span)

	listed     map[string][]string // by module: what functionsOf has found
	ofPrograms int                 // how many functions of programs were found so far
}

// hookPID is the process to which places are limited, or 0.
func (r *Resolver) hookPID() int {
	if r.Follow {
		return 0
	}
	return r.PID
}

// finder finds the places of one provider's attach points.
type finder func(r *Resolver, ap *ast.AttachPoint) ([]Point, *Failure)

var finders map[string]finder

func init() {
	finders = map[string]finder{
		"begin": (*Resolver).resolveBegin, "end": (*Resolver).resolveBegin, "self": (*Resolver).resolveSelf,
		"test": (*Resolver).resolveTrial, "bench": (*Resolver).resolveTrial,
		"kprobe": (*Resolver).resolveKprobe, "kretprobe": (*Resolver).resolveKprobe,
		"fentry": (*Resolver).resolveFentry, "fexit": (*Resolver).resolveFentry,
		"call": (*Resolver).resolveCall, "syscall": (*Resolver).resolveSyscall,
		"tracepoint": (*Resolver).resolveTracepoint, "rawtracepoint": (*Resolver).resolveRawTracepoint,
		"uprobe": (*Resolver).resolveUprobe, "uretprobe": (*Resolver).resolveUprobe, "ucall": (*Resolver).resolveUprobe,
		"usdt":    (*Resolver).resolveUSDT,
		"profile": (*Resolver).resolveTimer, "interval": (*Resolver).resolveTimer,
		"software": (*Resolver).resolvePerf, "hardware": (*Resolver).resolvePerf,
		"watchpoint": (*Resolver).resolveWatchpoint, "iter": (*Resolver).resolveIter,
	}
}

// Resolve finds the places of an attach point: of the first of its
// alternatives that has any.
func (r *Resolver) Resolve(ap *ast.AttachPoint) ([]Point, *Failure) {
	points, fail := r.alternatives(ap)
	if slices.ContainsFunc(ap.Or, isKprobe) {
		for i := range points {
			points[i].Either = true
		}
	}
	return points, fail
}

// Ask is Resolve for a question whose places are not attached to: it warns of nothing.
func (r *Resolver) Ask(ap *ast.AttachPoint) ([]Point, *Failure) {
	diags := r.Diags
	r.Diags = new(diag.List)
	defer func() { r.Diags = diags }()
	return r.Resolve(ap)
}

func isKprobe(ap *ast.AttachPoint) bool { return ap.Provider == "kprobe" || ap.Provider == "kretprobe" }

// alternatives finds the places of the first alternative that has any.
func (r *Resolver) alternatives(ap *ast.AttachPoint) ([]Point, *Failure) {
	points, fail := r.resolveOne(ap)
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
	var first *Failure
	var doubtful []Point
	for i := 0; ; i++ {
		switch {
		case fail == nil && !r.SurelyMissing(points):
			return points, nil
		case fail == nil && doubtful == nil:
			// Attaching it says best why it can't be, if all others are missing.
			doubtful = points
		case fail == nil:
		case !fail.Missing && !fail.Wild:
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
		points, fail = r.resolveOne(&next)
	}
	if doubtful != nil {
		return doubtful, nil
	}
	first.Reason()
	first.message = "none of " + strings.Join(names, ", ") + " exists here"
	first.Span = ap.Span
	return nil, first
}

func (r *Resolver) resolveOne(ap *ast.AttachPoint) ([]Point, *Failure) {
	ap, fail := r.expandOptions(ap)
	if fail == nil {
		ap, fail = r.expandParams(ap)
	}
	if fail != nil {
		return nil, fail
	}
	if strings.Contains(ap.Provider, "*") {
		return r.ofKinds(ap)
	}
	find := finders[ap.Provider]
	if find == nil {
		return nil, r.unknownProvider(ap)
	}
	points, fail := find(r, ap)
	if fail != nil {
		if !fail.Span.IsValid() {
			fail.Span = ap.Span
		}
		return nil, fail
	}
	for i := range points {
		p := &points[i]
		p.Hook.Span = ap.Span
		if ap.Label != "" {
			p.Hook.Place, p.Hook.Name = p.Hook.Name, ap.Label
		}
	}
	return points, nil
}

// inKernel and inPrograms are the kinds that a pattern of kinds stands for: those
// whose places have names.
var (
	inKernel   = []string{"kprobe", "fentry", "tracepoint", "rawtracepoint", "software", "hardware", "iter"}
	inPrograms = []string{"uprobe", "usdt"}
)

// ofKinds finds the places of an attach point whose kind is a pattern, as
// t*:sched:sched_switch: those of each kind that has any.
func (r *Resolver) ofKinds(ap *ast.AttachPoint) ([]Point, *Failure) {
	kinds := inKernel
	if strings.Contains(ap.Parts[0], "/") {
		kinds = inPrograms
	}
	var all, doubtful []Point
	var fails []*Failure
	for _, kind := range kinds {
		if !target.Match(ap.Provider, kind) {
			continue
		}
		one := *ap
		one.Provider = kind
		points, fail := r.resolveOne(&one)
		switch {
		case fail != nil:
			fails = append(fails, fail)
		case r.SurelyMissing(points):
			doubtful = append(doubtful, points...) // attaching it says best why it can't be
		default:
			all = append(all, points...)
		}
	}
	switch {
	case len(all) > 0:
		return all, nil
	case len(doubtful) > 0:
		return doubtful, nil
	case len(fails) == 1:
		return nil, fails[0]
	case len(fails) > 1:
		return nil, &Failure{Span: ap.Span, message: "no probe matches " + ap.Raw, hint: fmt.Sprintf("fst -l '%s' lists what a pattern matches", ap.Raw), Wild: true}
	}
	return nil, &Failure{Span: providerSpan(ap), message: "no kind of probe matches " + ap.Written,
		hint: fmt.Sprintf("a pattern is for %s, and before a file for %s", strings.Join(inKernel, ", "), strings.Join(inPrograms, " and "))}
}

// SurelyMissing reports whether a probe of a function was taken on trust, for
// want of the kernel's list of them, and can't exist all the same.
func (r *Resolver) SurelyMissing(points []Point) bool {
	for _, p := range points {
		if p.Hook.Kind != object.HookKprobe && p.Hook.Kind != object.HookKretprobe || p.Hook.Function == "" {
			return false
		}
		if !r.Target.Has(target.Kprobes) {
			continue
		}
		if p.Func != nil {
			return false // its type is known; the list of symbols takes the kernel long to write
		}
		if _, known := r.Target.Symbol(p.Hook.Function); known {
			return false
		}
	}
	return len(points) > 0
}

// partSpan is where part i stands.
func partSpan(ap *ast.AttachPoint, i int) source.Span {
	if i < len(ap.PartSpans) && ap.PartSpans[i].IsValid() {
		return ap.PartSpans[i]
	}
	return ap.Span
}

// badForm is the failure of an attach point with too few or too many parts.
func badForm(ap *ast.AttachPoint) *Failure {
	forms := []string{ap.Provider}
	if p, ok := builtin.ProbeByName(ap.Provider); ok {
		forms = p.Forms
	}
	f := &Failure{Span: ap.Span, message: "this probe has too many parts", hint: "it is written " + strings.Join(forms, " or ")}
	longest := 0
	for _, form := range forms {
		longest = max(longest, strings.Count(form, ":"))
	}
	if len(ap.Parts) < longest || strings.Contains(ap.Raw, "::") {
		f.message = "this probe is not complete"
	}
	if instead := parse.Foreign(ap.Raw); instead != "" {
		f.hint = "write " + instead
	} else if ap.Provider == "syscall" && len(ap.Parts) == 2 && f.message != "this probe is not complete" {
		f.hint = "write syscall:" + ap.Parts[0] + ": it has the arguments of a call and its result (ret)"
	} else if name := strings.TrimPrefix(ap.Raw, ap.Written+"::"); len(forms) > 0 && name != ap.Raw && strings.HasPrefix(forms[0], ap.Provider+":FUNCTION") {
		f.hint = "write " + ap.Written + ":" + name
	}
	return f
}

// written is how a kind of probe is written, for hints.
func written(ap *ast.AttachPoint) string { return badForm(ap).hint }

// providerSpan is where the kind of a probe stands.
func providerSpan(ap *ast.AttachPoint) source.Span {
	if ap.ProviderSpan.IsValid() {
		return ap.ProviderSpan
	}
	return ap.Span
}

// unknownProvider is the failure of a kind of probe that does not exist.
func (r *Resolver) unknownProvider(ap *ast.AttachPoint) *Failure {
	f := &Failure{Span: providerSpan(ap), message: "there are no probes of the kind " + strconv.Quote(ap.Written),
		hint: "kinds are syscall, call, kprobe, tracepoint, uprobe, usdt, interval, profile, begin, end, the library's io, page, fs, proc, sched, net, and others (fst doc probes)"}
	if ap.Written == "" {
		f.message, f.hint = "the parameter of this probe is empty", "write the probe after the script's name, such as syscall:openat"
		return f
	}
	if instead := parse.Foreign(ap.Raw); instead != "" {
		f.hint = "write " + instead
		if kind, fn, _ := strings.Cut(instead, ":"); !r.Target.Has(target.Kprobes) && (kind == "call" || kind == "kprobe" || kind == "kretprobe") {
			f.hint = "this kernel has no kprobes (CONFIG_KPROBE_EVENTS) to trace its functions; " + r.insteadOfKprobe(fn)
		}
		return f
	}
	if _, ok := parse.Provider(ap.Written); ok {
		f.message = "a parameter can't bring " + ap.Raw + ", which is a probe of the library"
		f.hint = "write it into the script: " + ap.Raw + " { ... }"
		return f
	}
	if len(ap.Parts) == 1 && finders[ap.Parts[0]] != nil {
		f.hint = "the kind comes first: " + ap.Parts[0] + ":" + ap.Written
		return f
	}
	f.near = func() string {
		// The kind was left out: vfs_read, sched:sched_switch.
		if len(ap.Parts) == 1 {
			if list, err := r.Target.Tracepoints(ap.Written, ap.Parts[0]); err == nil && len(list) > 0 {
				return "tracepoint:" + ap.Written + ":" + ap.Parts[0]
			}
		}
		var names []string
		for n := range finders {
			names = append(names, n)
		}
		if n := diag.Nearest(ap.Provider, names); n != "" {
			return n
		}
		if len(ap.Parts) > 0 {
			return ""
		}
		if list, err := r.Target.Traceable("", ap.Written); err == nil && len(list) > 0 && !list[0].Unsure {
			return "kprobe:" + ap.Written + " or call:" + ap.Written
		}
		if list, err := r.Target.Tracepoints("*", ap.Written); err == nil && len(list) > 0 {
			return "tracepoint:" + list[0]
		}
		for _, prefix := range []string{"", "sys_", "__x64_sys_"} {
			if name := strings.TrimPrefix(ap.Written, prefix); prefix == "" || name != ap.Written {
				if _, ok := r.Target.SyscallNumber(name); ok {
					return "syscall:" + name
				}
			}
		}
		return ""
	}
	return f
}

// ParamStruct makes the type of `args` from parameters: each lies in as many words as
// it takes.
func ParamStruct(fn *target.Func) *types.Type {
	if fn == nil {
		return nil
	}
	fields := make([]types.Field, 0, len(fn.Params))
	for i, p := range fn.Params {
		fields = append(fields, types.Field{Name: p.Name, Type: p.Type, Offset: 8 * max(fn.Slot(i), 0)})
	}
	return types.NewStruct(types.Struct, "args of "+fn.Name, 8*fn.Words(), fields)
}

// ByNumber makes the parameters of a function known by their numbers alone: arg0 to
// arg5.
func (p *Point) ByNumber() {
	p.Func = numbered(p.Func.Name)
	p.Args = ParamStruct(p.Func)
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

// Kinds lists the kinds of probes by their long names, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(finders)) }

// IsKind reports whether a provider's name is that of a kind of probes.
func IsKind(provider string) bool { return finders[provider] != nil }
