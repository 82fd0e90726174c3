package check

import (
	"fmt"
	"strings"

	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// manySyscalls is how many system calls a pattern may match before the
// default action shows their arguments by number: one program then serves
// all, instead of one each.
const manySyscalls = 16

// maxSingleFuncs is how many functions of programs a clause that uses func
// may be on before they share a program, which finds the name by the address.
const maxSingleFuncs = 64

// makeUnits groups the places of a clause into units: those whose bodies mean
// the same share one.
func (c *checker) makeUnits(index int, cl *ast.Clause, points []probe.Point) {
	use := scanUses(cl)
	c.chooseMechanism(cl, use, points)
	use.unnamed = cl.Body == nil && countPoints(points, isSyscallEvent) > manySyscalls && !use.namesArgs
	c.describePoints(use, points)
	if user := countPoints(points, isFunctionOfProgram); use.fn && user > 0 {
		use.fnEach = user <= maxSingleFuncs
		c.manyUserFuncs = c.manyUserFuncs || !use.fnEach
	}
	if p := points[0].Provider; use.fn && (p == "tracepoint" || p == "rawtracepoint") {
		use.probe = true // an event's name is that of its probe
	}
	groups := map[string]*Unit{}
	times := map[object.Hook]int{}
	for i, p := range points {
		key := groupKey(p, use, i)
		if len(cl.Probes) > 1 {
			// What a clause names twice runs twice, but the kernel does not attach one
			// program twice to one event.
			place := p.Hook
			place.Name, place.Place, place.Span, place.Wild, place.Multi = "", "", source.Span{}, false, false
			key += strings.Repeat("/again", times[place])
			times[place]++
		}
		u := groups[key]
		if u == nil {
			u = newUnit(index, cl, use, p)
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
		// 6.14 a link sees all. A single uprobe needs more rights than a link.
		h := &u.Hooks[0]
		user := h.Kind == object.HookUprobe || h.Kind == object.HookUretprobe
		if len(u.Hooks) == 1 && (h.Kind != object.HookKretprobe || !c.t.Since(preempted)) && !(user && c.t.Has(target.NoPerfUprobes)) {
			h.Multi = false
		}
	}
}

// newUnit is the unit of a clause at a point and others like it, without hooks.
func newUnit(index int, cl *ast.Clause, use uses, p probe.Point) *Unit {
	body := cl.Body
	if body == nil {
		body = p.Event
	}
	return &Unit{Clause: cl, Index: index, Provider: p.Provider, Filter: cl.Filter, Body: body, Default: body == nil,
		Func: p.Func, Args: p.Args, Retval: p.Retval, USDT: p.USDT, UsesStack: use.stack, UsesProbe: use.probe, UsesFunc: use.fn}
}

// describePoints fills in what the points' args and retval are, where that takes a
// look that only some clauses have use for.
func (c *checker) describePoints(use uses, points []probe.Point) {
	for i := range points {
		p := &points[i]
		switch {
		case use.unnamed && isSyscallEvent(*p):
			p.Args = nil
			if p.Provider == "syscall" {
				p.ByNumber()
			}
		case p.Hook.Kind == object.HookTracepoint:
			if use.args && p.Args == nil {
				c.probes.DescribeEvent(p) // what has no record here has no args
			}
		case use.args || use.retval && p.Hook.Kind == object.HookUretprobe:
			c.probes.DescribeUser(p)
		}
	}
}

// countPoints is how many points are of some sort.
func countPoints(points []probe.Point, is func(probe.Point) bool) (n int) {
	for _, p := range points {
		if is(p) {
			n++
		}
	}
	return n
}

func isSyscallEvent(p probe.Point) bool { return p.Hook.Category == "syscalls" }

func isFunctionOfProgram(p probe.Point) bool {
	return p.Hook.Kind == object.HookUprobe || p.Hook.Kind == object.HookUretprobe
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

// groupKey tells which points share a unit.
func groupKey(p probe.Point, use uses, index int) string {
	key := fmt.Sprintf("%s/%d", p.Provider, p.Hook.Kind)
	syscalls := isSyscallEvent(p)
	if use.probe && !syscalls && (use.probeText || !p.Hook.Multi) || use.fnEach || use.program {
		key += fmt.Sprintf("/%d", index)
	}
	if syscalls {
		// A raw tracepoint serves calls or returns, not both.
		key += "/" + p.Hook.Event[:min(len(p.Hook.Event), len("sys_exit"))]
	}
	if use.args && !(use.unnamed && syscalls) {
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
		if p.Func != nil {
			key += p.Func.ResultUnread
		}
	}
	if (use.argN || use.args) && p.Provider == "usdt" {
		key += fmt.Sprint(usdtText(p.USDT))
	}
	if use.argN && trampoline && p.Func != nil {
		key += fmt.Sprintf("/%d", p.Func.Words())
	}
	if p.Hook.Entry {
		key += "/entry"
	}
	if p.Hook.Bits32 {
		key += "/32"
	}
	if p.Hook.Convention != object.ConventionC {
		key += fmt.Sprintf("/convention%d", p.Hook.Convention)
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
	all := p.Provider != "tracepoint" || use.wholeArgs
	return fieldsText(probe.ParamStruct(p.Func), func(name string) bool { return all || use.argsRead[name] })
}

// layoutText describes the members of a type of args.
func layoutText(t *types.Type) string { return fieldsText(t, func(string) bool { return true }) }

// fieldsText describes some members of a type of args.
func fieldsText(t *types.Type, wanted func(name string) bool) string {
	if t == nil {
		return "-"
	}
	var b strings.Builder
	for _, f := range t.Fields() {
		if wanted(f.Name) {
			fmt.Fprintf(&b, "%s %s %d;", f.Type, f.Name, f.Offset)
		}
	}
	return b.String()
}
