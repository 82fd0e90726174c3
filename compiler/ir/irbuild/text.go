package irbuild

import (
	"fst/compiler/ir"
)

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

// ExpectText goes on if the first n bytes of memory are those of a constant text, padded with NUL, and else to differ.
func (f *Builder) ExpectText(base ir.Reg, off int32, s string, n int, differ *ir.Block) {
	for at := 0; at < n; at += 8 {
		want, mask := word(s, at, n)
		got := f.Load(base, off+int32(at), 8, false)
		if mask != -1 {
			got = f.Op(ir.OpAnd, got, ir.R(f.Reg(ir.I(mask))))
		}
		f.Guard(ir.Eq, got, ir.R(f.Reg(ir.I(want))), differ)
	}
}

// wordsAtOnce is how many words of two long texts are compared between two
// branches. Of each branch the verifier puts off one side.
const wordsAtOnce = 8

// CompareWords compares the first size bytes, whole words, of two texts: to same if
// both end there equal, to differ if they differ before an end, else it goes on.
// Most texts that differ do so in the first words, each of which decides at once.
func (f *Builder) CompareWords(ab ir.Reg, ao int32, bb ir.Reg, bo int32, size int, same, differ *ir.Block) {
	at := 0
	for ; at < min(size, maxScanned); at += 8 {
		x, y := f.Load(ab, ao+int32(at), 8, false), f.Load(bb, bo+int32(at), 8, false)
		diff := f.Op(ir.OpXor, x, y)
		z := f.hasZero(x)
		whole := f.NewBlock()
		f.Guard(ir.Ne, z, ir.I(0), whole)
		upTo := f.Op(ir.OpXor, z, f.Op(ir.OpSub, z, ir.I(1)))
		f.Branch(ir.Eq, f.Op(ir.OpAnd, diff, upTo), ir.I(0), same, differ)
		f.SetBlock(whole)
		f.Guard(ir.Eq, diff, ir.I(0), differ)
	}
	for at < size {
		going, differs := f.NewVar(ir.I(-1)), f.NewVar(ir.I(0)) // masks; going is 0 behind the end
		for range wordsAtOnce {
			if at == size {
				break
			}
			x, y := f.Load(ab, ao+int32(at), 8, false), f.Load(bb, bo+int32(at), 8, false)
			z := f.hasZero(x)
			below := f.Op(ir.OpSub, z, ir.I(1))
			upTo := f.Op(ir.OpXor, z, below) // the bytes up to the NUL, or all
			diff := f.Op(ir.OpAnd, f.Op(ir.OpAnd, f.Op(ir.OpXor, x, y), upTo), ir.R(going))
			f.Emit(ir.Instr{Op: ir.OpOr, Dst: differs, A: ir.R(differs), B: diff})
			none := f.Op(ir.OpArsh, f.Op(ir.OpAnd, below, f.Op(ir.OpXor, z, ir.I(-1))), ir.I(63))
			f.Emit(ir.Instr{Op: ir.OpAnd, Dst: going, A: ir.R(going), B: none})
			at += 8
		}
		f.Guard(ir.Eq, ir.R(differs), ir.I(0), differ)
		f.Guard(ir.Ne, ir.R(going), ir.I(0), same)
	}
}

// hasZero is not 0 if a byte of x is 0; its lowest set bit is in the first such byte.
func (f *Builder) hasZero(x ir.Operand) ir.Operand {
	ones, highs := f.Reg(ir.I(0x0101010101010101)), f.Reg(ir.I(-0x7f7f7f7f7f7f7f80))
	return f.Op(ir.OpAnd, f.Op(ir.OpAnd, f.Op(ir.OpSub, x, ir.R(ones)), f.Op(ir.OpXor, x, ir.I(-1))), ir.R(highs))
}

// lowest is the lowest bit that is set in z, 0 if there is none.
func (f *Builder) lowest(z ir.Operand) ir.Operand {
	return f.Op(ir.OpAnd, z, f.Op(ir.OpSub, ir.I(0), z))
}

// firstByte is the index of the first byte that hasZero has marked in z. What
// is left of the lowest mark is 1 << 8*index; multiplying by it moves the digit
// that is the index to the top.
func (f *Builder) firstByte(z ir.Operand) ir.Operand {
	low := f.Op(ir.OpRsh, f.lowest(z), ir.I(7))
	return f.Op(ir.OpRsh, f.Op(ir.OpMul, low, ir.R(f.Reg(ir.I(0x0001020304050607)))), ir.I(56))
}

