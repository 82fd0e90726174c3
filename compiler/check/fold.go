package check

import (
	"cmp"
	"math/big"

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

// foldInts computes "a op b" on 64 bits. ok is false for a division by zero
// and for operators that are not arithmetic.
func foldInts(op string, a, b int64, signed bool) (n int64, ok bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "&":
		return a & b, true
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	case "<<":
		return a << (uint64(b) & 63), true
	case ">>":
		if signed {
			return a >> (uint64(b) & 63), true
		}
		return int64(uint64(a) >> (uint64(b) & 63)), true
	case "/", "%":
		switch {
		case b == 0:
			return 0, false
		case signed && op == "/":
			return a / b, true
		case signed:
			return a % b, true
		case op == "/":
			return int64(uint64(a) / uint64(b)), true
		}
		return int64(uint64(a) % uint64(b)), true
	}
	return 0, false
}

// foldLiterals computes "a op b" of numbers that are written out, exactly: the
// result is an int64 if it is one, else a uint64. t is nil if it is neither.
func foldLiterals(op string, a int64, aSigned bool, b int64, bSigned bool) (n int64, t *types.Type) {
	x, y, z := exact(a, aSigned), exact(b, bSigned), new(big.Int)
	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	case "/":
		z.Quo(x, y)
	case "%":
		z.Rem(x, y)
	case "<<", ">>":
		if y.Sign() < 0 || y.Cmp(big.NewInt(63)) > 0 {
			return 0, nil
		}
		if op == ">>" {
			z.Rsh(x, uint(y.Uint64()))
		} else if n = a << y.Uint64(); x.Sign() < 0 {
			return n, types.I64
		} else {
			z.SetUint64(uint64(n)) // bits that leave at the top are gone
		}
	default:
		n, _ = foldInts(op, a, b, aSigned || bSigned)
		return n, types.IntType(8, aSigned || bSigned)
	}
	switch {
	case z.IsInt64():
		return z.Int64(), types.I64
	case z.IsUint64():
		return int64(z.Uint64()), types.U64
	}
	return 0, nil
}

func exact(n int64, signed bool) *big.Int {
	if signed {
		return big.NewInt(n)
	}
	return new(big.Int).SetUint64(uint64(n))
}

// foldCompare computes "a op b" of numbers.
func foldCompare(op string, a, b int64, signed bool) bool {
	if signed {
		return holds(op, a, b)
	}
	return holds(op, uint64(a), uint64(b))
}

// holds reports whether "a op b" is true.
func holds[T cmp.Ordered](op string, a, b T) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

// fit cuts a constant to a type's size.
func fit(n int64, t *types.Type) int64 {
	if t.Kind == types.Bool {
		return b2i(n != 0)
	}
	if t.Size >= 8 || t.Size < 1 {
		return n
	}
	shift := uint(64 - 8*t.Size)
	if t.Signed {
		return n << shift >> shift
	}
	return int64(uint64(n) << shift >> shift)
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
