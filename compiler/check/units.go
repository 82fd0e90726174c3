package check

import (
	"fmt"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// uses is what a clause's text mentions, found before it is checked: it
// decides which attach points can share a unit.
type uses struct {
	args, argN, retval, probe, stack, fn, uaddr bool
	// probeText: the name of the probe is more than a key or something to print,
	// so that it must be known while compiling.
	probeText bool
	// typed: it calls what takes pointers by their type, which only trampolines
	// tell.
	typed bool
	// argsRead are the members of args that it names; wholeArgs tells that it
	// reads args as a whole.
	argsRead  map[string]bool
	wholeArgs bool
}

func scanUses(cl *ast.Clause) uses {
	var u uses
	u.argsRead, u.wholeArgs = argsRead(cl)
	name := func(n string) {
		switch n {
		case "args":
			u.args = true
		case "retval", "ret", "errno":
			u.retval = true
		case "probe":
			u.probe = true
		case "func":
			u.fn = true
		case "uaddr":
			u.uaddr = true
		case "kstack", "ustack", "dw_ustack":
			u.stack = true
		default:
			if _, ok := builtin.ArgNumber(n); ok {
				u.argN = true
			}
		}
	}
	shown := map[ast.Expr]bool{}
	show := func(xs []ast.Expr) {
		for _, x := range xs {
			shown[x] = true
		}
	}
	ast.Walk(cl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			name(n.Name)
		case *ast.Call:
			name(n.Name)
			switch n.Name {
			case "print", "printf", "errorf", "warnf", "row":
				show(n.Args)
			case "path", "socket_cookie", "skboutput":
				u.typed = true
			}
		case *ast.Map:
			show(n.Keys)
		case *ast.Tuple:
			if shown[n] {
				show(n.Elems)
			}
		}
		if x, ok := n.(ast.Expr); ok && !shown[x] {
			if id, ok := bareName(x); ok && id == "probe" {
				u.probeText = true
			}
		}
		return true
	})
	if cl.Body == nil {
		u.args, u.retval, u.probe, u.probeText = true, true, true, true
	}
	return u
}

// clauses resolves the attach points of all clauses and makes the units.
func (c *checker) clauses() {
	for _, d := range c.prog.Declared {
		if !c.isNever(d.When, "begin", d.Span) {
			c.info.Declared = append(c.info.Declared, d)
		}
	}
	any, missed, chosen := false, 0, 0
	for i, cl := range c.prog.Clauses {
		points, missing, bad := c.clausePoints(cl)
		any = any || bad
		if len(points) == 0 {
			c.blindUnit(i, cl)
		}
		missed += missing
		if len(points) == 0 {
			continue
		}
		any = true
		if p := points[0].Provider; p == c.opts.Mode || c.opts.Mode == "" && p != "begin" && p != "end" {
			chosen++
		}
		c.makeUnits(i, cl, points)
	}
	for _, cl := range c.prog.Uncalled {
		c.blindUnit(0, cl)
	}
	if (c.opts.Mode != "" || c.filtered) && chosen == 0 && len(c.prog.Clauses) > 0 && !c.diags.HasErrors() {
		c.noneChosen(any)
	}
	switch {
	case len(c.prog.Clauses) == 0 && !c.diags.HasErrors():
		c.errorf(source.Span{}, "the script has no probe").Hintf("write, for example, kprobe:vfs_read { @[comm] = count(); }")
	case !any && c.opts.Mode == "" && missed == 0 && !c.diags.HasErrors():
		c.errorf(c.prog.Clauses[0].Span, "the script has nothing but tests").Hintf("run it with --test or --bench")
	case !any && missed > 0 && !c.diags.HasErrors():
		c.errorf(c.prog.Clauses[0].Span, "none of the script's probes exists here").Hintf("without missing_probes = \"ignore\" it is said why")
	}
	c.checkLimits()
}

// noneChosen says that the mode and the filter of the run leave nothing to do.
// Where begin and end run all the same, that is no error.
func (c *checker) noneChosen(others bool) {
	report := c.errorf
	if others {
		report = c.diags.Warnf
	}
	if c.filtered {
		report(c.prog.Clauses[0].Span, "no probe has a name that --probe-filter matches").Hintf("the names are those that `probe` has, as kprobe:vfs_read and test:NAME")
		return
	}
	report(c.prog.Clauses[0].Span, "the script has no %s: probes", c.opts.Mode).
		Hintf("write %s:NAME { ... }; without --%s all its other probes run", c.opts.Mode, c.opts.Mode)
}

