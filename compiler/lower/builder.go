package lower

import (
	"fst/compiler/ir"
	"fst/lang/ast"
	"fst/lang/source"
)

// builder appends instructions to a function. It knows nothing of what the checker found.
type builder struct {
	f    *ir.Func
	cur  *ir.Block   // where instructions go
	span source.Span // the place in the script that they are for
}

func (f *builder) emit(in ir.Instr) {
	in.Span = f.span
	if f.cur.Instrs == nil {
		f.cur.Instrs = make([]ir.Instr, 0, 4)
	}
	f.cur.Instrs = append(f.cur.Instrs, in)
}

func (f *builder) at(n ast.Node) func() {
	old := f.span
	f.span = n.Pos()
	return func() { f.span = old }
}

func (f *builder) block() *ir.Block { return f.f.NewBlock() }

func (f *builder) jump(to *ir.Block) {
	if f.cur.Term.Kind == ir.TermInvalid {
		f.cur.Term = ir.Term{Kind: ir.TermJump, Then: to, Span: f.span}
	}
}

func (f *builder) branch(c ir.Cond, a, b ir.Operand, then, els *ir.Block) {
	if f.cur.Term.Kind != ir.TermInvalid {
		return
	}
	if a.IsImm() {
		a = ir.R(f.reg(a))
	}
	f.cur.Term = ir.Term{Kind: ir.TermBranch, Cond: c, A: a, B: b, Then: then, Else: els, Span: f.span}
}

func (f *builder) use(b *ir.Block) { f.cur = b }

// goOn goes on at a block.
func (f *builder) goOn(at *ir.Block) {
	f.jump(at)
	f.use(at)
}

// decide goes on where something known leads.
func (f *builder) decide(yes bool, then, els *ir.Block) {
	if !yes {
		then = els
	}
	f.jump(then)
}

// when has body run if a condition holds.
func (f *builder) when(c ir.Cond, a, b ir.Operand, body func()) {
	then, done := f.block(), f.block()
	f.branch(c, a, b, then, done)
	f.use(then)
	body()
	f.goOn(done)
}

// either has one of two run.
func (f *builder) either(c ir.Cond, a, b ir.Operand, body, other func()) {
	f.fork(func(then, els *ir.Block) { f.branch(c, a, b, then, els) }, body, other)
}

// fork has one of two run, as test decides.
func (f *builder) fork(test func(then, els *ir.Block), body, other func()) {
	then, els, done := f.block(), f.block(), f.block()
	test(then, els)
	f.use(then)
	body()
	f.jump(done)
	f.use(els)
	other()
	f.goOn(done)
}

// valueIf is what get gives if a condition holds, and else other.
func (f *builder) valueIf(c ir.Cond, a, b, other ir.Operand, get func() ir.Operand) ir.Operand {
	out := f.fresh(other)
	f.when(c, a, b, func() { f.set(out, get()) })
	return ir.R(out)
}

// upTo runs body while a register, which each turn makes one more, is below a limit, and then goes on at done.
func (f *builder) upTo(i ir.Reg, below ir.Cond, limit ir.Operand, next, done *ir.Block, body func()) {
	head := f.block()
	f.goOn(head)
	f.goOnIf(below, ir.R(i), limit, done)
	body()
	f.goOn(next)
	f.emit(ir.Instr{Op: ir.OpAdd, Dst: i, A: ir.R(i), B: ir.I(1)})
	f.jump(head)
	f.use(done)
}

// goOnIf goes on if a condition holds, and else to other.
func (f *builder) goOnIf(c ir.Cond, a, b ir.Operand, other *ir.Block) {
	then := f.block()
	f.branch(c, a, b, then, other)
	f.use(then)
}

// reg puts an operand into a register.
func (f *builder) reg(o ir.Operand) ir.Reg {
	if !o.IsImm() {
		return o.Reg
	}
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpConst, Dst: r, A: o})
	return r
}

// fresh copies an operand into a register of its own, to be assigned again.
func (f *builder) fresh(o ir.Operand) ir.Reg {
	r := f.f.NewReg()
	f.set(r, o)
	return r
}

func (f *builder) set(r ir.Reg, o ir.Operand) {
	if o.IsImm() {
		f.emit(ir.Instr{Op: ir.OpConst, Dst: r, A: o})
	} else {
		f.emit(ir.Instr{Op: ir.OpCopy, Dst: r, A: o})
	}
}

