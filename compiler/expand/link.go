package expand

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/lang/ast"
	"fst/lang/diag"
)

// linker replaces declared probes: where a clause fires one, the clauses on it
// are put in. Of a library the program gets what it needs, no more:
//
//   - the clauses that fire a probe which some clause is on;
//   - of the fields of a probe, those that some clause on it reads;
//   - the clauses that write a map of the library which the others read.
//
// Everything else of a library, down to the statements that fire a probe
// nobody is on or write a map nobody reads, is left out. What is needed is
// found by starting with the script's own clauses and adding until nothing is
// missing.
type linker struct {
	*expander
	clauses []*clause
	// points are the declared probes that the attach points of a clause name.
	points map[*clause][]point
	// misnamed are attach points that name no probe of their family, or one that
	// nothing fires, which was reported.
	misnamed map[*ast.AttachPoint]bool
	fires    map[*clause][]*ast.Probe

	needed map[*clause]bool
	on     map[*ast.Probe][]listener // by clauses that are needed, in order
	useful map[*ast.If]bool          // those that are not dead
	heard  map[string]bool           // the titles of the probes in on
	fields map[*ast.Probe]map[string]bool
	live   map[string]bool // maps of libraries that are read
	// readers are the clauses that read each of them.
	readers map[string]map[*clause]bool
	grew    bool
	// only is the condition of clauses that not all need (conditions).
	only map[*clause]ast.Expr

	emitted map[*clause]bool
	out     []*ast.Clause
	blind   []*ast.Clause // those of out that have misnamed probes only
	// firing are the probes being put in.
	firing []*ast.Probe
	// asking are the clauses for whose probes exists is being found.
	asking []*clause
}

// point is an attach point that names a declared probe.
type point struct {
	at    *ast.AttachPoint
	probe *ast.Probe
}

// listener is a clause on a declared probe.
type listener struct {
	*clause
	point
}

func newLinker(e *expander) *linker {
	l := &linker{expander: e, points: map[*clause][]point{}, misnamed: map[*ast.AttachPoint]bool{}, fires: map[*clause][]*ast.Probe{}, needed: map[*clause]bool{},
		fields: map[*ast.Probe]map[string]bool{}, live: map[string]bool{}, readers: map[string]map[*clause]bool{}, emitted: map[*clause]bool{}, useful: map[*ast.If]bool{}}
	for _, m := range e.order {
		clauses := m.clauses
		m.clauses = nil
		for _, c := range clauses {
			m.clauses = append(m.clauses, l.split(c)...)
		}
		l.clauses = append(l.clauses, m.clauses...)
	}
	for _, c := range l.clauses {
		l.resolve(c)
	}
	return l
}

// resolve finds the declared probes that a clause is on and fires.
func (l *linker) resolve(c *clause) {
	for _, ap := range c.Probes {
		if probes, ok := l.find(c.mod, ap); ok {
			l.misnamed[ap] = len(probes) == 0
			for _, p := range probes {
				l.points[c] = append(l.points[c], point{ap, p})
			}
		}
	}
	ast.Walk(c.Clause, func(n ast.Node) bool {
		f, ok := n.(*ast.Fire)
		if !ok {
			return true
		}
		if p := l.fired(c.mod, f); p != nil {
			l.fires[c] = append(l.fires[c], p)
		}
		return true
	})
}

// fired is the probe that a statement fires; its fields are checked.
func (l *linker) fired(m *module, f *ast.Fire) *ast.Probe {
	p := m.family(f.Family)[f.Name]
	if p == nil {
		l.errorf(f.NameSpan, "the probe %s:%s is not declared", f.Family, f.Name).Hintf("declare it: probe %s:%s(...);", f.Family, f.Name)
		return nil
	}
	var missing []string
	for _, want := range p.Fields {
		if !slices.Contains(f.Fields.Names, want.Name) {
			missing = append(missing, want.Name)
		}
	}
	if len(missing) > 0 {
		l.errorf(f.NameSpan, "%s is fired without %s", p.Title(), strings.Join(missing, ", ")).Hintf("add %s = ...", missing[0]).
			Notef(p.Span, "its fields are declared here")
	}
	for i, name := range f.Fields.Names {
		if fieldOf(p, name) == nil {
			d := l.errorf(f.Fields.Values[i].Pos(), "%s has no field %s", p.Title(), name).Hintf("it has %s", fieldList(p)).Notef(p.Span, "its fields are declared here")
			if near := nearField(p, name); near != "" {
				d.Hintf("did you mean %s?", near)
			}
		}
	}
	return p
}

// nearField is the field that a misspelt name may stand for, or empty.
func nearField(p *ast.Probe, name string) string {
	var names []string
	for _, f := range p.Fields {
		names = append(names, f.Name)
	}
	return diag.Nearest(name, names)
}