// blindUnit checks the body of a clause that has no place to attach to or is left
// out, or of a function that nothing calls: all errors of a script are reported in
// one go, and the maps that only it fills are known. It is not part of the Info.
func (c *checker) blindUnit(index int, cl *ast.Clause) {
	p := providerOf(cl)
	u := newUnitChecker(c, &Unit{Clause: cl, Index: index, Provider: p, Filter: cl.Filter, Body: cl.Body, Default: cl.Body == nil,
		Hooks: []object.Hook{{Name: p, Span: cl.Span}}, Retval: types.U64})
	u.blind = true
	c.units = append(c.units, u)
}

// providerOf is the kind of a clause's first probe; the body of a function has none.
func providerOf(cl *ast.Clause) string {
	if len(cl.Probes) == 0 {
		return ""
	}
	return cl.Probes[0].Provider
}

// clausePoints resolves one clause's probe list.
func (c *checker) clausePoints(cl *ast.Clause) (points []probe.Point, missing int, bad bool) {
	if c.isNever(cl.Filter, providerOf(cl), cl.Span) {
		return nil, 0, true // which probes it would have does not matter
	}
	var none *probe.Failure
	for _, ap := range cl.Probes {
		found, fail := c.probes.Resolve(ap)
		switch {
		case fail == nil:
			found = slices.DeleteFunc(found, func(p probe.Point) bool { return !c.isWanted(cl, p) })
			points = append(points, found...)
		case cl.For != nil && !fail.Wild:
			// What a library needs is not optional: a probe that never fires
			// would be taken for one that saw nothing.
			d := c.errorf(cl.For.Span, "%s can't work on this kernel: %s", cl.For.Probe, fail.Message)
			d.Notef(ap.Span, "its definition needs this probe")
			bad = true
		case fail.Open:
			if !c.openSaid[fail.Message] {
				c.openSaid[fail.Message] = true
				fail.Report(c.diags.Warnf(fail.Span, "%s", fail.Message))
			}
			bad = true
		case fail.Wild:
			none = fail
			missing++
		case !fail.Missing || c.info.Config.MissingProbes == "error":
			d := c.errorf(fail.Span, "%s", fail.Message)
			fail.Report(d)
			if there := c.another(cl); fail.Missing && there != nil {
				d.Notef(there.Span, `this one exists here: config = { missing_probes = "warn" } goes on without the others`)
			}
			bad = true
		default:
			missing++
			if c.info.Config.MissingProbes == "warn" {
				fail.Report(c.diags.Warnf(fail.Span, "%s", fail.Message))
			}
		}
	}
	if len(points) == 0 && !bad && none != nil {
		if cl.For != nil {
			c.errorf(cl.For.Span, "%s can't work on this kernel: %s", cl.For.Probe, none.Message).
				Notef(none.Span, "its definition needs this probe")
			bad = true
		} else if c.info.Config.MissingProbes == "error" {
			none.Report(c.errorf(none.Span, "%s", none.Message))
			bad = true
		} else if c.info.Config.MissingProbes == "warn" {
			none.Report(c.diags.Warnf(none.Span, "%s", none.Message))
		}
	}
	for _, p := range points {
		if p.Provider == "iter" && len(points) > 1 {
			c.errorf(p.Hook.Span, "iter: must be the only probe of its clause").Hintf("give each iterator a clause of its own")
			bad = true
			break
		}
	}
	return points, missing, bad
}