// op emits arithmetic and returns its result.
func (f *builder) op(op ir.Op, a, b ir.Operand) ir.Operand {
	if a.IsImm() {
		a = ir.R(f.reg(a))
	}
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: op, Dst: r, A: a, B: b})
	return ir.R(r)
}

// add adds a constant, leaving the operand alone if it is 0.
func (f *builder) add(a ir.Operand, n int64) ir.Operand {
	if n == 0 {
		return a
	}
	if a.IsImm() {
		return ir.I(a.Imm + n)
	}
	return f.op(ir.OpAdd, a, ir.I(n))
}

func (f *builder) ext(a ir.Operand, size int, signed bool) ir.Operand {
	if size >= 8 {
		return a
	}
	if a.IsImm() {
		return ir.I(ir.Extend(a.Imm, int8(size), signed))
	}
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpExt, Dst: r, A: a, Size: int8(size), Signed: signed})
	return ir.R(r)
}

// near returns base and off for an instruction, whose offset has 16 bits.
func (f *builder) near(base ir.Reg, off int32) (ir.Reg, int32) {
	if off == int32(int16(off)) {
		return base, off
	}
	return f.op(ir.OpAdd, ir.R(base), ir.I(int64(off))).Reg, 0
}

func (f *builder) load(base ir.Reg, off int32, size int, signed bool) ir.Operand {
	base, off = f.near(base, off)
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpLoad, Dst: r, A: ir.R(base), Off: off, Size: int8(size), Signed: signed})
	return ir.R(r)
}

func (f *builder) store(base ir.Reg, off int32, v ir.Operand, size int) {
	base, off = f.near(base, off)
	if v.IsImm() && size == 8 && int64(int32(v.Imm)) != v.Imm {
		v = ir.R(f.reg(v))
	}
	f.emit(ir.Instr{Op: ir.OpStore, A: ir.R(base), B: v, Off: off, Size: int8(size)})
}

// get gets a fact, of the context if it is one of its event.
func (f *builder) get(fact ir.Fact, of ...ir.Operand) ir.Operand {
	in := ir.Instr{Op: ir.OpGet, Dst: f.f.NewReg(), Fact: fact}
	if len(of) > 0 {
		in.A = of[0]
	}
	f.emit(in)
	return ir.R(in.Dst)
}

// copyFrom copies size bytes of the kernel's or of the program itself to dst.
func (f *builder) copyFrom(dst, size, src ir.Operand) {
	f.emit(ir.Instr{Op: ir.OpReadMem, Space: ir.SpaceKernel, Args: []ir.Operand{dst, size, src}})
}

// copyText copies a text of the program itself, up to its NUL, of at most size bytes to dst. It returns how many
// bytes it is, with the NUL.
func (f *builder) copyText(dst, size, src ir.Operand) ir.Operand {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpReadMem, Dst: r, Space: ir.SpaceKernel, Text: true, Args: []ir.Operand{dst, size, src}})
	return ir.R(r)
}

func (f *builder) slotAddr(slot int32, off int32) ir.Reg {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpSlotAddr, Dst: r, Slot: slot, Off: off})
	return r
}

// slot makes memory and returns its address.
func (f *builder) slot(name string, size int) ir.Reg {
	return f.slotAddr(f.f.NewSlot(name, room(size), 8), 0)
}

// room is what a value takes of the stack: whole words, of () one, for it has an
// address, too.
func room(size int) int { return max((size+7)&^7, 8) }

// nearSlot is memory for addresses, or for the context of a callback.
func (f *builder) nearSlot(name string, size int) int32 {
	s := f.f.NewSlot(name, room(size), 8)
	f.f.Slots[s].Near = true
	return s
}

// farSlot is memory that may be read at any address in it.
func (f *builder) farSlot(name string, size int) ir.Reg {
	s := f.f.NewSlot(name, room(size), 8)
	f.f.Slots[s].Far = true
	return f.slotAddr(s, 0)
}

// mapRef names a map: by its index in Object.Maps and, where several have that, by a register.
type mapRef struct {
	index int
	in    ir.Operand
}

// on does something to a map. What is done by one mapRef is done to one map.
func (f *builder) on(m mapRef, op ir.Op, args ...ir.Operand) ir.Operand {
	r := f.f.NewReg()
	room := make([]ir.Operand, 0, 4) // for those that a helper is given besides
	f.emit(ir.Instr{Op: op, Dst: r, Map: int32(m.index), A: m.in, Args: append(room, args...)})
	return ir.R(r)
}

