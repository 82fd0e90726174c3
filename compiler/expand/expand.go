// Package expand replaces the macros and #defines of a program by what they
// stand for.
//
// Macros are hygienic: the variables of a macro's body never meet those of
// its caller, and a map is reachable only if it is passed. A parameter $v
// stands for the caller's variable, @m for the caller's map, and a bare word
// for the argument's expression, which is put in at each use. A call becomes
// a block expression, or the body's value alone if the body is nothing else.
//
// It must not import the checker or anything of the kernel.
package expand

import (
	"fmt"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/diag"
)

// maxNodes bounds the size of an expanded program: a few macros that call each
// other twice would otherwise fill the memory.
const maxNodes = 200_000

// expander is the state of one Expand.
type expander struct {
	diags   *diag.List
	macros  map[string][]*ast.Macro
	defines map[string]*ast.Define
	// copies numbers the expansions: each has variables of its own.
	copies int
	nodes  int
	full   bool // maxNodes was reported
}

// Expand returns a program without calls of macros and without names that are
// #defined. The given tree is not changed; parts that need no change may be
// shared.
func Expand(prog *ast.Program, diags *diag.List) *ast.Program {
	e := &expander{diags: diags, macros: map[string][]*ast.Macro{}, defines: map[string]*ast.Define{}}
	for _, d := range prog.Defines {
		e.defines[d.Name] = d
	}
	for _, m := range prog.Macros {
		e.addMacro(m)
	}
	out := *prog
	out.Clauses = make([]*ast.Clause, len(prog.Clauses))
	for i, c := range prog.Clauses {
		cp := &copier{e: e}
		n := *c
		n.Filter = cp.expr(c.Filter)
		n.Body = cp.block(c.Body)
		out.Clauses[i] = &n
	}
	out.MapDecls = make([]*ast.MapDecl, len(prog.MapDecls))
	for i, d := range prog.MapDecls {
		n := *d
		n.Max = (&copier{e: e}).expr(d.Max)
		out.MapDecls[i] = &n
	}
	return &out
}

