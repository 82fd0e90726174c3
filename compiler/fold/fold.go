// Package fold computes with the constants of a script: numbers of 64 bits, as the
// program would at run time, and exactly where they are written out.
package fold

import (
	"cmp"
	"math/big"

	"fst/compiler/types"
)

// Int computes "a op b" on 64 bits. ok is false for a division by zero
// and for operators that are not arithmetic.
func Int(op string, a, b int64, signed bool) (n int64, ok bool) {
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

// Exact computes "a op b" of numbers that are written out, exactly: the
// result is an int64 if it is one, else a uint64. t is nil if it is neither.
func Exact(op string, a int64, aSigned bool, b int64, bSigned bool) (n int64, t *types.Type) {
	x, y, z := Big(a, aSigned), Big(b, bSigned), new(big.Int)
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
		n, _ = Int(op, a, b, aSigned || bSigned)
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

// Big is a number of 64 bits, exactly.
func Big(n int64, signed bool) *big.Int {
	if signed {
		return big.NewInt(n)
	}
	return new(big.Int).SetUint64(uint64(n))
}

// Compare computes "a op b" of numbers.
func Compare(op string, a, b int64, signed bool) bool {
	if signed {
		return Holds(op, a, b)
	}
	return Holds(op, uint64(a), uint64(b))
}

// Holds reports whether "a op b" is true.
func Holds[T cmp.Ordered](op string, a, b T) bool {
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

// Fit cuts a constant to a type's size.
func Fit(n int64, t *types.Type) int64 {
	if t.Kind == types.Bool {
		if n != 0 {
			return 1
		}
		return 0
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
