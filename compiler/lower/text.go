package lower

import (
	"math"

	"fst/compiler/ir"
	"fst/compiler/types"
)

// texts copies, compares and searches texts and other bytes.
type texts struct{ *fn }

// strncmp is 0 if the first n bytes of two strings are equal (up to a NUL),
// else 1.
func (f texts) strncmp(a, b value, n int, t *types.Type) value {
	return f.truth(t, func(differ, same *ir.Block) { f.compare(a, b, n, same, differ) })
}

// wholeText has compare look at all bytes.
const wholeText = math.MaxInt32

// compare goes to same if the first n bytes of two strings are equal, up to a NUL, and else to differ.
func (f texts) compare(a, b value, n int, same, differ *ir.Block) {
	a, b = f.values.sized(a), f.values.sized(b)
	if a.str != nil && b.str == nil {
		a, b = b, a
	}
	switch {
	case a.str != nil:
		f.JumpConst(cut(*a.str, n) == cut(*b.str, n), same, differ)
	case b.str != nil:
		f.compareConst(a, cut(*b.str, n), min(n, len(*b.str)+1), same, differ)
	default:
		ab, ao := f.values.inMemory(a)
		bb, bo := f.values.inMemory(b)
		size := min(n, a.t.Size, b.t.Size)
		if n == wholeText {
			size = (size + 7) &^ 7 // the last word is whole in memory
		}
		at := size &^ 7
		f.CompareWords(ab, ao, bb, bo, at, same, differ)
		for ; at < size; at++ {
			x := f.Load(ab, ao+int32(at), 1, false)
			f.Guard(ir.Eq, x, f.Load(bb, bo+int32(at), 1, false), differ)
			f.Guard(ir.Ne, x, ir.I(0), same)
		}
		f.Jump(same)
	}
}

// compareConst compares the first n bytes of a string with a constant padded
// with NUL.
func (f texts) compareConst(a value, s string, n int, same, differ *ir.Block) {
	if len(s) > a.t.Size {
		f.Jump(differ)
		return
	}
	n = min(n, a.t.Size) // of a text that fills its array
	base, off := f.values.inMemory(a)
	f.ExpectText(base, off, s, n, differ)
	f.Jump(same)
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// strlen counts the bytes before the NUL.
func (f texts) strlen(v value) ir.Operand {
	if v.str != nil {
		return ir.I(int64(len(*v.str)))
	}
	v = f.values.sized(v)
	base, off := f.values.inMemory(v)
	return f.TextLength(base, off, v.t.Size)
}
