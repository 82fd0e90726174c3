package compiler

import (
	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/source"
)

// following adds to a program the clauses by which processes are followed (check.Options.Follow), and to its own clauses the
// filter followed(pid). A script that chooses whose events it counts by mine() has the filter there.
func (p *macros) following(prog *ast.Program) *ast.Program {
	out := *prog
	out.Prelude, out.Clauses = p.parsed().Macros, nil
	for _, c := range p.parsed().Clauses {
		library := *c
		library.For = &ast.Need{Probe: "--only", Written: "--only", Span: prog.Span}
		out.Clauses = append(out.Clauses, &library)
	}
	chooses := callsMine(prog)
	for _, c := range prog.Clauses {
		if !chooses && len(c.Probes) > 0 && c.OnEvents() {
			p.refuseFreed(c)
			own := *c
			own.Filter = ofFollowed(c.Probes[0].Span, c.Filter)
			c = &own
		}
		out.Clauses = append(out.Clauses, c)
	}
	return &out
}

// refuseFreed refuses the probes of pages that are freed: they run in the thread that frees them, and know no other.
func (p *macros) refuseFreed(c *ast.Clause) {
	for _, at := range c.Probes {
		if at.Provider == "page" && len(at.Parts) == 1 && (at.Parts[0] == "wasted" || at.Parts[0] == "removed") {
			p.diags.Errorf(at.Span, "--only cannot tell whose event this is: page:%s runs in the thread that frees the pages", at.Parts[0]).
				Hintf("leave --only out; args.reader of page:wasted is the process for which the pages were read ahead")
		}
	}
}

// ofFollowed is followed(pid), and a filter if there is one.
func ofFollowed(sp source.Span, filter ast.Expr) ast.Expr {
	at := ast.At{Span: sp}
	x := &ast.Call{At: at, Name: builtin.FuncFollowed.Name, NameSpan: sp, Args: []ast.Expr{&ast.Ident{At: at, Name: builtin.VarPid.Name}}}
	if filter == nil {
		return x
	}
	return &ast.Binary{At: ast.At{Span: filter.Pos()}, Op: "&&", OpSpan: sp, X: x, Y: filter}
}

// callsMine reports whether a script asks mine() whose events are meant.
func callsMine(prog *ast.Program) (found bool) {
	ast.Walk(prog, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		found = found || ok && call.Name == "mine"
		return !found
	})
	return found
}
