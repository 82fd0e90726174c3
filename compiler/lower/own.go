package lower

import (
	"slices"

	"fst/compiler/check"
	"fst/lang/ast"
)

// own looks for what the script itself has written, as opposed to what it reads from the
// system: texts and characters that it may use to steer the terminal, with colours and tabs.
type own struct {
	units []*check.Unit
	// asked are the variables and names of maps that are being looked at.
	asked []any
}

// isOwn reports whether an expression has no other value than texts and characters that are
// literals of the script.
func (o *own) isOwn(u *check.Unit, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.StringLit, *ast.IntLit:
		return true
	case *ast.Cond:
		return o.isOwn(u, x.A) && o.isOwn(u, x.B)
	case *ast.IfExpr:
		return o.isOwn(u, x.Then.Value) && x.Else != nil && o.isOwn(u, x.Else.Value)
	case *ast.BlockExpr:
		return o.isOwn(u, x.Body.Value)
	case *ast.Var:
		if v := u.Vars[x]; v != nil {
			return o.allOwn(v, []*check.Unit{u}, func(u *check.Unit, y ast.Expr) bool {
				target, ok := y.(*ast.Var)
				return ok && u.Vars[target] == v
			})
		}
	case *ast.Map:
		return o.allOwn(x.Name, o.units, func(_ *check.Unit, y ast.Expr) bool {
			target, ok := y.(*ast.Map)
			return ok && target.Name == x.Name
		})
	}
	return false
}

// allOwn reports whether all that is stored in a variable or a map is the script's own.
func (o *own) allOwn(place any, units []*check.Unit, isPlace func(*check.Unit, ast.Expr) bool) bool {
	if slices.Contains(o.asked, place) {
		return true // it is stored in itself
	}
	o.asked = append(o.asked, place)
	stored, foreign := false, false
	for _, u := range units {
		ast.Walk(u.Clause, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Assign:
				if isPlace(u, n.Target) {
					stored = true
					foreign = foreign || n.Op != "=" || !o.isOwn(u, n.Value)
				}
			case *ast.Let:
				if n.Value != nil && isPlace(u, n.Var) {
					stored = true
					foreign = foreign || !o.isOwn(u, n.Value)
				}
			case *ast.IncDec:
				foreign = foreign || isPlace(u, n.X)
			case *ast.Call: // find() stores in its last argument
				for _, a := range n.Args {
					if v, ok := a.(*ast.Var); ok && n.Name == "find" {
						foreign = foreign || isPlace(u, v)
					}
				}
			}
			return !foreign
		})
	}
	return stored && !foreign
}