// ClearBehindNUL sets what follows the NUL of a text of size bytes to 0: keys are
// compared in all their bytes, and of two equal texts in arrays of char the rest may
// differ. What is up to seven bytes behind the text must be 0 or of the text's place.
func (f *Builder) ClearBehindNUL(base ir.Reg, off int32, size int) {
	if size > maxScanned {
		// A helper that copies up to the NUL leaves the rest alone.
		from, to := f.Slot("text", size+8), f.Slot("text", size+8)
		f.CopyMem(from, 0, base, off, size)
		f.Store(from, int32(size), ir.I(0), 1)
		f.Zero(to, 0, size+1)
		f.CopyText(ir.R(to), ir.I(int64(size+1)), ir.R(from))
		f.CopyMem(base, off, to, 0, size)
		return
	}
	rest := ir.I(-1) // the bits to keep, as long as there was no NUL
	for at := off; at < off+int32(size); at += 8 {
		x := f.Load(base, at, 8, false)
		z := f.hasZero(x)
		keep := f.Op(ir.OpSub, f.Op(ir.OpRsh, f.lowest(z), ir.I(7)), ir.I(1)) // all of them if z is 0
		f.Store(base, at, f.Op(ir.OpAnd, f.Op(ir.OpAnd, x, keep), rest), 8)
		ended := f.Op(ir.OpArsh, f.Op(ir.OpOr, z, f.Op(ir.OpSub, ir.I(0), z)), ir.I(63))
		rest = f.Op(ir.OpAnd, rest, f.Op(ir.OpXor, ended, ir.I(-1)))
	}
}

// maxScanned is the size up to which TextLength looks at the words of a text. Each
// word is a way out with a length of its own, which the verifier follows to the
// program's end; a helper that copies the text tells its length at once.
const maxScanned = 64

// TextLength counts the bytes before the NUL of a text of at most size bytes.
func (f *Builder) TextLength(base ir.Reg, off int32, size int) ir.Operand {
	if size > maxScanned {
		return f.lengthByCopy(base, off, size)
	}
	out := f.NewVar(ir.I(int64(size)))
	done := f.NewBlock()
	at := 0
	for ; at+8 <= size; at += 8 {
		z := f.hasZero(f.Load(base, off+int32(at), 8, false))
		next := f.NewBlock()
		f.Guard(ir.Ne, z, ir.I(0), next)
		f.Set(out, f.AddConst(f.firstByte(z), int64(at)))
		f.Jump(done)
		f.SetBlock(next)
	}
	for ; at < size; at++ {
		next := f.NewBlock()
		f.Guard(ir.Eq, f.Load(base, off+int32(at), 1, false), ir.I(0), next)
		f.Set(out, ir.I(int64(at)))
		f.Jump(done)
		f.SetBlock(next)
	}
	f.Label(done)
	return ir.R(out)
}

// lengthByCopy has a helper copy a text and tell its length.
func (f *Builder) lengthByCopy(base ir.Reg, off int32, size int) ir.Operand {
	n := f.CopyText(ir.R(f.Slot("strlen", size)), ir.I(int64(size)), f.AddConst(ir.R(base), int64(off)))
	out := f.NewVar(f.AddConst(n, -1))
	right, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.UGe, ir.R(out), ir.I(int64(size)), right)
	f.Set(out, ir.I(0))
	f.Jump(done)
	f.SetBlock(right)
	// The copy ends with a NUL even if the text does not.
	f.Guard(ir.Ne, f.Load(base, off+int32(size)-1, 1, false), ir.I(0), done)
	f.Set(out, ir.I(int64(size)))
	f.Label(done)
	return ir.R(out)
}

// AtMost is n, or limit if that is less.
func (f *Builder) AtMost(n ir.Operand, limit int) ir.Reg {
	size := f.NewVar(n)
	f.If(ir.UGt, ir.R(size), ir.I(int64(limit)), func() { f.Set(size, ir.I(int64(limit))) })
	return size
}

// RoundMask is the smallest 2^n-1 that holds limit.
func RoundMask(limit int) int {
	m := 1
	for m < limit {
		m = m*2 + 1
	}
	return m
}