// isWanted reports whether the mode of the run and its filter have use for a
// probe. What a library attaches to is chosen by the probe that it is needed for.
func (c *checker) isWanted(cl *ast.Clause, p probe.Point) bool {
	mode, name := "", p.Hook.Name
	switch p.Hook.Kind {
	case object.HookBegin, object.HookEnd:
		return true
	case object.HookTest, object.HookBench:
		mode = p.Provider
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

// another finds an attach point of a clause that has a place here: older
// releases of bpftrace went on with those that exist.
func (c *checker) another(cl *ast.Clause) *ast.AttachPoint {
	for _, ap := range cl.Probes {
		if found, fail := c.probes.Resolve(ap); fail == nil && len(found) > 0 {
			return ap
		}
	}
	return nil
}

// isNever reports whether a filter begins with a comptime that is false, as
// /comptime getopt("all", false) && .../ is without --all: the clause never runs.
func (c *checker) isNever(x ast.Expr, provider string, at source.Span) bool {
	for {
		b, ok := x.(*ast.Binary)
		if !ok || b.Op != "&&" {
			break
		}
		x = b.X
	}
	if _, ok := x.(*ast.Comptime); !ok {
		return false
	}
	quiet := c.quiet
	c.quiet = true
	defer func() { c.quiet = quiet }()
	u := newUnitChecker(c, &Unit{Clause: &ast.Clause{At: ast.At{Span: at}}, Provider: provider, Filter: x, Hooks: []object.Hook{{Span: at}}})
	u.blind = true
	u.run()
	n, settled := u.u.Consts[x]
	return settled && n == 0
}

// checkLimits applies max_probes to what needs a link each, and max_bpf_progs
// to the programs that a clause is expanded into.
func (c *checker) checkLimits() {
	links := 0
	var last *unitChecker
	programs := map[*ast.Clause]int{}
	for _, u := range c.units {
		if u.blind {
			continue
		}
		last = u
		programs[u.u.Clause]++
		for _, h := range u.u.Hooks {
			if !h.Multi && !sharedSyscalls(u.u) {
				links++
			}
		}
	}
	if most := c.settings["max_probes"].num; last != nil && int64(links) > most {
		c.errorf(last.u.Clause.Span, "the script attaches to %d places; at most %d are allowed", links, most).
			Hintf("use a narrower pattern, or config = { max_probes = %d }", links)
	}
	most := c.settings["max_bpf_progs"].num
	for _, u := range c.units {
		clause := u.u.Clause
		if n := programs[clause]; int64(n) > most {
			c.errorf(clause.Span, "this needs %d programs, one for each kind of event; at most %d are allowed", n, most).
				Hintf("leave out `probe` or `args` so that the probes can share one, or config = { max_bpf_progs = %d }", n)
			delete(programs, clause)
		}
	}
}

// sharedSyscalls reports whether one program on a raw tracepoint serves all
// hooks of a unit.
func sharedSyscalls(u *Unit) bool {
	for _, h := range u.Hooks {
		if h.Kind != object.HookTracepoint || h.Category != "syscalls" {
			return false
		}
	}
	return true
}

// manySyscalls is how many system calls a pattern may match before the
// default action shows their arguments by number: one program then serves
// all, instead of one each.
const manySyscalls = 16

// maxSingleFuncs is how many functions of programs a clause that uses func
// may be on before they share a program, which finds the name by the address.
const maxSingleFuncs = 64

// manyTrampolines is how many functions a pattern may match before one link for
// all of them is preferred to a trampoline each: the kernel takes some tens of
// milliseconds for each to attach it, and to detach it.
const manyTrampolines = 16

// linkKind is the kind of hook that sees what a trampoline's program sees, for all
// but what it knows by type; none for fexit: with arguments, which are gone then.
func (use uses) linkKind(p *probe.Point) (object.HookKind, bool) {
	switch {
	case use.typed || p.Hook.Program != 0:
	case p.Hook.Kind == object.HookFentry:
		return object.HookKprobe, true
	case p.Hook.Kind == object.HookFexit && (p.Provider == "call" || !use.args && !use.argN):
		return object.HookKretprobe, true
	}
	return p.Hook.Kind, false
}

// preferLink turns those trampolines into probes with a link for all of them that
// may be either.
func (use uses) preferLink(points []probe.Point, may func(*probe.Point) bool) {
	for i := range points {
		p := &points[i]
		if kind, ok := use.linkKind(p); ok && may(p) {
			p.Hook.Kind, p.Hook.Multi, p.Hook.BTFID = kind, true, 0
		}
	}
}

// preempted is the first version whose threads always may lose the CPU to others within
// a trampoline's program (there is no kernel without preemption any more), so that
// the kernel leaves out all that happens to those others there: with six threads
// on one CPU of 7.2 call: saw a sixth of the calls by fentry and fexit, and by a link
// of kprobes all. Such a link has no limit of threads within the function there.
// A call costs two thirds more by it (2.5 us instead of 1.5 in an emulated machine).
const preempted = 7 << 16

// freeOfKind reports whether a point may be of any kind that sees the same: what
// a script calls by a name of a kind is of that kind.
func freeOfKind(p *probe.Point) bool { return p.Provider == "call" || p.Either }

// intPointer and anyPointer are versions from which on a program on a trampoline may
// load arguments that point to integers (commit bb6728d75611), and to anything.
// anyPointer is the first of the matrix that does: 6.12 refuses const void *,
// pointers to pointers, enums and functions.
const (
	intPointer = 5<<16 | 17<<8
	anyPointer = 7<<16 | 2<<8
)

// avoidScalarPointers turns trampolines into probes where the clause reads an
// argument that points to what a program on a trampoline may not load here. Where
// no other probe sees the arguments, the default action goes without those.
func (c *checker) avoidScalarPointers(cl *ast.Clause, use uses, points []probe.Point) {
	for i := range points {
		p := &points[i]
		if p.Hook.Kind != object.HookFentry && p.Hook.Kind != object.HookFexit || p.Func == nil {
			continue
		}
		for _, a := range p.Func.Params {
			if scalarPointer(a, c.t.Version()) && (use.wholeArgs || use.argsRead[a.Name]) && !c.avoid(cl, use, p, a) {
				break
			}
		}
	}
}

// avoid sees to it that an argument is not loaded on a trampoline. It is false if
// that settles all arguments of the point.
func (c *checker) avoid(cl *ast.Clause, use uses, p *probe.Point, a target.Param) bool {
	kind, ok := use.linkKind(p)
	switch {
	case ok:
		p.Hook.Kind, p.Hook.BTFID = kind, 0
		return false
	case cl.Body == nil && p.Args != nil:
		fields := slices.DeleteFunc(slices.Clone(p.Args.Fields()), func(f types.Field) bool { return f.Name == a.Name })
		p.Args = types.NewStruct(p.Args.Kind, p.Args.Name, p.Args.Size, fields)
		return true
	}
	c.errorf(p.Hook.Span, "the argument %s can't be read here: it is %s, which programs on trampolines may not load on this kernel",
		a.Name, declared(a)).Hintf("call:%s reads it, and sees the result, too", p.Hook.Function)
	return false
}

// scalarPointer reports whether a parameter points to something that is neither a
// struct nor, as a plain void *, unknown, nor what else this version allows.
func scalarPointer(a target.Param, version uint32) bool {
	if a.Type.Kind != types.Pointer {
		return false
	}
	switch e := a.Type.Elem; {
	case e == nil || e.Kind == types.None:
		return a.Decl == nil || a.Decl() != "void *"
	case e.Kind == types.Struct || e.Kind == types.Union:
		return false
	case e.Kind == types.Int || e.Kind == types.Bool:
		return version < intPointer
	}
	return true
}

// declared is a parameter's type as its declaration spells it.
func declared(a target.Param) string {
	if a.Decl != nil {
		return a.Decl()
	}
	return describe(a.Type)
}

// argsRead lists the members of args that a clause names; all tells that it reads
// args as a whole.
func argsRead(cl *ast.Clause) (reads map[string]bool, all bool) {
	reads, all = map[string]bool{}, cl.Body == nil
	ast.Walk(cl, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			if name, ok := bareName(f.X); ok && name == "args" {
				reads[f.Name] = true
				return false
			}
		}
		if x, ok := n.(ast.Expr); ok {
			if name, ok := bareName(x); ok && name == "args" {
				all = true
			}
		}
		return true
	})
	return reads, all
}

