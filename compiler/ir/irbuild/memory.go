package irbuild

import "fst/compiler/ir"

// maxUnrolled is how many bytes are copied or cleared word by word, without a helper.
const maxUnrolled = 64

// near returns base and off for an instruction, whose offset has 16 bits.
func (f *Builder) near(base ir.Reg, off int32) (ir.Reg, int32) {
	if off == int32(int16(off)) {
		return base, off
	}
	return f.Op(ir.OpAdd, ir.R(base), ir.I(int64(off))).Reg, 0
}

// Load reads memory that the verifier knows.
func (f *Builder) Load(base ir.Reg, off int32, size int, signed bool) ir.Operand {
	base, off = f.near(base, off)
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpLoad, Dst: r, A: ir.R(base), Off: off, Size: int8(size), Signed: signed})
	return ir.R(r)
}

// Store writes to memory that the verifier knows.
func (f *Builder) Store(base ir.Reg, off int32, v ir.Operand, size int) {
	base, off = f.near(base, off)
	if v.IsImm() && size == 8 && int64(int32(v.Imm)) != v.Imm {
		v = ir.R(f.Reg(v))
	}
	f.Emit(ir.Instr{Op: ir.OpStore, A: ir.R(base), B: v, Off: off, Size: int8(size)})
}

// SlotAddr is the address of a slot of the function's stack.
func (f *Builder) SlotAddr(slot int32, off int32) ir.Reg {
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpSlotAddr, Dst: r, Slot: slot, Off: off})
	return r
}

// Slot makes memory and returns its address.
func (f *Builder) Slot(name string, size int) ir.Reg {
	return f.SlotAddr(f.Func.NewSlot(name, room(size), 8), 0)
}

// room is what a value takes of the stack: whole words, of () one, for it has an
// address, too.
func room(size int) int { return max((size+7)&^7, 8) }

// NearSlot is memory for addresses, or for the context of a callback.
func (f *Builder) NearSlot(name string, size int) int32 {
	s := f.Func.NewSlot(name, room(size), 8)
	f.Func.Slots[s].Near = true
	return s
}

// FarSlot is memory that may be read at any address in it.
func (f *Builder) FarSlot(name string, size int) ir.Reg {
	s := f.Func.NewSlot(name, room(size), 8)
	f.Func.Slots[s].Far = true
	return f.SlotAddr(s, 0)
}

// Zero clears memory that the verifier lets us write to. Large areas are
// cleared by a probe read of address 0, which fails at once and zeroes the
// destination (bpf_probe_read_kernel's contract).
func (f *Builder) Zero(base ir.Reg, off int32, size int) {
	if size > maxUnrolled {
		f.CopyKernel(f.AddConst(ir.R(base), int64(off)), ir.I(int64(size)), ir.I(0))
		return
	}
	f.EachWord(off, size, func(o int32, n int) { f.Store(base, o, ir.I(0), n) })
}

// EachWord calls do for each aligned piece of [off, off+size).
func (f *Builder) EachWord(off int32, size int, do func(off int32, n int)) {
	f.EachWordOf(off, off, size, func(o int32, n int) { do(off+o, n) })
}

// EachWordOf calls do for each piece of size bytes that is aligned in two
// areas, which begin at offsets a and b, with the distance from there: the
// verifier takes no other access to the stack.
func (f *Builder) EachWordOf(a, b int32, size int, do func(at int32, n int)) {
	for at := int32(0); int(at) < size; {
		n := int32(8)
		for at+n > int32(size) || (a+at)%n != 0 || (b+at)%n != 0 {
			n /= 2
		}
		do(at, int(n))
		at += n
	}
}

// CopyMem copies between areas that the verifier knows.
func (f *Builder) CopyMem(dst ir.Reg, dstOff int32, src ir.Reg, srcOff int32, size int) {
	if size > maxUnrolled {
		f.CopyKernel(f.AddConst(ir.R(dst), int64(dstOff)), ir.I(int64(size)), f.AddConst(ir.R(src), int64(srcOff)))
		return
	}
	f.EachWordOf(dstOff, srcOff, size, func(o int32, n int) { f.Store(dst, dstOff+o, f.Load(src, srcOff+o, n, false), n) })
}

// StoreText writes a constant text, zero-filled to size: at least its last byte is 0.
func (f *Builder) StoreText(base ir.Reg, off int32, text string, size int) {
	f.StoreBytes(base, off, text[:min(len(text), size-1)], size)
}

// StoreBytes writes constant bytes, zero-filled to size.
func (f *Builder) StoreBytes(base ir.Reg, off int32, data string, size int) {
	used := min((len(data)+8)&^7, size)
	f.EachWord(off, used, func(o int32, w int) {
		v, _ := word(data, int(o-off), int(o-off)+w)
		f.Store(base, o, ir.I(v), w)
	})
	if size > used {
		f.Zero(base, off+int32(used), size-used)
	}
}
