package parse

import (
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// IsStatements reports whether a text is statements, or a value, rather than
// clauses and declarations. A text that is wrong as both is taken for what it
// begins like.
func IsStatements(text string) bool {
	isRight := func(o Options) bool {
		var set source.Set
		var diags diag.List
		ParseWith(set.Add("input", text), o, &diags)
		return !diags.HasErrors()
	}
	switch {
	case isRight(Options{}):
		return false
	case isRight(Options{Statements: true}):
		return true
	}
	var set source.Set
	p := newParser(set.Add("input", text), &diag.List{})
	i, _ := p.skip(0, false)
	return !p.looksLikeClause(i) && !p.looksLikeDeclaration(i)
}

// statements parses a text without clauses as the body of one that runs once.
func (p *parser) statements() {
	t := p.tokens(0, len(p.text), "")
	t.bare = true
	b := &ast.Block{}
	ok := true
	for {
		for t.accept(";") {
		}
		if t.Peek().EOF() {
			break
		}
		demote(b)
		before, first := t.Cursor(), t.Peek()
		if t.is("}") {
			p.errorf(t.here(), "this '}' closes nothing").Hint = "remove it, or look for an extra '}' above"
			return
		}
		if !p.try(func() { t.stmt(b) }) {
			ok, t.depth = false, 0
			t.recover(before, first)
		}
	}
	if !ok {
		return
	}
	whole := p.f.Span(0, len(p.text))
	b.Span = whole
	if v := b.Value; v != nil && p.opts.Show {
		b.Value = nil
		call := &ast.Call{At: ast.At{Span: v.Pos()}, Name: "print", NameSpan: v.Pos(), Args: []ast.Expr{v}}
		b.Stmts = append(b.Stmts, &ast.ExprStmt{At: call.At, X: call})
	}
	demote(b)
	begin := &ast.AttachPoint{At: ast.At{Span: whole}, Provider: "begin", Written: "begin", Raw: "begin"}
	p.prog.Clauses = append(p.prog.Clauses, &ast.Clause{At: ast.At{Span: whole}, Probes: []*ast.AttachPoint{begin}, Body: b})
}