// makeUnits groups the places of a clause into units: those whose bodies mean
// the same share one.
func (c *checker) makeUnits(index int, cl *ast.Clause, points []probe.Point) {
	use := scanUses(cl)
	syscalls := 0
	if c.t != nil && c.t.Has(target.KprobeMulti) {
		if len(points) > manyTrampolines && !use.probeText {
			use.preferLink(points, func(*probe.Point) bool { return true })
		} else if c.t.Version() >= preempted {
			use.preferLink(points, freeOfKind)
		}
	}
	if c.t != nil && c.t.Version() < anyPointer {
		c.avoidScalarPointers(cl, use, points)
	}
	user := 0
	for _, p := range points {
		if p.Hook.Kind == object.HookUprobe || p.Hook.Kind == object.HookUretprobe {
			user++
		}
		if p.Hook.Category == "syscalls" {
			syscalls++
		}
	}
	many := cl.Body == nil && syscalls > manySyscalls && !mentionsArgs(cl.Filter)
	for i := range points {
		switch p := &points[i]; {
		case p.Hook.Kind != object.HookTracepoint:
			if use.args || use.retval && p.Provider == "ucall" {
				c.probes.DescribeUser(p)
			}
		case use.args && p.Args == nil && !(many && p.Hook.Category == "syscalls"):
			c.probes.DescribeEvent(p) // what has no record here has no args
		}
	}
	if use.fn && len(points) > 0 && (points[0].Provider == "tracepoint" || points[0].Provider == "rawtracepoint") {
		use.probe = true // an event's name is that of its probe
	}
	named := use.fn
	use.fn = use.fn && user > 0
	if use.fn && user > maxSingleFuncs {
		use.fn, c.manyUserFuncs = false, true
	}
	groups := map[string]*Unit{}
	times := map[object.Hook]int{}
	for i, p := range points {
		if many && p.Hook.Category == "syscalls" {
			p.Args = nil
			if p.Provider == "syscall" {
				p.ByNumber()
			}
		}
		key := groupKey(p, use, i, many)
		if len(cl.Probes) > 1 {
			// What a clause names twice runs twice, but the kernel does not hang one
			// program twice on one event.
			place := p.Hook
			place.Name, place.Place, place.Span, place.Wild, place.Multi = "", "", source.Span{}, false, false
			key += strings.Repeat("/again", times[place])
			times[place]++
		}
		u := groups[key]
		if u == nil {
			body := cl.Body
			if body == nil {
				body = p.Event
			}
			u = &Unit{Clause: cl, Index: index, Provider: p.Provider, Filter: cl.Filter, Body: body, Default: body == nil,
				Func: p.Func, Args: p.Args, Retval: p.Retval, USDT: p.USDT, UsesStack: use.stack, UsesProbe: use.probe, UsesFunc: named}
			groups[key] = u
			c.info.Units = append(c.info.Units, u)
			c.units = append(c.units, newUnitChecker(c, u))
		} else {
			u.Args = sameArgs(u.Args, p.Args, use)
		}
		u.Hooks = append(u.Hooks, p.Hook)
	}
	for _, u := range groups {
		// A kretprobe of its own sees the returns of so many threads at once only; since
		// 6.14 a link sees all.
		if len(u.Hooks) == 1 && (u.Hooks[0].Kind != object.HookKretprobe || c.t.Version() < preempted) {
			u.Hooks[0].Multi = false
		}
	}
}

