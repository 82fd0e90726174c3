package check

import (
	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
)

// staticCond gives the value of a condition that only depends on the kernel
// and the script, and is written to be decided while compiling: exists(),
// comptime and the like.
func (u *unitChecker) staticCond(x ast.Expr) (value, known bool) {
	if !isStatic(x) {
		return false, false
	}
	n, ok := u.Consts[x]
	return n != 0, ok
}

// isStatic reports whether an expression asks a compile-time question: what it
// rules out is not compiled, so that it may name what this kernel lacks.
func isStatic(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Comptime:
		return true
	case *ast.Call:
		f, ok := builtin.FuncByName(x.Name)
		return ok && f.Static && f.Type == types.BoolType
	case *ast.Unary:
		return isStatic(x.X)
	case *ast.Binary:
		return isStatic(x.X) || isStatic(x.Y)
	}
	return false
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// SignedCompare reports whether the operands of a comparison are compared as
// signed numbers: if one of them is signed, but a constant that is not negative,
// and a place that holds nothing else, takes the sign of the other.
func (u *Unit) SignedCompare(x *ast.Binary) bool {
	return u.signedOperand(x.X) || u.signedOperand(x.Y)
}

// isPlain reports whether an expression is a constant that is not negative and
// of no type that its author wrote.
func (u *Unit) isPlain(x ast.Expr) bool {
	n, constant := u.Consts[x]
	return constant && n >= 0 && u.operandsOf(x).uncast
}

// operands says what all that the operators of an expression, if it has any, work
// on is.
type operands struct{ literals, uncast bool }

// operandsOf finds the operands of an expression. What it finds of long sums is
// kept: the same is asked of each of their parts.
func (u *Unit) operandsOf(x ast.Expr) operands {
	switch x := x.(type) {
	case *ast.Comptime:
		return u.operandsOf(x.X)
	case *ast.Unary:
		return u.operandsOf(x.X)
	case *ast.Binary:
		if all, ok := u.operands[x]; ok {
			return all
		}
		a, b := u.operandsOf(x.X), u.operandsOf(x.Y)
		if u.operands == nil {
			u.operands = map[*ast.Binary]operands{}
		}
		all := operands{a.literals && b.literals, a.uncast && b.uncast}
		u.operands[x] = all
		return all
	}
	_, literal := x.(*ast.IntLit)
	_, cast := x.(*ast.Cast)
	return operands{literal, !cast}
}

func (u *Unit) signedOperand(x ast.Expr) bool {
	t := u.Types[x]
	if t == types.WeakInt || u.isPlain(x) {
		return false
	}
	return t != nil && (t.IsInteger() && t.Signed || t.Kind.IsAggregation() && t.Agg.Signed)
}