// VarName is the name of a variable as its author wrote it: variables of
// macros carry the number of their expansion.
func VarName(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

func (e *expander) addMacro(m *ast.Macro) {
	seen := map[string]bool{}
	for _, p := range m.Params {
		if n := paramName(p); seen[n] {
			e.diags.Errorf(p.Pos(), "the macro %s has two parameters called %s", m.Name, n)
		} else {
			seen[n] = true
		}
	}
	for _, other := range e.macros[m.Name] {
		if overlap(m, other) {
			e.diags.Errorf(m.Span, "the macro %s is defined twice for the same arguments", m.Name).
				Hintf("definitions of one name differ in the number of parameters, or in one that is a $variable here and a @map there").
				Notef(other.Span, "the first definition is here")
			return
		}
	}
	e.macros[m.Name] = append(e.macros[m.Name], m)
}

func paramName(p ast.Expr) string {
	switch p := p.(type) {
	case *ast.Var:
		return "$" + p.Name
	case *ast.Map:
		return "@" + p.Name
	case *ast.Ident:
		return p.Name
	}
	return ""
}

// overlap reports whether there are arguments that fit both macros.
func overlap(a, b *ast.Macro) bool {
	if len(a.Params) != len(b.Params) {
		return false
	}
	for i := range a.Params {
		if k, l := kindOf(a.Params[i]), kindOf(b.Params[i]); k != l && k != 'e' && l != 'e' {
			return false
		}
	}
	return true
}

// kindOf is '$', '@' or 'e' (an expression).
func kindOf(p ast.Expr) byte {
	switch p.(type) {
	case *ast.Var:
		return '$'
	case *ast.Map:
		return '@'
	}
	return 'e'
}

// choose finds the macro that takes the arguments: the one with the most
// parameters that are more than expressions.
func (e *expander) choose(name string, args []ast.Expr) *ast.Macro {
	var best *ast.Macro
	bestScore := -1
	for _, m := range e.macros[name] {
		if len(m.Params) != len(args) {
			continue
		}
		score := 0
		for i, p := range m.Params {
			switch kindOf(p) {
			case '$':
				if _, ok := args[i].(*ast.Var); !ok {
					score = -1
				} else if score >= 0 {
					score++
				}
			case '@':
				if a, ok := args[i].(*ast.Map); !ok || a.Keys != nil {
					score = -1
				} else if score >= 0 {
					score++
				}
			}
		}
		if score > bestScore {
			best, bestScore = m, score
		}
	}
	return best
}

// Signature spells how a macro is called.
func Signature(m *ast.Macro) string {
	var names []string
	for _, p := range m.Params {
		names = append(names, paramName(p))
	}
	return m.Name + "(" + strings.Join(names, ", ") + ")"
}

// call expands a call of a macro, or returns nil if name is none.
func (c *copier) call(at ast.Node, name string, args []ast.Expr) ast.Expr {
	all := c.e.macros[name]
	if len(all) == 0 {
		return nil
	}
	m := c.e.choose(name, args)
	if m == nil {
		if _, ok := builtin.FuncByName(name); ok {
			return nil
		}
		var sigs []string
		for _, m := range all {
			sigs = append(sigs, Signature(m))
		}
		d := c.e.diags.Errorf(at.Pos(), "these arguments do not fit the macro %s", name).Hintf("it is called %s", strings.Join(sigs, " or "))
		d.Notef(all[0].Span, "it is defined here")
		if i, wants := misfit(all, args); wants != "" {
			d.Span, d.Message = args[i].Pos(), fmt.Sprintf("argument %d of the macro %s must be %s", i+1, name, wants)
		}
		return nothing(at)
	}
	for _, busy := range c.stack {
		if busy == m {
			c.e.diags.Errorf(at.Pos(), "the macro %s calls itself", name).Hintf("macros are put in where they are called; use a loop").
				Notef(m.Span, "it is defined here")
			return nothing(at)
		}
	}
	c.e.copies++
	inner := &copier{e: c.e, macro: m, suffix: "#" + strconv.Itoa(c.e.copies), stack: append(c.stack[:len(c.stack):len(c.stack)], m),
		idents: map[string]func() ast.Expr{}, vars: map[string]string{}, maps: map[string]*ast.Map{}}
	for i, p := range m.Params {
		switch p := p.(type) {
		case *ast.Var:
			inner.vars[p.Name] = c.varName(args[i].(*ast.Var).Name)
		case *ast.Map:
			inner.maps[p.Name] = c.mapRef(args[i].(*ast.Map))
		case *ast.Ident:
			inner.idents[p.Name] = func() ast.Expr { return c.expr(args[i]) }
		}
	}
	body := inner.block(m.Body)
	if body == nil {
		return nothing(at)
	}
	if len(body.Stmts) == 0 && body.Value != nil {
		return body.Value
	}
	return &ast.BlockExpr{At: ast.At{Span: at.Pos()}, Body: body}
}

// misfit finds the argument that a macro's only form does not take as it is.
func misfit(all []*ast.Macro, args []ast.Expr) (at int, wants string) {
	if len(all) != 1 || len(all[0].Params) != len(args) {
		return 0, ""
	}
	for i, p := range all[0].Params {
		switch p.(type) {
		case *ast.Var:
			if _, ok := args[i].(*ast.Var); !ok {
				return i, "a $variable"
			}
		case *ast.Map:
			if _, ok := args[i].(*ast.Map); !ok {
				return i, "a @map"
			}
		}
	}
	return 0, ""
}

// nothing stands for an expression that could not be expanded.
func nothing(at ast.Node) ast.Expr {
	return &ast.IntLit{At: ast.At{Span: at.Pos()}, Text: "0"}
}
