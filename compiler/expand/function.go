package expand

import (
	"slices"

	"fst/lang/ast"
	"fst/lang/source"
)

// function is what stands for a call of a function: variables for its
// parameters and its result, and the body, which return leaves. inner is the
// copier of the body.
func (c *copier) function(inner *copier, place source.Span, args []ast.Expr) ast.Expr {
	m := inner.macro
	at := ast.At{Span: place}
	out := &ast.Block{At: at}
	for i := range m.Params {
		out.Stmts = append(out.Stmts, inner.param(i, c.expr(args[i])))
	}
	body, value := inner.applied(place)
	out.Stmts, out.Value = append(out.Stmts, body...), value
	return &ast.BlockExpr{At: at, Body: out}
}

// param declares a parameter; value may be nil.
func (c *copier) param(i int, value ast.Expr) ast.Stmt {
	v := c.variable(c.macro.Params[i].(*ast.Var))
	return &ast.Let{At: v.At, Var: v, Type: c.typeExpr(c.macro.Signature.Params[i]), Value: value}
}

// applied is a function's body, with the variable that holds what it returns; value
// is that at the place of the call, or nil.
func (c *copier) applied(place source.Span) (stmts []ast.Stmt, value ast.Expr) {
	m := c.macro
	body := &ast.FuncBody{At: ast.At{Span: c.use.Place(m.Body.Span)}, Body: c.block(m.Body)}
	if !hasValue(m) {
		return []ast.Stmt{body}, nil
	}
	if x := body.Body.Value; x != nil {
		body.Body.Stmts, body.Body.Value = append(body.Body.Stmts, c.keep(x)), nil
	}
	declared := m.Signature.Span
	if m.Signature.Result != nil {
		declared = m.Signature.Result.Span
	}
	v := c.result(c.use.Place(declared))
	return []ast.Stmt{&ast.Let{At: v.At, Var: v, Type: c.typeExpr(m.Signature.Result)}, body}, c.result(place)
}

// result is the variable that holds what the function returns. Messages show
// its name as it is, without a $.
func (c *copier) result(place source.Span) *ast.Var {
	return &ast.Var{At: ast.At{Span: place}, Name: c.varName("what " + c.macro.Name + " returns")}
}

// keep gives the function its value.
func (c *copier) keep(x ast.Expr) ast.Stmt {
	at := ast.At{Span: x.Pos()}
	return &ast.Assign{At: at, Op: "=", Target: c.result(x.Pos()), Value: x}
}

// uncalled is a clause without a probe for each function of the script that
// nothing calls and whose types are all stated, so that it can be checked. If the check is thorough there is one for all
// that nothing calls: what is not known of a parameter is not known of what follows from it either.
func (e *expander) uncalled() []*ast.Clause {
	var out []*ast.Clause
	for _, m := range e.main.prog.Macros {
		s := m.Signature
		stated := s != nil && !slices.Contains(s.Params, nil)
		if e.called[m] || !stated && !e.opts.Thorough {
			continue
		}
		c := (&copier{e: e, mod: e.main}).of(&macro{m, e.main}, m.Span)
		if s == nil {
			out = append(out, &ast.Clause{At: m.At, Body: c.withoutArguments()})
			continue
		}
		body := &ast.Block{At: m.Body.At}
		for i, p := range m.Params {
			var value ast.Expr
			if s.Params[i] == nil {
				value = nothing(p)
			}
			body.Stmts = append(body.Stmts, c.param(i, value))
		}
		stmts, _ := c.applied(m.Span)
		body.Stmts = append(body.Stmts, stmts...)
		out = append(out, &ast.Clause{At: m.At, Body: body})
	}
	return out
}

// withoutArguments is a macro's body with parameters of which nothing is known.
func (c *copier) withoutArguments() *ast.Block {
	given := &ast.Refused{At: c.macro.At}
	for _, p := range c.macro.Params {
		switch p := p.(type) {
		case *ast.Var:
			given.Args = append(given.Args, c.variable(p))
		case *ast.Map:
			c.maps[p.Name] = p.Name + c.suffix
			m := dup(c, p)
			m.Name = c.maps[p.Name]
			given.Args = append(given.Args, m)
		case *ast.Ident:
			c.idents[p.Name] = func(at source.Span) ast.Expr { return &ast.Refused{At: ast.At{Span: at}} }
		}
	}
	body := *c.block(c.macro.Body)
	body.Stmts = append([]ast.Stmt{&ast.ExprStmt{At: c.macro.At, X: given}}, body.Stmts...)
	return &body
}

// checkReturns reports what a function returns in spite of its type, or fails
// to return.
func (e *expander) checkReturns(m *ast.Macro) {
	s := m.Signature
	if s == nil {
		return
	}
	if s.IsVoid() {
		ast.Walk(m.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.Return); ok && r.Value != nil {
				e.errorf(r.Value.Pos(), "the function %s is void, so it can't return a value", m.Name).Hintf("write its type instead of void").
					Notef(s.Result.Span, "it is declared here")
			}
			return true
		})
		return
	}
	if s.Result == nil && !hasValue(m) {
		return
	}
	ast.Walk(m.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.Return); ok && r.Value == nil {
			e.errorf(r.Span, "the function %s has a value, so it must return one here", m.Name).Hintf("write return 0")
		}
		return true
	})
	if !ends(m.Body) {
		e.errorf(s.Span, "the function %s may end without returning a value", m.Name).Hintf("let its last statement be return")
	}
}

// hasValue reports whether a call of a function has a value.
func hasValue(m *ast.Macro) bool {
	if m.Signature.Result != nil {
		return !m.Signature.IsVoid()
	}
	found := m.Body.Value != nil
	ast.Walk(m.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.Return); ok && r.Value != nil {
			found = true
		}
		return !found
	})
	return found
}

// ends reports whether nothing gets to the end of a block, or a value is there.
func ends(b *ast.Block) bool {
	if b == nil {
		return false
	}
	if b.Value != nil {
		return true
	}
	if len(b.Stmts) == 0 {
		return false
	}
	switch s := b.Stmts[len(b.Stmts)-1].(type) {
	case *ast.Return:
		return true
	case *ast.BlockStmt:
		return ends(s.Body)
	case *ast.If:
		return ends(s.Then) && ends(s.Else)
	}
	return false
}
