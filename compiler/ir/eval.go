package ir

import (
	"math"
	"math/bits"
)

// Eval computes what Dst is after an arithmetic Op (OpCopy to OpExt) of known
// operands. ok is false for an Op that is not arithmetic.
func (i *Instr) Eval(a, b int64) (v int64, ok bool) {
	ua, ub := uint64(a), uint64(b)
	switch i.Op {
	case OpConst, OpCopy:
		return a, true
	case OpAdd:
		return a + b, true
	case OpSub:
		return a - b, true
	case OpMul:
		return a * b, true
	case OpDiv:
		if b == 0 {
			return 0, true
		}
		return int64(ua / ub), true
	case OpMod:
		if b == 0 {
			return a, true
		}
		return int64(ua % ub), true
	case OpSDiv:
		switch {
		case b == 0:
			return 0, true
		case a == math.MinInt64 && b == -1:
			return a, true
		}
		return a / b, true
	case OpSMod:
		switch {
		case b == 0:
			return a, true
		case b == -1:
			return 0, true
		}
		return a % b, true
	case OpAnd:
		return a & b, true
	case OpOr:
		return a | b, true
	case OpXor:
		return a ^ b, true
	case OpLsh:
		return a << (ub & 63), true
	case OpRsh:
		return int64(ua >> (ub & 63)), true
	case OpArsh:
		return a >> (ub & 63), true
	case OpNeg:
		return -a, true
	case OpSwap:
		return int64(bits.ReverseBytes64(ua) >> (64 - 8*uint(i.Size))), true
	case OpExt:
		return Extend(a, i.Size, i.Signed), true
	}
	return 0, false
}

// Extend returns the low size bytes of v, extended to 64 bits.
func Extend(v int64, size int8, signed bool) int64 {
	shift := 64 - 8*uint(size)
	if signed {
		return v << shift >> shift
	}
	return int64(uint64(v) << shift >> shift)
}

// Eval reports whether a c b holds.
func (c Cond) Eval(a, b int64) bool {
	ua, ub := uint64(a), uint64(b)
	switch c {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case ULt:
		return ua < ub
	case ULe:
		return ua <= ub
	case UGt:
		return ua > ub
	case UGe:
		return ua >= ub
	case SLt:
		return a < b
	case SLe:
		return a <= b
	case SGt:
		return a > b
	case SGe:
		return a >= b
	case Set:
		return a&b != 0
	}
	return false
}