// sameArgs is the type of args of two points in one unit: unknown if they
// differ (then nobody uses it).
func sameArgs(a, b *types.Type, use uses) *types.Type {
	if use.args {
		return a
	}
	if a != nil && b != nil && layoutText(a) == layoutText(b) {
		return a
	}
	return nil
}

func mentionsArgs(x ast.Expr) bool {
	found := false
	if x != nil {
		ast.Walk(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "args" {
				found = true
			}
			return !found
		})
	}
	return found
}

// groupKey tells which points share a unit.
func groupKey(p probe.Point, use uses, index int, many bool) string {
	key := fmt.Sprintf("%s/%d", p.Provider, p.Hook.Kind)
	syscalls := p.Hook.Category == "syscalls"
	if use.probe && !syscalls && (use.probeText || !p.Hook.Multi) || use.fn || use.uaddr {
		key += fmt.Sprintf("/%d", index)
	}
	if syscalls {
		// A raw tracepoint serves calls or returns, not both.
		key += "/" + p.Hook.Event[:min(len(p.Hook.Event), len("sys_exit"))]
	}
	if use.args && !(many && syscalls) {
		key += "/" + layoutText(p.Args)
		if p.Func != nil {
			key += use.paramsText(p)
		}
	}
	trampoline := p.Hook.Kind == object.HookFentry || p.Hook.Kind == object.HookFexit
	if use.retval || use.argN && p.Provider == "rawtracepoint" {
		key += "/" + p.Retval.String()
		if trampoline && p.Func != nil {
			key += fmt.Sprintf("/%d", p.Func.Words())
		}
	}
	if use.argN && p.Provider == "usdt" {
		key += fmt.Sprint(usdtText(p.USDT))
	}
	if use.argN && trampoline && p.Func != nil {
		key += fmt.Sprintf("/%d", p.Func.Words())
	}
	return key
}

func usdtText(args []target.USDTArg) string {
	var b strings.Builder
	for _, a := range args {
		k := "-"
		if a.Const != nil {
			k = fmt.Sprint(*a.Const)
		}
		fmt.Fprintf(&b, "/%d,%v,%s,%s,%s,%s,%d,%d", a.Size, a.Signed, k, a.Reg, a.Base, a.Index, a.Scale, a.Disp)
	}
	return b.String()
}

// paramsText writes those parameters of a point's function that the clause may
// read. A trace event has args of its own: at a system call's end, parameters are
// the members that only its begin has.
func (use uses) paramsText(p probe.Point) string {
	t := probe.ParamStruct(p.Func)
	if p.Provider != "tracepoint" || use.wholeArgs {
		return layoutText(t)
	}
	var b strings.Builder
	for _, f := range t.Fields() {
		if use.argsRead[f.Name] {
			fmt.Fprintf(&b, "%s %s %d;", f.Type, f.Name, f.Offset)
		}
	}
	return b.String()
}

// layoutText describes the members of a type of args.
func layoutText(t *types.Type) string {
	if t == nil {
		return "-"
	}
	var b strings.Builder
	for _, f := range t.Fields() {
		fmt.Fprintf(&b, "%s %s %d;", f.Type, f.Name, f.Offset)
	}
	return b.String()
}
