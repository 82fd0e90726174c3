package check

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

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
		c.refuseForeign(cl, points)
		if p := points[0].Provider; p == c.opts.Mode || c.opts.Mode == "" && p != "begin" && p != "end" {
			chosen++
		}
		c.makeUnits(i, cl, points)
	}
	for _, cl := range c.prog.Uncalled {
		c.blindUnit(0, cl)
	}
	if (c.opts.Mode != "" || c.filtered) && chosen == 0 && len(c.prog.Clauses) > 0 && !c.isWrong() {
		c.noneChosen(any)
	}
	switch {
	case len(c.prog.Clauses) == 0 && !c.isWrong():
		c.errorf(c.prog.Span, "the script has no probe").Hintf("write, for example, syscall:openat { @[comm] = count(); }")
	case !any && c.opts.Mode == "" && missed == 0 && !c.isWrong():
		c.errorf(c.prog.Clauses[0].Span, "the script has nothing but tests").Hintf("run it with --test or --bench")
	case !any && missed > 0 && !c.isWrong():
		c.errorf(c.prog.Clauses[0].Span, "none of the script's probes exists here").Hintf("without missing_probes = \"ignore\" the reason is reported")
	}
	c.checkLimits()
}

// isWrong reports whether the script has an error already.
func (c *checker) isWrong() bool { return c.misexpanded || c.diags.HasErrors() }

// noneChosen says that the mode and the filter of the run leave nothing to do.
// Where begin and end run all the same, that is no error.
func (c *checker) noneChosen(others bool) {
	report := c.errorf
	if others {
		report = c.diags.Warnf
	}
	if c.filtered {
		report(c.prog.Clauses[0].Span, "no probe has a name that --probe-filter matches").Hintf("the names are those that `probe` has, such as syscall:openat and test:NAME")
		return
	}
	report(c.prog.Clauses[0].Span, "the script has no %s: probes", c.opts.Mode).
		Hintf("write %s:NAME { ... }; without --%s all its other probes run", c.opts.Mode, c.opts.Mode)
}

// blindUnit checks the body of a clause that has no place to attach to or is left
// out, or of a function that nothing calls: all errors of a script are reported in
// one go, and the maps that only it fills are known.
func (c *checker) blindUnit(index int, cl *ast.Clause) {
	p, retval := providerOf(cl), types.U64
	if p == "syscall" {
		retval = types.I64
	}
	u := newUnitChecker(c, &Unit{Clause: cl, Index: index, Provider: p, Filter: cl.Filter, Body: cl.Body, Default: cl.Body == nil,
		Hooks: []object.Hook{{Name: p, Span: cl.Span}}, Retval: retval})
	u.blind = true
	c.units, c.info.Unattached = append(c.units, u), append(c.info.Unattached, u.Unit)
}

// providerOf is the kind of a clause's first probe; the body of a function has none.
func providerOf(cl *ast.Clause) string {
	if len(cl.Probes) == 0 {
		return ""
	}
	return cl.Probes[0].Provider
}

// maxPoints is how many places the probes of a clause may match: more than a kernel has functions.
const maxPoints = 1 << 17

// clausePoints resolves one clause's probe list.
func (c *checker) clausePoints(cl *ast.Clause) (points []probe.Point, missing int, bad bool) {
	if c.isNever(cl.Filter, providerOf(cl), cl.Span) {
		return nil, 0, true // which probes it would have does not matter
	}
	var none *probe.Failure
	another := sync.OnceValue(func() *ast.AttachPoint { return c.another(cl) })
	for _, ap := range cl.Probes {
		found, fail := c.probes.Resolve(ap)
		switch {
		case fail == nil:
			c.untracedCalls(ap, found)
			found = slices.DeleteFunc(found, func(p probe.Point) bool { return !c.isWanted(cl, p) })
			if points = append(points, found...); len(points) > maxPoints {
				c.errorf(cl.Span, "the probes of this clause match more than %d places", maxPoints).Hintf("use narrower patterns")
				return nil, 0, true
			}
		case fail.Open && (cl.For == nil || fail.Wild):
			if !c.openSaid[fail.Reason()] {
				c.openSaid[fail.Reason()] = true
				fail.Report(c.diags.Warnf)
			}
			bad = true
		case fail.Wild:
			none = fail
			missing++
		case c.reportAbsent(cl, fail, ap.Span, another):
			bad = true
		default:
			missing++
		}
	}
	if len(points) == 0 && !bad && none != nil {
		bad = c.reportAbsent(cl, none, none.Span, another)
	}
	for i := range points {
		if cl.For != nil {
			points[i].Hook.For = &object.Declared{Name: cl.For.Written, Span: cl.For.Span}
		}
	}
	if i := slices.IndexFunc(points, func(p probe.Point) bool { return p.Provider == "iter" }); i >= 0 && len(points) > 1 {
		c.errorf(points[i].Hook.Span, "iter: must be the only probe of its clause").Hintf("give each iterator a clause of its own")
		bad = true
	}
	return points, missing, bad
}