// CompareBytes is 0 if size bytes of two areas are the same, else the difference of the first two that are not.
func (f *Builder) CompareBytes(ab ir.Reg, ao int32, bb ir.Reg, bo int32, size int) ir.Operand {
	out := f.NewVar(ir.I(0))
	done := f.NewBlock()
	f.EachWordOf(ao, bo, size, func(o int32, w int) {
		x, y := f.Load(ab, ao+o, w, false), f.Load(bb, bo+o, w, false)
		next := f.NewBlock()
		f.Guard(ir.Ne, x, y, next)
		for i := range w {
			// Little-endian: the first byte is the lowest.
			a, b := f.byteOf(x, i, w), f.byteOf(y, i, w)
			f.Set(out, f.Op(ir.OpSub, a, b))
			if i < w-1 {
				f.Guard(ir.Eq, ir.R(out), ir.I(0), done)
			}
		}
		f.Jump(done)
		f.SetBlock(next)
	})
	f.Label(done)
	return ir.R(out)
}

// byteOf is byte i of a word of w bytes.
func (f *Builder) byteOf(x ir.Operand, i, w int) ir.Operand {
	if i > 0 {
		x = f.Op(ir.OpRsh, x, ir.I(int64(8*i)))
	}
	if i == w-1 {
		return x
	}
	return f.Op(ir.OpAnd, x, ir.I(0xff))
}

// FindText looks for a constant at every place of a text, eight places at a time, and leads to none if it is nowhere. It is a loop
// that the verifier walks. Of each branch it puts off one side until it has
// seen the rest of the program, and takes 8192 of them, so that all eight are
// compared without one. Behind the text must be zeroes.
func (f *Builder) FindText(mem ir.Reg, size int, needle string, none *ir.Block) (place ir.Operand) {
	at, hits, zeros := f.NewVar(ir.I(0)), f.Func.NewReg(), f.Func.NewReg()
	head, end := f.NewBlock(), f.NewBlock()
	f.Label(head)
	f.Guard(ir.ULt, ir.R(at), ir.I(int64(size)), none)
	here := f.Op(ir.OpAdd, ir.R(mem), ir.R(at)).Reg
	f.Set(zeros, f.hasZero(f.Load(here, 0, 8, false)))
	f.Set(hits, ir.I(0))
	for place := range int32(8) {
		var differ ir.Operand
		for off := 0; off < len(needle); off += 8 {
			want, mask := word(needle, off, len(needle))
			others := f.Op(ir.OpXor, f.Load(here, place+int32(off), 8, false), ir.R(f.Reg(ir.I(want))))
			if mask != -1 {
				others = f.Op(ir.OpAnd, others, ir.R(f.Reg(ir.I(mask))))
			}
			if off > 0 {
				others = f.Op(ir.OpOr, differ, others)
			}
			differ = others
		}
		// As hasZero marks a byte.
		mark := f.Op(ir.OpLsh, f.isZero(differ), ir.I(int64(8*place+7)))
		f.Emit(ir.Instr{Op: ir.OpOr, Dst: hits, A: ir.R(hits), B: mark})
	}
	// Only what begins before the end counts.
	before := f.Op(ir.OpSub, f.lowest(ir.R(zeros)), ir.I(1))
	f.Emit(ir.Instr{Op: ir.OpAnd, Dst: hits, A: ir.R(hits), B: before})
	f.Guard(ir.Eq, f.Op(ir.OpOr, ir.R(hits), ir.R(zeros)), ir.I(0), end)
	f.Emit(ir.Instr{Op: ir.OpAdd, Dst: at, A: ir.R(at), B: ir.I(8)})
	f.Jump(head)
	f.SetBlock(end)
	f.Guard(ir.Ne, ir.R(hits), ir.I(0), none)
	return f.Op(ir.OpAdd, ir.R(at), f.firstByte(ir.R(hits)))
}

// isZero is 1 if x is 0, else 0.
func (f *Builder) isZero(x ir.Operand) ir.Operand {
	below := f.Op(ir.OpSub, x, ir.I(1))
	return f.Op(ir.OpRsh, f.Op(ir.OpAnd, below, f.Op(ir.OpXor, x, ir.I(-1))), ir.I(63))
}
