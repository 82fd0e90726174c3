package check

import (
	"fmt"

	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/diag"
)

// optional are the parameters that a script can do without.
type optional struct {
	clause int
	// asked are the parameters, variables and maps of which the script asks whether they are 0,
	// or that are the lower bound of something: all is above 0.
	asked map[string]bool
	kept  map[string][]string // the parameters that variables and maps are given
}

// parameters warns of $1 and the like that the command line does not give, unless the script can do without them.
func (c *checker) parameters() {
	if c.opts.OpenParams {
		return
	}
	o := optional{asked: map[string]bool{}, kept: map[string][]string{}}
	counted := false
	var missing []*ast.Param
	ast.Walk(c.prog, func(n ast.Node) bool {
		if p, ok := n.(*ast.Param); ok {
			counted = counted || p.Count
			if p.N > len(c.opts.Params) {
				missing = append(missing, p)
			}
		}
		o.note(n)
		return true
	})
	if counted {
		return
	}
	for name, params := range o.kept {
		for _, param := range params {
			o.asked[param] = o.asked[param] || o.asked[name]
		}
	}
	for _, p := range missing {
		name := o.nameOf(p)
		if o.asked[name] {
			continue
		}
		o.asked[name] = true
		count := "no parameter"
		if len(c.opts.Params) > 0 {
			count = diag.Plural(len(c.opts.Params), "parameter")
		}
		c.doubts.Warnf(p.Span, "$%d is 0: the command line has %s", p.N, count).
			Hintf("write its value behind the program; $# is the number of parameters")
	}
}

func (o *optional) note(n ast.Node) {
	switch n := n.(type) {
	case *ast.Clause:
		o.clause++
		o.ask(n.Filter)
	case *ast.If:
		o.ask(n.Cond)
	case *ast.Cond:
		o.ask(n.C)
	case *ast.Let:
		o.keep(n.Var, n.Value)
	case *ast.Assign:
		if n.Op == "=" {
			o.keep(n.Target, n.Value)
		}
	case *ast.Unary:
		if n.Op == "!" {
			o.ask(n.X)
		}
	case *ast.Binary:
		switch {
		case n.Op == "&&" || n.Op == "||":
			o.ask(n.X, n.Y)
		case comparing[n.Op] && isLiteral(n.Y):
			o.ask(n.X)
		case comparing[n.Op] && isLiteral(n.X):
			o.ask(n.Y)
		case n.Op == ">" || n.Op == ">=":
			o.ask(n.Y)
		case n.Op == "<" || n.Op == "<=":
			o.ask(n.X)
		}
	}
}

func (o *optional) ask(xs ...ast.Expr) {
	for _, x := range xs {
		if name := o.nameOf(x); name != "" {
			o.asked[name] = true
		}
	}
}

func (o *optional) keep(target, value ast.Expr) {
	if param := o.nameOf(value); param != "" && param[0] == '$' {
		if name := o.nameOf(target); name != "" {
			o.kept[name] = append(o.kept[name], param)
		}
	}
}

// nameOf is the name of what x is 0 with, or "": of a parameter it begins with $.
func (o *optional) nameOf(x ast.Expr) string {
	if n := parameterOf(x); n > 0 {
		return fmt.Sprintf("$%d", n)
	}
	switch x := x.(type) {
	case *ast.Var:
		return fmt.Sprintf("%d %s", o.clause, x.Name)
	case *ast.Map:
		if x.Keys == nil {
			return "@" + x.Name
		}
	case *ast.Cast:
		return o.nameOf(x.X)
	case *ast.Binary:
		if x.Op == "*" && isLiteral(x.Y) {
			return o.nameOf(x.X)
		}
	}
	return ""
}

// parameterOf is n of an expression $n or str($n), or 0.
func parameterOf(x ast.Expr) int {
	if call, ok := x.(*ast.Call); ok && calls(x, builtin.FuncStr) && len(call.Args) > 0 {
		x = call.Args[0]
	}
	if p, ok := x.(*ast.Param); ok && !p.Count {
		return p.N
	}
	return 0
}

var comparing = map[string]bool{"==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true}

func isLiteral(x ast.Expr) bool {
	switch x.(type) {
	case *ast.IntLit, *ast.StringLit:
		return true
	}
	return false
}
