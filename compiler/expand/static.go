package expand

import (
	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
)

// IsStatic reports whether an expression asks a compile-time question: what it
// rules out is not compiled, so that it may name what this kernel lacks.
func IsStatic(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Comptime:
		return true
	case *ast.Call:
		f, ok := builtin.FuncByName(x.Name)
		return ok && f.Static && f.Type == types.BoolType
	case *ast.Unary:
		return IsStatic(x.X)
	case *ast.Binary:
		return IsStatic(x.X) || IsStatic(x.Y)
	}
	return false
}
