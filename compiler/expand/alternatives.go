package expand

import (
	"cmp"
	"slices"
	"strings"

	"fst/lang/ast"
	"fst/lang/source"
)

// io:start | kprobe:a | b takes the first that exists, as kprobe:a | b does. What
// exists the checker knows, and declared probes are replaced before: so the
// clause becomes one for each alternative, which is left out unless it is the
// first that exists:
//
//	io:start       /comptime exists(io:start) && filter/ { action }
//	kprobe:a | b   /comptime !exists(io:start) && filter/ { action }
//
// The clauses of a library that are there for such a clause only have the same
// condition (conditions), for this kernel may lack their probes.

// split returns a clause as it is, or if one of its attach points has
// alternatives that are declared probes, the clauses that it stands for.
func (l *linker) split(c *clause) []*clause {
	var plain []*ast.AttachPoint
	var out []*clause
	for _, ap := range c.Probes {
		groups := l.alternatives(c.mod, ap)
		if len(groups) == 1 {
			plain = append(plain, ap)
			continue
		}
		for i := range groups {
			part := *c
			part.when = firstThatExists(groups, i)
			part.Clause = &ast.Clause{At: c.At, Probes: groups[i : i+1 : i+1], Filter: c.Filter, Body: c.Body, For: c.For}
			out = append(out, &part)
		}
		last := groups[len(groups)-1]
		last.Before = groups[:len(groups)-1]
	}
	if len(out) == 0 {
		return []*clause{c}
	}
	if len(plain) > 0 {
		part := *c
		part.Clause = &ast.Clause{At: c.At, Probes: plain, Filter: c.Filter, Body: c.Body, For: c.For}
		out = append([]*clause{&part}, out...)
	}
	return out
}

// alternatives are those of an attach point: each declared probe alone, the
// others between them together.
func (l *linker) alternatives(m *module, ap *ast.AttachPoint) []*ast.AttachPoint {
	all := []*ast.AttachPoint{ap}
	for _, a := range ap.Or {
		all = append(all, m.ownFamily(a))
	}
	declared := func(a *ast.AttachPoint) bool { return len(m.family(a.Provider)) > 0 }
	if !slices.ContainsFunc(all, declared) || len(all) == 1 {
		return []*ast.AttachPoint{ap}
	}
	var groups []*ast.AttachPoint
	open := false // the last group takes more
	for i, a := range all {
		if open && !declared(a) {
			last := groups[len(groups)-1]
			last.Or = append(last.Or, a)
			last.Span = last.Span.To(a.Span)
			continue
		}
		one := *a
		one.Or, one.Label = nil, cmp.Or(a.Label, ap.Label)
		if i == 0 {
			one.Span.End = one.Span.Start + source.Pos(len(strings.TrimSpace(a.Raw)))
		}
		groups, open = append(groups, &one), !declared(a)
	}
	return groups
}

// ownFamily reads an alternative that the parser took for a part of a kind's name,
// as my:read in "kprobe:f | my:read" is for a module's function, as the declared
// probe of that name, if there is one.
func (m *module) ownFamily(a *ast.AttachPoint) *ast.AttachPoint {
	family, name, ok := strings.Cut(strings.TrimSpace(a.Raw), ":")
	if !ok || a.Provider == family || strings.Contains(name, ":") || len(m.family(family)) == 0 {
		return a
	}
	own := *a
	own.Provider, own.Written = family, family
	own.Parts, own.PartSpans = a.Parts[len(a.Parts)-1:], a.PartSpans[len(a.PartSpans)-1:]
	return &own
}

// firstThatExists is the condition that alternative i is the one to take. Of
// the last it is not asked whether it exists: that none does is an error.
func firstThatExists(groups []*ast.AttachPoint, i int) ast.Expr {
	var all ast.Expr
	for j := range min(i+1, len(groups)-1) {
		ap := groups[j]
		at := ast.At{Span: ap.Span}
		var is ast.Expr = &ast.Call{At: at, Name: "exists", NameSpan: ap.Span, Args: []ast.Expr{&ast.ProbeArg{At: at, Probe: ap}}}
		if j < i {
			is = &ast.Unary{At: at, Op: "!", X: is}
		}
		all = join("&&", all, is)
	}
	return all
}

// onlyIf puts a condition for the whole clause in front of a filter.
func onlyIf(when, filter ast.Expr) ast.Expr {
	if when == nil {
		return filter
	}
	at := ast.At{Span: when.Pos()}
	when = &ast.Comptime{At: at, X: when}
	if filter == nil {
		return when
	}
	return join("&&", when, filter)
}

// condition is what must be true for a clause to be there, or nil.
func (l *linker) condition(c *clause) ast.Expr {
	return (&copier{e: l.expander, link: l}).expr(onlyIf(c.when, nil))
}

// conditions finds for each clause of a library that is needed only by clauses
// with a condition what that is: that one of them comes true.
func (l *linker) conditions() map[*clause]ast.Expr {
	reach := func(from []*clause) map[*clause]bool {
		reached := map[*clause]bool{}
		for len(from) > 0 {
			c := from[len(from)-1]
			from = from[:len(from)-1]
			for _, lib := range l.clauses {
				if l.needed[lib] && lib.mod.isLibrary() && !reached[lib] && l.serves(lib, c) {
					reached[lib] = true
					if lib.when == nil {
						from = append(from, lib)
					}
				}
			}
		}
		return reached
	}
	var always, sometimes []*clause
	for _, c := range l.clauses {
		switch {
		case !l.needed[c]:
		case c.when != nil:
			sometimes = append(sometimes, c)
		case !c.mod.isLibrary():
			always = append(always, c)
		}
	}
	if sometimes == nil {
		return nil
	}
	free := reach(always)
	out := map[*clause]ast.Expr{}
	for _, c := range sometimes {
		for lib := range reach([]*clause{c}) {
			if !free[lib] && lib.when == nil {
				out[lib] = join("||", out[lib], c.when)
			}
		}
	}
	return out
}

// serves reports whether a clause of a library fires what another is on, or
// writes a map that it reads.
func (l *linker) serves(lib, c *clause) bool {
	for _, p := range l.points[c] {
		if slices.Contains(l.fires[lib], p.probe) {
			return true
		}
	}
	return lib.writes(func(m string) bool { return l.readers[m][c] })
}
