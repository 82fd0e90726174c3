package analysis

import (
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/lang/ast"
)

// Conjuncts splits a filter at its top-level &&. What stands behind a part that
// is known to be false is neither evaluated nor was it checked.
func Conjuncts(u *check.Unit, x ast.Expr) []ast.Expr {
	if x == nil {
		return nil
	}
	b, ok := x.(*ast.Binary)
	if _, known := u.Consts[x]; known || !ok || b.Op != "&&" {
		return []ast.Expr{x}
	}
	list := Conjuncts(u, b.X)
	if n, known := u.Consts[list[len(list)-1]]; known && n == 0 {
		return list
	}
	return append(list, Conjuncts(u, b.Y)...)
}

// Branches reports whether an expression has parts that are not always
// evaluated.
func Branches(x ast.Expr) bool {
	return ast.Any(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Binary:
			return n.Op == "||" || n.Op == "&&"
		case *ast.Cond, *ast.IfExpr, *ast.BlockExpr:
			return true
		}
		return false
	})
}

// HasEffects reports whether evaluating an expression does more than give a value.
func HasEffects(list ...ast.Expr) bool {
	return slices.ContainsFunc(list, func(x ast.Expr) bool {
		return ast.Any(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IncDec, *ast.Assign, *ast.Return, *ast.Break, *ast.Continue:
				return true
			case *ast.Call:
				return builtin.Does(n.Name, builtin.Changes)
			}
			return false
		})
	})
}

// SameAtEntry reports whether an expression gives the same value at the entry
// of a call as at its return.
func SameAtEntry(u *check.Unit, x ast.Expr) bool {
	pure := true
	ast.Walk(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			_, number := u.Consts[e]
			_, text := u.Strings[e]
			if number || text {
				return false
			}
		}
		switch n := n.(type) {
		case *ast.Ident:
			pure = pure && builtin.Does(n.Name, builtin.SameAtEntry)
		case *ast.Call:
			pure = pure && builtin.Does(n.Name, builtin.SameAtEntry)
		case *ast.Field:
			pure = pure && check.Names(n.X, builtin.VarArgs) && slices.Contains(u.EntryArgs, n.Name)
			return false
		case *ast.Unary:
			pure = pure && n.Op != "*" && n.Op != "&"
		case *ast.IntLit, *ast.StringLit, *ast.BoolLit, *ast.Param, *ast.Binary:
		default:
			pure = false
		}
		return pure
	})
	return pure
}
