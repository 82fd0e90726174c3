// Package expand replaces calls of macros by their bodies. It makes new trees
// and never writes to the ones it is given.
//
// Macros are hygienic: a $variable of the body can't meet one of the caller
// (it gets a name that no script can write), and a map is reached only if it
// was passed in.
//
// It imports the tree and diagnostics only.
package expand

import (
	"fmt"
	"strings"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// maxDepth bounds macros that call macros.
const maxDepth = 32

// Expand returns prog with every macro call replaced. Errors (no such form of
// a macro, recursion) go to diags.
func Expand(prog *ast.Program, diags *diag.List) *ast.Program {
	x := &expander{macros: map[string][]*ast.Macro{}, diags: diags}
	for _, m := range prog.Macros {
		x.macros[m.Name] = append(x.macros[m.Name], m)
	}
	if len(prog.Macros) == 0 {
		return prog
	}
	out := *prog
	out.Clauses = make([]*ast.Clause, len(prog.Clauses))
	for i, c := range prog.Clauses {
		n := *c
		n.Filter = x.expr(c.Filter, nil)
		n.Body = x.block(c.Body, nil)
		out.Clauses[i] = &n
	}
	return &out
}

type expander struct {
	macros map[string][]*ast.Macro
	diags  *diag.List
	calls  int // expansions so far: what makes names unique
}

// env is what the names of a macro's body stand for; nil outside of macros.
type env struct {
	macro  *ast.Macro
	vars   map[string]*ast.Var // by-reference parameters
	maps   map[string]*ast.Map
	exprs  map[string]ast.Expr
	caller *env
	suffix string
	depth  int
}

func (e *env) depthOf() int {
	if e == nil {
		return 0
	}
	return e.depth
}

// running reports whether m is being expanded already.
func (e *env) running(m *ast.Macro) bool {
	for ; e != nil; e = e.caller {
		if e.macro == m {
			return true
		}
	}
	return false
}

// call expands name(args), or returns nil if name is no macro.
func (x *expander) call(at, nameAt source.Span, name string, args []ast.Expr, e *env) *ast.BlockExpr {
	forms := x.macros[name]
	if len(forms) == 0 {
		return nil
	}
	var m *ast.Macro
	for _, f := range forms {
		if fits(f, args) {
			m = f
			break
		}
	}
	empty := &ast.BlockExpr{At: ast.At{Span: at}, Body: &ast.Block{At: ast.At{Span: at}}}
	switch {
	case m == nil:
		d := x.diags.Errorf(at, "no form of macro %s takes these arguments", name)
		d.Hintf("it is called as %s", strings.Join(signatures(forms), " or "))
		d.Notef(forms[0].Span, "it is defined here")
		return empty
	case e.running(m):
		x.diags.Errorf(nameAt, "macro %s calls itself", name).Hintf("macros are pasted in, so they can't recurse: use a loop")
		return empty
	case e.depthOf() >= maxDepth:
		x.diags.Errorf(nameAt, "macros call each other more than %d deep", maxDepth)
		return empty
	}
	x.calls++
	in := &env{macro: m, vars: map[string]*ast.Var{}, maps: map[string]*ast.Map{}, exprs: map[string]ast.Expr{},
		caller: e, suffix: fmt.Sprintf("·%s%d", name, x.calls), depth: e.depthOf() + 1}
	for i, p := range m.Params {
		switch p := p.(type) {
		case *ast.Var:
			in.vars[p.Name] = x.expr(args[i], e).(*ast.Var)
		case *ast.Map:
			in.maps[p.Name] = x.expr(args[i], e).(*ast.Map)
		case *ast.Ident:
			in.exprs[p.Name] = args[i]
		}
	}
	return &ast.BlockExpr{At: ast.At{Span: at}, Body: x.block(m.Body, in)}
}

// fits tells whether a macro's parameters accept the arguments by their kinds.
func fits(m *ast.Macro, args []ast.Expr) bool {
	if len(m.Params) != len(args) {
		return false
	}
	for i, p := range m.Params {
		switch p.(type) {
		case *ast.Var:
			if _, ok := args[i].(*ast.Var); !ok {
				return false
			}
		case *ast.Map:
			if a, ok := args[i].(*ast.Map); !ok || a.Keys != nil {
				return false
			}
		}
	}
	return true
}

func signatures(forms []*ast.Macro) []string {
	var out []string
	for _, m := range forms {
		var ps []string
		for _, p := range m.Params {
			switch p := p.(type) {
			case *ast.Var:
				ps = append(ps, "$"+p.Name)
			case *ast.Map:
				ps = append(ps, "@"+p.Name)
			case *ast.Ident:
				ps = append(ps, p.Name)
			}
		}
		out = append(out, m.Name+"("+strings.Join(ps, ", ")+")")
	}
	return out
}

// variable gives a $variable the name that it has where the body is pasted.
func (x *expander) variable(v *ast.Var, e *env) *ast.Var {
	if e == nil {
		return &ast.Var{At: v.At, Name: v.Name}
	}
	if actual, ok := e.vars[v.Name]; ok {
		return &ast.Var{At: actual.At, Name: actual.Name}
	}
	return &ast.Var{At: v.At, Name: v.Name + e.suffix}
}

func (x *expander) mapExpr(m *ast.Map, e *env) *ast.Map {
	n := *m
	n.Keys = x.exprs(m.Keys, e)
	if e != nil {
		if actual, ok := e.maps[m.Name]; ok {
			n.Name = actual.Name
		} else {
			x.diags.Errorf(m.Span, "macro %s uses @%s, which was not passed to it", e.macro.Name, m.Name).
				Hintf("add @%s to the macro's parameters", m.Name)
		}
	}
	return &n
}

// ident substitutes an expression parameter, or a macro without arguments.
func (x *expander) ident(id *ast.Ident, e *env) ast.Expr {
	if e != nil {
		if arg, ok := e.exprs[id.Name]; ok {
			return x.expr(arg, e.caller)
		}
	}
	if b := x.bare(id, e); b != nil {
		return b
	}
	return id
}

// bare expands "name" if name is a macro that can be called without arguments.
func (x *expander) bare(id *ast.Ident, e *env) ast.Expr {
	for _, m := range x.macros[id.Name] {
		if len(m.Params) == 0 {
			return x.call(id.Span, id.Span, id.Name, nil, e)
		}
	}
	return nil
}
