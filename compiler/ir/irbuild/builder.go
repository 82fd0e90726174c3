package irbuild

import (
	"fst/compiler/ir"
	"fst/lang/source"
)

// Builder appends instructions to a function.
type Builder struct {
	Func *ir.Func
	Cur  *ir.Block   // where instructions go
	Span source.Span // the place in the script that they are for
}

// Emit appends an instruction.
func (f *Builder) Emit(in ir.Instr) {
	in.Span = f.Span
	if f.Cur.Instrs == nil {
		f.Cur.Instrs = make([]ir.Instr, 0, 4)
	}
	f.Cur.Instrs = append(f.Cur.Instrs, in)
}

// Reg puts an operand into a register.
func (f *Builder) Reg(o ir.Operand) ir.Reg {
	if !o.IsImm() {
		return o.Reg
	}
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpConst, Dst: r, A: o})
	return r
}

// NewVar copies an operand into a register of its own, to be assigned again (Set).
func (f *Builder) NewVar(o ir.Operand) ir.Reg {
	r := f.Func.NewReg()
	f.Set(r, o)
	return r
}

// Set assigns to a register.
func (f *Builder) Set(r ir.Reg, o ir.Operand) {
	if o.IsImm() {
		f.Emit(ir.Instr{Op: ir.OpConst, Dst: r, A: o})
	} else {
		f.Emit(ir.Instr{Op: ir.OpCopy, Dst: r, A: o})
	}
}

// Op emits arithmetic and returns its result.
func (f *Builder) Op(op ir.Op, a, b ir.Operand) ir.Operand {
	if a.IsImm() {
		a = ir.R(f.Reg(a))
	}
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: op, Dst: r, A: a, B: b})
	return ir.R(r)
}

// AddConst adds a constant, leaving the operand alone if it is 0.
func (f *Builder) AddConst(a ir.Operand, n int64) ir.Operand {
	if n == 0 {
		return a
	}
	if a.IsImm() {
		return ir.I(a.Imm + n)
	}
	return f.Op(ir.OpAdd, a, ir.I(n))
}

// Extend widens the lowest size bytes of a number to 64 bits.
func (f *Builder) Extend(a ir.Operand, size int, signed bool) ir.Operand {
	if size >= 8 {
		return a
	}
	if a.IsImm() {
		return ir.I(ir.Extend(a.Imm, int8(size), signed))
	}
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpExt, Dst: r, A: a, Size: int8(size), Signed: signed})
	return ir.R(r)
}

// Fact asks the kernel for a fact, of the context if it is one of its event.
func (f *Builder) Fact(fact ir.Fact, of ...ir.Operand) ir.Operand {
	in := ir.Instr{Op: ir.OpGet, Dst: f.Func.NewReg(), Fact: fact}
	if len(of) > 0 {
		in.A = of[0]
	}
	f.Emit(in)
	return ir.R(in.Dst)
}

// CopyKernel copies size bytes of the kernel's or of the program itself to dst.
func (f *Builder) CopyKernel(dst, size, src ir.Operand) {
	f.Emit(ir.Instr{Op: ir.OpReadMem, Space: ir.SpaceKernel, Args: []ir.Operand{dst, size, src}})
}

// CopyText copies a text of the program itself, up to its NUL, of at most size bytes to dst. It returns how many
// bytes it is, with the NUL.
func (f *Builder) CopyText(dst, size, src ir.Operand) ir.Operand {
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpReadMem, Dst: r, Space: ir.SpaceKernel, Text: true, Args: []ir.Operand{dst, size, src}})
	return ir.R(r)
}

// Map names a map: by its index in Object.Maps and, where several have that, by a register.
type Map struct {
	Index int
	In    ir.Operand
}

// MapOp does something to a map. What is done by one Map is done to one map.
func (f *Builder) MapOp(m Map, op ir.Op, args ...ir.Operand) ir.Operand {
	r := f.Func.NewReg()
	room := make([]ir.Operand, 0, 4) // for those that a helper is given besides
	f.Emit(ir.Instr{Op: op, Dst: r, Map: int32(m.Index), A: m.In, Args: append(room, args...)})
	return ir.R(r)
}

// Do does something by an operation whose operands are arguments.
func (f *Builder) Do(op ir.Op, args ...ir.Operand) ir.Operand { return f.MapOp(Map{}, op, args...) }

// ThreadValue is the address of the running thread's value in a map that is kept with the threads, or 0.
func (f *Builder) ThreadValue(m int, create bool) ir.Operand {
	flag := ir.I(0)
	if create {
		flag.Imm = 1
	}
	return f.MapOp(Map{Index: m}, ir.OpMapThread, flag)
}

// SendRecord has fill write a record of size bytes, which user space gets, and else full.
func (f *Builder) SendRecord(ring, size int, control bool, fill func(rec ir.Reg), full func()) {
	rec, how := f.Func.NewReg(), ir.I(0)
	if control {
		how.Imm = 1
	}
	f.Emit(ir.Instr{Op: ir.OpReserve, Dst: rec, Map: int32(ring), A: ir.I(int64(size)), B: how})
	reserved, none, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	f.Branch(ir.Ne, ir.R(rec), ir.I(0), reserved, none)
	f.SetBlock(none)
	full()
	f.Jump(done)
	f.SetBlock(reserved)
	fill(rec)
	f.Emit(ir.Instr{Op: ir.OpSubmit, Map: int32(ring), A: ir.R(rec), B: how})
	f.Label(done)
}

// CommTo writes the name of the running thread, of at most size bytes, to dst.
func (f *Builder) CommTo(dst ir.Operand, size int) {
	f.Emit(ir.Instr{Op: ir.OpComm, Args: []ir.Operand{dst, ir.I(int64(size))}})
}

// MapValue is the address of the value of a map that has one, an array's.
func (f *Builder) MapValue(m int, off int32) ir.Reg {
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpMapValue, Dst: r, Map: int32(m), Off: off})
	return r
}