// do does something by an operation whose operands are arguments.
func (f *builder) do(op ir.Op, args ...ir.Operand) ir.Operand { return f.on(mapRef{}, op, args...) }

// threadValue is the address of the running thread's value in a map that is kept with the threads, or 0.
func (f *builder) threadValue(m int, create bool) ir.Operand {
	flag := ir.I(0)
	if create {
		flag.Imm = 1
	}
	return f.on(mapRef{index: m}, ir.OpMapThread, flag)
}

// sendRecord has fill write a record of size bytes, which user space gets, and else full.
func (f *builder) sendRecord(ring, size int, control bool, fill func(rec ir.Reg), full func()) {
	rec, how := f.f.NewReg(), ir.I(0)
	if control {
		how.Imm = 1
	}
	f.emit(ir.Instr{Op: ir.OpReserve, Dst: rec, Map: int32(ring), A: ir.I(int64(size)), B: how})
	reserved, none, done := f.block(), f.block(), f.block()
	f.branch(ir.Ne, ir.R(rec), ir.I(0), reserved, none)
	f.use(none)
	full()
	f.jump(done)
	f.use(reserved)
	fill(rec)
	f.emit(ir.Instr{Op: ir.OpSubmit, Map: int32(ring), A: ir.R(rec), B: how})
	f.goOn(done)
}

// comm writes the name of the running thread, of at most size bytes, to dst.
func (f *builder) commTo(dst ir.Operand, size int) {
	f.emit(ir.Instr{Op: ir.OpComm, Args: []ir.Operand{dst, ir.I(int64(size))}})
}

func (f *builder) mapValue(m int, off int32) ir.Reg {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpMapValue, Dst: r, Map: int32(m), Off: off})
	return r
}

// zero clears memory that the verifier lets us write to. Large areas are
// cleared by a probe read of address 0, which fails at once and zeroes the
// destination (bpf_probe_read_kernel's contract).
func (f *builder) zero(base ir.Reg, off int32, size int) {
	if size > maxUnrolledCopyBytes {
		f.copyFrom(f.add(ir.R(base), int64(off)), ir.I(int64(size)), ir.I(0))
		return
	}
	f.eachWord(off, size, func(o int32, n int) { f.store(base, o, ir.I(0), n) })
}

// eachWord calls do for each aligned piece of [off, off+size).
func (f *builder) eachWord(off int32, size int, do func(off int32, n int)) {
	f.eachWordOf(off, off, size, func(o int32, n int) { do(off+o, n) })
}

// eachWordOf calls do for each piece of size bytes that is aligned in two
// areas, which begin at offsets a and b, with the distance from there: the
// verifier takes no other access to the stack.
func (f *builder) eachWordOf(a, b int32, size int, do func(at int32, n int)) {
	for at := int32(0); int(at) < size; {
		n := int32(8)
		for at+n > int32(size) || (a+at)%n != 0 || (b+at)%n != 0 {
			n /= 2
		}
		do(at, int(n))
		at += n
	}
}

// copyMem copies between areas that the verifier knows.
func (f *builder) copyMem(dst ir.Reg, dstOff int32, src ir.Reg, srcOff int32, size int) {
	if size > maxUnrolledCopyBytes {
		f.copyFrom(f.add(ir.R(dst), int64(dstOff)), ir.I(int64(size)), f.add(ir.R(src), int64(srcOff)))
		return
	}
	f.eachWordOf(dstOff, srcOff, size, func(o int32, n int) { f.store(dst, dstOff+o, f.load(src, srcOff+o, n, false), n) })
}

// bytes writes a constant text, zero-filled to size: at least its last byte is 0.
func (f *builder) bytes(base ir.Reg, off int32, text string, size int) {
	f.rawBytes(base, off, text[:min(len(text), size-1)], size)
}

// rawBytes writes constant bytes, zero-filled to size.
func (f *builder) rawBytes(base ir.Reg, off int32, data string, size int) {
	used := min((len(data)+8)&^7, size)
	f.eachWord(off, used, func(o int32, w int) {
		v, _ := word(data, int(o-off), int(o-off)+w)
		f.store(base, o, ir.I(v), w)
	})
	if size > used {
		f.zero(base, off+int32(used), size-used)
	}
}
