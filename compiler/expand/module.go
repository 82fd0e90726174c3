package expand

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"fst/compiler/target"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// module is a part of the program with maps of its own: the script with what it
// imports, a file among those that declares probes (a library), or a part of the
// standard library. The first two see each other's macros, #defines and probes,
// all see the probes of the standard library.
type module struct {
	e *expander
	// name is put behind the names of maps; empty for the script itself.
	name    string
	prog    *ast.Program
	macros  map[string][]*macro
	defines map[string]*define
	probes  map[string]map[string]*ast.Probe // by family and name
	// families has the modules of the standard library that attach points of
	// this one name.
	families map[string]*module

	clauses  []*clause
	mapDecls []*ast.MapDecl
}

// clause is a clause with its macros expanded.
type clause struct {
	*ast.Clause
	mod     *module
	written *ast.Clause
	use     *source.Use // of a library's clause
	// when is what must be true while compiling, if it is one of the clauses
	// that one with alternatives was split into, or nil.
	when ast.Expr
}

// isLibrary reports whether only what is needed of the module counts.
func (m *module) isLibrary() bool { return m.name != "" }

// mapName is the program's name for a map of the module.
func (m *module) mapName(name string) string {
	if m.name == "" {
		return name
	}
	return name + "#" + m.name
}

// load makes a module of a tree.
func (e *expander) load(prog *ast.Program, name string) *module {
	if m := e.mods[prog]; m != nil {
		return m
	}
	m := &module{e: e, name: name, prog: prog, macros: map[string][]*macro{}, defines: map[string]*define{},
		probes: map[string]map[string]*ast.Probe{}, families: map[string]*module{}}
	e.mods[prog] = m
	e.order = append(e.order, m)
	if e.prelude == nil && len(prog.Prelude) > 0 {
		e.prelude = &module{e: e, name: "prelude", prog: &ast.Program{}, macros: map[string][]*macro{}}
		for _, x := range prog.Prelude {
			e.addMacro(e.prelude, x)
		}
	}
	for _, d := range prog.Defines {
		m.defines[d.Name] = &define{d, m}
	}
	for _, x := range prog.Macros {
		e.addMacro(m, x)
	}
	for _, p := range prog.Probes {
		if first := m.probes[p.Family][p.Name]; first != nil {
			e.errorf(p.Span, "the probe %s is declared twice", p.Title()).Hintf("remove one of the declarations, or give it another name").
				Notef(first.Span, "the first declaration is here")
			continue
		}
		if m.probes[p.Family] == nil {
			m.probes[p.Family] = map[string]*ast.Probe{}
		}
		m.probes[p.Family][p.Name] = p
	}
	return m
}

// loadFamilies loads the parts of the standard library that attach points name.
func (e *expander) loadFamilies() {
	for i := 0; i < len(e.order); i++ {
		m := e.order[i]
		ask := func(ap *ast.AttachPoint) {
			for _, a := range append([]*ast.AttachPoint{ap}, ap.Or...) {
				e.loadFamily(m, a.Provider)
			}
		}
		ast.Walk(m.prog, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AttachPoint:
				ask(n)
			case *ast.Fire:
				e.loadFamily(m, n.Family)
			}
			return true
		})
	}
}

func (e *expander) loadFamily(m *module, family string) {
	if e.opts.Families == nil || m.families[family] != nil {
		return
	}
	prog := e.opts.Families.Family(family)
	if prog == nil {
		return
	}
	lib := e.load(prog, family)
	m.families[family] = lib
	if lib == m {
		return
	}
	for _, p := range m.probes[family] {
		e.errorf(p.Span, "%s: is a family of probes of the standard library", family).Hintf("choose another name")
	}
}

// family lists the probes of a family that the module can name, by name.
func (m *module) family(name string) map[string]*ast.Probe {
	found := map[string]*ast.Probe{}
	if lib := m.families[name]; lib != nil {
		maps.Copy(found, lib.probes[name])
	}
	for _, other := range m.seen() {
		maps.Copy(found, other.probes[name])
	}
	return found
}

// seen are the modules whose names the module can use, itself first.
func (m *module) seen() []*module {
	out := []*module{m}
	if !slices.Contains(m.e.user, m) {
		return out
	}
	for _, other := range m.e.user {
		if other != m {
			out = append(out, other)
		}
	}
	return out
}

// findMacros lists the macros of a name that the module can call: its own, which come
// first, and those of the prelude.
func (m *module) findMacros(name string) (own, prelude []*macro) {
	if m.e.prelude != nil {
		prelude = m.e.prelude.macros[strings.TrimPrefix(name, ofPrelude)]
	}
	for _, other := range m.seen() {
		if own = other.macros[name]; len(own) > 0 {
			break
		}
	}
	return own, prelude
}

// ofPrelude stands before the name of a macro that must be the prelude's.
const ofPrelude = "prelude:"

func (m *module) findDefine(name string) *define {
	for _, other := range m.seen() {
		if d := other.defines[name]; d != nil {
			return d
		}
	}
	return nil
}

// traceCategories are the families that share their name with a category of
// the kernel's trace events.
var traceCategories = map[string]bool{"sched": true, "net": true}

// find lists the declared probes that an attach point names. ok is false if
// its provider is no family of declared probes; an error is then left to the
// checker, which knows all kinds of probes.
func (e *expander) find(m *module, ap *ast.AttachPoint) (probes []*ast.Probe, ok bool) {
	all := m.family(ap.Provider)
	if len(all) == 0 {
		return nil, false
	}
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool { return all[names[i]].Span.Start < all[names[j]].Span.Start })
	sp := ap.Span
	if len(ap.PartSpans) > 0 {
		sp = ap.PartSpans[0]
	}
	if len(ap.Parts) != 1 {
		d := e.errorf(ap.Span, "this probe is not complete or has too many parts").Hintf("it is written %s:NAME, where NAME is %s", ap.Provider, strings.Join(names, ", "))
		if instead := parse.Foreign(ap.Raw); instead != "" {
			d.Hintf("write %s", instead)
		}
		return nil, true
	}
	for _, n := range names {
		if target.Match(ap.Parts[0], n) {
			probes = append(probes, all[n])
		}
	}
	if len(probes) == 0 {
		d := e.errorf(sp, "there is no probe %s:%s", ap.Provider, ap.Parts[0])
		if near := diag.Nearest(ap.Parts[0], names); near != "" {
			d.Hintf("did you mean %s:%s?", ap.Provider, near)
		} else {
			d.Hintf("there are %s", strings.Join(names, ", "))
			if traceCategories[ap.Provider] {
				d.Hintf("the kernel's own event is tracepoint:%s:%s; the probes %s: are %s", ap.Provider, ap.Parts[0], ap.Provider, strings.Join(names, ", "))
			}
		}
	}
	return probes, true
}