func fieldOf(p *ast.Probe, name string) *ast.ProbeField {
	for _, f := range p.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// link returns the clauses of the program.
func (l *linker) link() []*ast.Clause {
	for _, c := range l.main.clauses {
		l.needed[c] = true
	}
	for l.grew = true; l.grew; {
		l.grew = false
		l.on, l.heard = map[*ast.Probe][]listener{}, map[string]bool{}
		for _, c := range l.clauses {
			if l.needed[c] {
				for _, p := range l.points[c] {
					l.on[p.probe] = append(l.on[p.probe], listener{c, p})
					l.heard[p.probe.Title()] = true
				}
			}
		}
		for _, c := range l.clauses {
			if l.needed[c] {
				l.scan(c)
			}
		}
		for _, c := range l.clauses {
			if !l.needed[c] && l.wanted(c) {
				l.needed[c], l.grew = true, true
			}
		}
	}
	fired := map[*ast.Probe]bool{}
	for _, c := range l.clauses {
		for _, p := range l.fires[c] {
			fired[p] = true
		}
	}
	for _, c := range l.clauses {
		for _, p := range l.points[c] {
			if l.needed[c] && !fired[p.probe] {
				l.errorf(p.at.Span, "no clause fires %s", p.probe.Title()).Hintf("write fire %s(...); in the clause that sees it happen", p.probe.Title()).
					Notef(p.probe.Span, "it is only declared here")
				l.misnamed[p.at] = true
			}
		}
	}
	l.only = l.conditions()
	for _, c := range l.main.clauses {
		l.emit(c, nil)
	}
	return l.out
}

// wanted reports whether a clause of a library fires or writes what is needed.
func (l *linker) wanted(c *clause) bool {
	for _, p := range l.fires[c] {
		if len(l.on[p]) > 0 {
			return true
		}
	}
	return c.writes(func(m string) bool { return l.live[m] })
}

// emit adds a clause to the program, behind what it needs of libraries. need
// says for which attach point of the script a clause of a library is there.
func (l *linker) emit(c *clause, need *ast.Need) {
	if l.emitted[c] {
		return
	}
	l.emitted[c] = true
	if need != nil {
		need = l.needOf(c, need)
	}
	for _, p := range l.points[c] {
		n := need
		if n == nil {
			n = p.need()
		}
		for _, lib := range l.clauses {
			if slices.Contains(l.fires[lib], p.probe) {
				l.emitLibrary(lib.mod, n)
			}
		}
	}
	misnamed := false
	plain := &ast.Clause{At: c.At, For: cmp.Or(need, c.For)}
	if c.use != nil && need != nil {
		c.use.What, c.use.At = "the definition of "+need.Probe, need.Span
	}
	for _, ap := range c.Probes {
		misnamed = misnamed || l.misnamed[ap]
		if !l.misnamed[ap] && !slices.ContainsFunc(l.points[c], func(p point) bool { return p.at == ap }) {
			plain.Probes = append(plain.Probes, ap)
		}
	}
	if len(plain.Probes) == 0 && !misnamed {
		return
	}
	cp := &copier{e: l.expander, link: l}
	plain.Filter, plain.Body = cp.expr(onlyIf(l.only[c], onlyIf(c.when, c.Filter))), cp.block(c.Body)
	if len(plain.Probes) == 0 {
		l.blind = append(l.blind, plain)
		return
	}
	l.out = append(l.out, plain)
}

// needOf is the attach point of the script that is on what a clause of a library
// fires. Without one it is there for what the library was asked for first.
func (l *linker) needOf(c *clause, first *ast.Need) *ast.Need {
	for _, own := range l.main.clauses {
		for _, p := range l.points[own] {
			if slices.Contains(l.fires[c], p.probe) {
				return p.need()
			}
		}
	}
	return first
}

func (p point) need() *ast.Need {
	return &ast.Need{Probe: p.probe.Title(), Written: p.at.Raw, Span: p.at.Span}
}

// emitLibrary adds the clauses of a library that are needed, in its order.
func (l *linker) emitLibrary(m *module, need *ast.Need) {
	if !m.isLibrary() {
		return
	}
	for _, c := range m.clauses {
		if l.needed[c] {
			l.emit(c, need)
		}
	}
}

// exists is the condition under which a declared probe can work here: each
// clause that fires it must have a place; nil if ap is of no such family.
func (l *linker) exists(at *ast.Call, ap *ast.AttachPoint) ast.Expr {
	var all ast.Expr
	found, family := false, false
	for _, m := range l.order {
		probes, ok := m.family(ap.Provider), false
		if len(probes) > 0 && !family {
			if family = true; len(ap.Parts) != 1 {
				l.find(m, ap) // says what is wrong
			}
		}
		for _, p := range probes {
			if len(ap.Parts) != 1 || !target.Match(ap.Parts[0], p.Name) {
				continue
			}
			ok = true
			for _, c := range l.clauses {
				if !slices.Contains(l.fires[c], p) {
					continue
				}
				if slices.Contains(l.asking, c) { // it would need to have fired already
					all = join("&&", all, &ast.BoolLit{At: at.At})
					continue
				}
				l.asking = append(l.asking, c)
				for _, part := range c.Probes {
					if part.Provider == "report" { // which needs no place
						all = join("&&", all, &ast.BoolLit{At: at.At, Value: true})
						continue
					}
					all = join("&&", all, l.existsAny(at, part))
				}
				l.asking = l.asking[:len(l.asking)-1]
			}
		}
		if found = ok; found {
			break
		}
	}
	switch {
	case !family:
		return nil
	case !found, all == nil:
		return &ast.Comptime{At: at.At, X: &ast.BoolLit{At: at.At}}
	}
	return all
}

// existsAny is exists of an attach point or one of its alternatives.
func (l *linker) existsAny(at *ast.Call, ap *ast.AttachPoint) ast.Expr {
	var any ast.Expr
	for _, a := range append([]*ast.AttachPoint{ap}, ap.Or...) {
		one := *a
		one.Or = nil
		call := &ast.Call{At: at.At, Name: "exists", NameSpan: at.NameSpan, Args: []ast.Expr{&ast.ProbeArg{At: at.At, Probe: &one}}}
		if inner := l.exists(at, &one); inner != nil {
			any = join("||", any, inner)
		} else {
			any = join("||", any, call)
		}
	}
	return any
}

func join(op string, a, b ast.Expr) ast.Expr {
	if a == nil {
		return b
	}
	return &ast.Binary{At: ast.At{Span: b.Pos()}, Op: op, OpSpan: b.Pos(), X: a, Y: b}
}

// number is a new suffix for variables.
func (e *expander) number() string {
	e.copies++
	return "#" + strconv.Itoa(e.copies)
}
