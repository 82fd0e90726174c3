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
		f.decide(cut(*a.str, n) == cut(*b.str, n), same, differ)
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
		f.compareWords(ab, ao, bb, bo, at, same, differ)
		for ; at < size; at++ {
			x := f.load(ab, ao+int32(at), 1, false)
			f.goOnIf(ir.Eq, x, f.load(bb, bo+int32(at), 1, false), differ)
			f.goOnIf(ir.Ne, x, ir.I(0), same)
		}
		f.jump(same)
	}
}

// compareConst compares the first n bytes of a string with a constant padded
// with NUL.
func (f texts) compareConst(a value, s string, n int, same, differ *ir.Block) {
	if len(s) > a.t.Size {
		f.jump(differ)
		return
	}
	n = min(n, a.t.Size) // of a text that fills its array
	base, off := f.values.inMemory(a)
	for at := 0; at < n; at += 8 {
		want, mask := word(s, at, n)
		got := f.load(base, off+int32(at), 8, false)
		if mask != -1 {
			got = f.op(ir.OpAnd, got, ir.R(f.reg(ir.I(mask))))
		}
		f.goOnIf(ir.Eq, got, ir.R(f.reg(ir.I(want))), differ)
	}
	f.jump(same)
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// word is the 8 bytes of a text at a place, as a number, and a mask of those of them that the first n bytes have.
func word(s string, at, n int) (v, mask int64) {
	for i := 0; i < 8 && at+i < n; i++ {
		mask |= 0xff << (8 * i)
		if at+i < len(s) {
			v |= int64(s[at+i]) << (8 * i)
		}
	}
	return v, mask
}

// wordsAtOnce is how many words of two long texts are compared between two
// branches. Of each branch the verifier puts off one side.
const wordsAtOnce = 8

// compareWords compares the first size bytes, whole words, of two texts: to same if
// both end there equal, to differ if they differ before an end, else it goes on.
// Most texts that differ do so in the first words, each of which decides at once.
func (f texts) compareWords(ab ir.Reg, ao int32, bb ir.Reg, bo int32, size int, same, differ *ir.Block) {
	at := 0
	for ; at < min(size, maxScanned); at += 8 {
		x, y := f.load(ab, ao+int32(at), 8, false), f.load(bb, bo+int32(at), 8, false)
		diff := f.op(ir.OpXor, x, y)
		z := f.hasZero(x)
		whole := f.block()
		f.goOnIf(ir.Ne, z, ir.I(0), whole)
		upTo := f.op(ir.OpXor, z, f.op(ir.OpSub, z, ir.I(1)))
		f.branch(ir.Eq, f.op(ir.OpAnd, diff, upTo), ir.I(0), same, differ)
		f.use(whole)
		f.goOnIf(ir.Eq, diff, ir.I(0), differ)
	}
	for at < size {
		going, differs := f.fresh(ir.I(-1)), f.fresh(ir.I(0)) // masks; going is 0 behind the end
		for range wordsAtOnce {
			if at == size {
				break
			}
			x, y := f.load(ab, ao+int32(at), 8, false), f.load(bb, bo+int32(at), 8, false)
			z := f.hasZero(x)
			below := f.op(ir.OpSub, z, ir.I(1))
			upTo := f.op(ir.OpXor, z, below) // the bytes up to the NUL, or all
			diff := f.op(ir.OpAnd, f.op(ir.OpAnd, f.op(ir.OpXor, x, y), upTo), ir.R(going))
			f.emit(ir.Instr{Op: ir.OpOr, Dst: differs, A: ir.R(differs), B: diff})
			none := f.op(ir.OpArsh, f.op(ir.OpAnd, below, f.op(ir.OpXor, z, ir.I(-1))), ir.I(63))
			f.emit(ir.Instr{Op: ir.OpAnd, Dst: going, A: ir.R(going), B: none})
			at += 8
		}
		f.goOnIf(ir.Eq, ir.R(differs), ir.I(0), differ)
		f.goOnIf(ir.Ne, ir.R(going), ir.I(0), same)
	}
}

// hasZero is not 0 if a byte of x is 0; its lowest set bit is in the first such byte.
func (f texts) hasZero(x ir.Operand) ir.Operand {
	ones, highs := f.reg(ir.I(0x0101010101010101)), f.reg(ir.I(-0x7f7f7f7f7f7f7f80))
	return f.op(ir.OpAnd, f.op(ir.OpAnd, f.op(ir.OpSub, x, ir.R(ones)), f.op(ir.OpXor, x, ir.I(-1))), ir.R(highs))
}

// clearBehindNUL sets what follows the NUL of a text of size bytes to 0: keys are
// compared in all their bytes, and of two equal texts in arrays of char the rest may
// differ. What is up to seven bytes behind the text must be 0 or of the text's place.
func (f texts) clearBehindNUL(base ir.Reg, off int32, size int) {
	if size > maxScanned {
		// A helper that copies up to the NUL leaves the rest alone.
		from, to := f.slot("text", size+8), f.slot("text", size+8)
		f.copyMem(from, 0, base, off, size)
		f.store(from, int32(size), ir.I(0), 1)
		f.zero(to, 0, size+1)
		f.copyText(ir.R(to), ir.I(int64(size+1)), ir.R(from))
		f.copyMem(base, off, to, 0, size)
		return
	}
	rest := ir.I(-1) // the bits to keep, as long as there was no NUL
	for at := off; at < off+int32(size); at += 8 {
		x := f.load(base, at, 8, false)
		z := f.hasZero(x)
		keep := f.op(ir.OpSub, f.op(ir.OpRsh, f.lowest(z), ir.I(7)), ir.I(1)) // all of them if z is 0
		f.store(base, at, f.op(ir.OpAnd, f.op(ir.OpAnd, x, keep), rest), 8)
		ended := f.op(ir.OpArsh, f.op(ir.OpOr, z, f.op(ir.OpSub, ir.I(0), z)), ir.I(63))
		rest = f.op(ir.OpAnd, rest, f.op(ir.OpXor, ended, ir.I(-1)))
	}
}

// maxScanned is the size up to which strlen looks at the words of a text. Each
// word is a way out with a length of its own, which the verifier follows to the
// program's end; a helper that copies the text tells its length at once.
const maxScanned = 64

// strlen counts the bytes before the NUL.
func (f texts) strlen(v value) ir.Operand {
	if v.str != nil {
		return ir.I(int64(len(*v.str)))
	}
	v = f.values.sized(v)
	base, off := f.values.inMemory(v)
	if v.t.Size > maxScanned {
		return f.strlenByCopy(base, off, v.t.Size)
	}
	out := f.fresh(ir.I(int64(v.t.Size)))
	done := f.block()
	at := 0
	for ; at+8 <= v.t.Size; at += 8 {
		z := f.hasZero(f.load(base, off+int32(at), 8, false))
		next := f.block()
		f.goOnIf(ir.Ne, z, ir.I(0), next)
		f.set(out, f.add(f.firstByte(z), int64(at)))
		f.jump(done)
		f.use(next)
	}
	for ; at < v.t.Size; at++ {
		next := f.block()
		f.goOnIf(ir.Eq, f.load(base, off+int32(at), 1, false), ir.I(0), next)
		f.set(out, ir.I(int64(at)))
		f.jump(done)
		f.use(next)
	}
	f.goOn(done)
	return ir.R(out)
}

// strlenByCopy has a helper copy a text and tell its length.
func (f texts) strlenByCopy(base ir.Reg, off int32, size int) ir.Operand {
	n := f.copyText(ir.R(f.slot("strlen", size)), ir.I(int64(size)), f.add(ir.R(base), int64(off)))
	out := f.fresh(f.add(n, -1))
	right, done := f.block(), f.block()
	f.goOnIf(ir.UGe, ir.R(out), ir.I(int64(size)), right)
	f.set(out, ir.I(0))
	f.jump(done)
	f.use(right)
	// The copy ends with a NUL even if the text does not.
	f.goOnIf(ir.Ne, f.load(base, off+int32(size)-1, 1, false), ir.I(0), done)
	f.set(out, ir.I(int64(size)))
	f.goOn(done)
	return ir.R(out)
}

// lowest is the lowest bit that is set in z, 0 if there is none.
func (f texts) lowest(z ir.Operand) ir.Operand { return f.op(ir.OpAnd, z, f.op(ir.OpSub, ir.I(0), z)) }

// firstByte is the index of the first byte that hasZero has marked in z. What
// is left of the lowest mark is 1 << 8*index; multiplying by it moves the digit
// that is the index to the top.
func (f texts) firstByte(z ir.Operand) ir.Operand {
	low := f.op(ir.OpRsh, f.lowest(z), ir.I(7))
	return f.op(ir.OpRsh, f.op(ir.OpMul, low, ir.R(f.reg(ir.I(0x0001020304050607)))), ir.I(56))
}
