package analysis

import (
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/types"
	"fst/lang/ast"
)

// stored is what a node stores something in, or nil, and the expression whose value that is, nil if there is none.
func stored(n ast.Node) (target, value ast.Expr) {
	switch n := n.(type) {
	case *ast.Assign:
		if n.Op == "=" {
			return n.Target, n.Value
		}
		return n.Target, nil
	case *ast.Let:
		return n.Var, n.Value
	case *ast.IncDec:
		return n.X, nil
	case *ast.Call:
		if builtin.Does(n.Name, builtin.DoesStore) {
			return n.Args[len(n.Args)-1], nil
		}
	}
	return nil, nil
}

// ChangedVars are the variables that a part of the tree changes.
func ChangedVars(u *check.Unit, roots ...ast.Node) []*check.Var {
	var vars []*check.Var
	look := func(n ast.Node) bool {
		target, _ := stored(n)
		x, _ := target.(*ast.Var)
		if v := u.Vars[x]; v != nil && !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
		return true
	}
	for _, root := range roots {
		ast.Walk(root, look)
	}
	return vars
}

// Changes reports whether a part of the tree changes a variable.
func Changes(u *check.Unit, v *check.Var, body ast.Node) bool {
	return slices.Contains(ChangedVars(u, body), v) || ast.Any(body, func(n ast.Node) bool {
		inner, ok := n.(*ast.ForRange)
		return ok && u.Vars[inner.Var] == v
	})
}

// holder is the variable that an expression is, or is a part of; nil if there is none.
func holder(u *check.Unit, e ast.Expr) *check.Var {
	for {
		switch x := e.(type) {
		case *ast.Var:
			return u.Vars[x]
		case *ast.Field:
			e = x.X
		case *ast.TupleIndex:
			e = x.X
		case *ast.Index:
			e = x.X
		default:
			return nil
		}
	}
}

// TakesOwnAddress reports whether a unit has a pointer to a variable or map made, or to a part of one.
func TakesOwnAddress(u *check.Unit) bool {
	takes := func(n ast.Node) bool {
		x, ok := n.(*ast.Unary)
		return ok && x.Op == "&" && isOwnMemory(u, x.X)
	}
	return ast.Any(u.Filter, takes) || ast.Any(u.Body, takes)
}

// isOwnMemory reports whether an expression is in memory of the program, and not what a pointer leads to.
func isOwnMemory(u *check.Unit, x ast.Expr) bool {
	var of ast.Expr
	switch x := x.(type) {
	case *ast.Field:
		of = x.X
	case *ast.Index:
		of = x.X
	default:
		return true
	}
	t := u.Types[of]
	return (t == nil || t.Kind != types.Pointer) && isOwnMemory(u, of)
}

// AddressTaken are the variables whose address the body of a unit takes.
func AddressTaken(u *check.Unit) map[*check.Var]bool {
	taken := map[*check.Var]bool{}
	ast.Walk(u.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.Unary); ok && x.Op == "&" {
			if target, ok := x.X.(*ast.Var); ok {
				taken[u.Vars[target]] = true
			}
		}
		return true
	})
	return taken
}