// reportAbsent reports a probe that has no place here, as missing_probes says, and whether that
// is an error. What a library needs is not optional: a probe that never fires would be
// taken for one that saw nothing.
func (c *checker) reportAbsent(cl *ast.Clause, fail *probe.Failure, at source.Span, another func() *ast.AttachPoint) bool {
	setting := c.info.Config.MissingProbes
	switch {
	case cl.For != nil:
		c.errorf(cl.For.Span, "%s can't work on this kernel: %s", cl.For.Written, fail.Reason()).Notef(at, "its definition needs this probe")
		return true
	case setting == "error" || !fail.Missing && !fail.Wild:
		d := fail.Report(c.errorf)
		if fail.Missing && another() != nil {
			d.Notef(another().Span, `this one exists here: config = { missing_probes = "warn" } skips the others`)
		}
		return true
	case setting == "warn":
		fail.Report(c.diags.Warnf)
	}
	return false
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

// untracedCalls warns of the alternatives to a system call that exist as well: no system call takes the place of another
// that is still there, so both were probably meant. For kernel functions and tracepoints that is the use of alternatives.
func (c *checker) untracedCalls(ap *ast.AttachPoint, taken []probe.Point) {
	all := append([]*ast.AttachPoint{ap}, ap.Or...)
	i := slices.IndexFunc(all, func(a *ast.AttachPoint) bool { return len(taken) > 0 && a.Span == taken[0].Hook.Span })
	if i < 0 || all[i].Provider != "syscall" {
		return
	}
	name := func(a *ast.AttachPoint) string { return a.Provider + ":" + strings.Join(a.Parts, ":") }
	var first *ast.AttachPoint
	var names []string
	for _, other := range all[i+1:] {
		alone := *other
		alone.Or, alone.Before = nil, nil
		if found, fail := c.probes.Ask(&alone); other.Provider == "syscall" && fail == nil && len(found) > 0 {
			first, names = cmp.Or(first, other), append(names, name(other))
		}
	}
	if first != nil {
		c.diags.Warnf(first.Span, "not traced, as alternatives to %s, which exists: %s", name(all[i]), strings.Join(names, ", ")).
			Hintf("separate probes with ',' to trace them all: %s, %s", name(all[i]), strings.Join(names, ", "))
	}
}

// another finds an attach point of a clause that has a place here: older
// releases of bpftrace went on with those that exist.
func (c *checker) another(cl *ast.Clause) *ast.AttachPoint {
	for _, ap := range cl.Probes {
		if found, fail := c.probes.Ask(ap); fail == nil && len(found) > 0 {
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
	u := newUnitChecker(c, &Unit{Clause: &ast.Clause{At: ast.At{Span: at}}, Provider: provider, Filter: x, Hooks: []object.Hook{{Span: at}}})
	u.blind = true
	c.silently(u.run)
	n, settled := u.Consts[x]
	return settled && n == 0
}

// checkLimits applies max_probes to what needs a link each, and max_bpf_progs
// to the programs that a clause is expanded into.
func (c *checker) checkLimits() {
	links := 0
	var largest *ast.Clause // the one that needs the most links
	each, programs := map[*ast.Clause]int{}, map[*ast.Clause]int{}
	for _, u := range c.units {
		if u.blind {
			continue
		}
		clause := u.Clause
		programs[clause]++
		for _, h := range u.Hooks {
			if !h.Multi && !sharedSyscalls(u.Unit) {
				links++
				each[clause]++
			}
		}
		if each[clause] > each[largest] {
			largest = clause
		}
	}
	if most := c.settings["max_probes"].Num; int64(links) > most {
		c.errorf(largest.Span, "the script attaches to %d places; at most %d are allowed", links, most).
			Hintf("use a narrower pattern, or config = { max_probes = %d }", links)
	}
	most := c.settings["max_bpf_progs"].Num
	for _, u := range c.units {
		clause := u.Clause
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
	return !slices.ContainsFunc(u.Hooks, func(h object.Hook) bool { return h.Kind != object.HookTracepoint || h.Category != "syscalls" })
}
