// Package expand makes one plain program of a script and its libraries: no
// macros, no #defines, no imports and no probes but those of the kernel.
//
// Macros are hygienic: the variables of a macro's body never meet those of
// its caller, and a map is reachable only if it is passed. A parameter $v
// stands for the caller's variable, @m for the caller's map, and a bare word
// for the argument's expression, which is put in at each use. A call becomes
// a block expression, or the body's value alone if the body is nothing else.
//
// Probes that a script or a library declares and fires are replaced by the
// clauses that fire them, with the bodies of the clauses on them put in at
// that place; link.go says how.
//
// It must not import the checker or anything of the kernel.
package expand

import (
	"strconv"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// maxNodes bounds the size of an expanded program: a few macros that call each
// other twice would otherwise fill the memory.
const maxNodes = 50_000

// maxCalls is how many macros and functions may be within each other.
const maxCalls = 200

// Families finds the parts of the standard library.
type Families interface {
	// Family is the part that declares a family of probes, or nil. It returns
	// the same tree when asked again.
	Family(name string) *ast.Program
}

// Options are what an expansion depends on besides the script.
type Options struct {
	Families Families // nil: there is no standard library
	// Sources has the texts; without it, places say nothing of where a macro
	// was called.
	Sources *source.Set
	// PID is the process that -p names, or 0: clauses on probes of a library
	// are limited to it by the process that their event belongs to.
	PID int
	// Thorough has what nothing calls be checked as far as that is possible without a call, too.
	Thorough bool
}

// expander is the state of one Expand.
type expander struct {
	diags *diag.List
	opts  Options
	main  *module
	// prelude has the macros of the standard library that all may call; nil if there
	// are none.
	prelude *module
	mods    map[*ast.Program]*module
	order   []*module // the script first
	user    []*module // those of order that are not the standard library's
	// copies numbers the expansions: each has variables of its own.
	copies int
	called map[*ast.Macro]bool
	nodes  int
	full   bool // maxNodes was reported
}

// Expand returns a program without calls of macros, names that are #defined,
// imports, and probes that are declared. The given tree is not changed; parts
// that need no change may be shared.
func Expand(prog *ast.Program, opts Options, diags *diag.List) *ast.Program {
	e := &expander{diags: diags, opts: opts, mods: map[*ast.Program]*module{}, called: map[*ast.Macro]bool{}}
	e.main = e.load(prog, "")
	for i, lib := range prog.Libraries {
		e.load(lib, strconv.Itoa(i+1))
	}
	e.user = e.order
	e.loadFamilies()
	for _, m := range e.order {
		e.expandModule(m)
	}
	out := *prog
	out.Probes, out.Imports, out.Libraries = nil, nil, nil
	out.MapDecls, out.CTypes, out.Typedefs = nil, nil, nil
	out.Uncalled = e.uncalled()
	l := newLinker(e)
	out.Clauses = l.link()
	out.Uncalled = append(out.Uncalled, l.blind...)
	for _, c := range e.main.clauses {
		for _, p := range l.points[c] {
			out.Declared = append(out.Declared, &ast.Need{Probe: p.probe.Title(), Span: p.at.Span, When: l.condition(c)})
		}
	}
	for _, m := range e.order {
		out.CTypes = append(out.CTypes, m.prog.CTypes...)
		out.Typedefs = append(out.Typedefs, m.prog.Typedefs...)
		for _, d := range m.mapDecls {
			if !m.isLibrary() || l.live[d.Name] {
				out.MapDecls = append(out.MapDecls, d)
			}
		}
	}
	return &out
}

// expandModule expands the clauses and map declarations of a module.
func (e *expander) expandModule(m *module) {
	for _, c := range m.prog.Clauses {
		cp := &copier{e: e, mod: m}
		n := *c
		var use *source.Use
		if m.isLibrary() {
			// What needs the clause is known when it is put in.
			use = e.use(c.Span, "", source.Span{})
			cp.use, n.Span, n.Probes = use, use.Place(c.Span), cp.points(c.Probes)
		}
		n.Filter = cp.expr(c.Filter)
		n.Body = cp.block(c.Body)
		m.clauses = append(m.clauses, &clause{mod: m, Clause: &n, written: c, use: use})
	}
	for _, d := range m.prog.MapDecls {
		n := *d
		n.Name = m.mapName(d.Name)
		n.Max = (&copier{e: e, mod: m}).expr(d.Max)
		m.mapDecls = append(m.mapDecls, &n)
	}
}

// use gives positions to a use of a text.
func (e *expander) use(text source.Span, what string, at source.Span) *source.Use {
	if e.opts.Sources == nil {
		return nil
	}
	return e.opts.Sources.Use(text, what, at)
}

// argument gives positions to an argument that is put in for a parameter.
func (e *expander) argument(text source.Span, what string, at source.Span) *source.Use {
	if e.opts.Sources == nil {
		return nil
	}
	return e.opts.Sources.Argument(text, what, at)
}

// nothing stands for an expression that could not be expanded, which was
// reported.
func nothing(at ast.Node) ast.Expr { return &ast.Refused{At: ast.At{Span: at.Pos()}} }

// uncall stands for a call that could not be expanded.
func (c *copier) uncall(at ast.Node, args []ast.Expr) ast.Expr {
	r := &ast.Refused{At: ast.At{Span: c.use.Place(at.Pos())}}
	for _, a := range args {
		r.Args = append(r.Args, c.expr(a))
	}
	return r
}

// errorf reports an error.
func (e *expander) errorf(sp source.Span, format string, args ...any) *diag.Diagnostic {
	return e.diags.Errorf(sp, format, args...)
}
