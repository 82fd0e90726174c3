package lower

import (
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// fn builds one ir.Func of a program: the main function or a callback.
type fn struct {
	*lowerer
	u    *check.Unit
	p    *prog
	f    *ir.Func
	cur  *ir.Block
	span source.Span

	ctx  ir.Reg // the context
	exit *ir.Block
	// result is what the function returns from exit.
	result ir.Reg
	// failed has a bit for each place of readSites, set after a read of memory
	// failed there; 0 before a function has its registers.
	failed    ir.Reg
	readSites []int // indexes in Object.Reads

	vars  map[*check.Var]*place
	first *ir.Block // where the statements begin, behind the filter
	depth int       // of statements that the present place is in
	loops []loop
	// inlines are the clauses that expansion has put in round the present
	// place, innermost last.
	inlines []inline
	// exits are where return leads from what is put in round the present
	// statement, innermost last; those that callbacks lie in are not theirs.
	exits []*ir.Block
	// capture is the base of captured variables, and parent what a callback
	// returns to.
	capture ir.Reg
	parent  *fn

	// threadValues are the values in task storage that the filter has looked
	// up: they are found for the whole body. inFilter is true while such a
	// part of the filter is compiled that every run of the body passes.
	threadValues map[*check.Map]ir.Reg
	inFilter     bool

	// typedNull is set while a pointer is worked out that a helper wants to know
	// the type of: where to go if a pointer on the way is null.
	typedNull *ir.Block

	// drainedHere is the map that the present statement shows as it was when it
	// was emptied, or nil.
	drainedHere *check.Map

	// ring is the record that is being filled, or 0.
	ring ir.Reg

	scratch int32 // 8-byte slot for probe reads, made when needed
}

// loop is where break and continue go.
type loop struct {
	brk, cont *ir.Block
}

// inline is a clause that is put into another.
type inline struct {
	node *ast.Inline
	// noted is the index in Object.Noted of its probe, or -1.
	noted int
}

// place is where a $variable lives: a register or memory.
type place struct {
	t    *types.Type
	reg  ir.Reg
	slot int32 // if reg is 0 and cap < 0
	cap  int32 // offset in the capture area, or -1
	far  bool  // cap is an offset in the area's far part
	kv   *kvRef
}

// kvRef is the (key, value) of a for-over-map body.
type kvRef struct {
	m          *check.Map
	key, value ir.Reg
	mapReg     ir.Reg
	kept       [2]*value // copies of the key and the value, see keepPair
}

// prog is one program being built.
type prog struct {
	obj   *object.Program
	ir    *ir.Program
	kind  object.ProgramKind
	hook  object.Hook
	multi bool
	// allSys is "enter" or "exit" if the context is that of the event
	// raw_syscalls:sys_enter or sys_exit, or of the raw tracepoint of that name.
	allSys string
	// pairArgs has the words kept from the entry, once loaded; took is the
	// register of `took`.
	pairArgs map[string][]ir.Reg
	took     ir.Reg
	// nr is the system call's number in allSys programs that have tested it.
	nr ir.Reg
	// entry is true in the entry half of a paired probe.
	entry bool
	// repeated are the loops over ranges that stand in another loop, whose turns
	// the verifier walks through one by one.
	repeated map[*ast.ForRange]bool
	// heavy notes of while loops whether they are run by bpf_loop.
	heavy map[*ast.While]bool
	// addressed are the variables whose address the body takes, once somebody asked.
	addressed map[*check.Var]bool
	// captured is what loop callbacks share with the body; nil without them.
	captured *captured
	// pending is how many branches of searches the verifier puts off.
	pending int
	// searches are the functions that search texts, by the sizes of both.
	searches map[[2]int]int32
}

func (f *fn) emit(in ir.Instr) {
	in.Span = f.span
	if f.cur.Instrs == nil {
		f.cur.Instrs = make([]ir.Instr, 0, 4)
	}
	f.cur.Instrs = append(f.cur.Instrs, in)
}

func (f *fn) at(n ast.Node) func() {
	old := f.span
	f.span = n.Pos()
	return func() { f.span = old }
}

func (f *fn) block() *ir.Block { return f.f.NewBlock() }

func (f *fn) jump(to *ir.Block) {
	if f.cur.Term.Kind == ir.TermInvalid {
		f.cur.Term = ir.Term{Kind: ir.TermJump, Then: to, Span: f.span}
	}
}

func (f *fn) branch(c ir.Cond, a, b ir.Operand, then, els *ir.Block) {
	if f.cur.Term.Kind != ir.TermInvalid {
		return
	}
	if a.IsImm() {
		a = ir.R(f.reg(a))
	}
	f.cur.Term = ir.Term{Kind: ir.TermBranch, Cond: c, A: a, B: b, Then: then, Else: els, Span: f.span}
}

func (f *fn) use(b *ir.Block) { f.cur = b }

// reg puts an operand into a register.
func (f *fn) reg(o ir.Operand) ir.Reg {
	if !o.IsImm() {
		return o.Reg
	}
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpConst, Dst: r, A: o})
	return r
}

// fresh copies an operand into a register of its own, to be assigned again.
func (f *fn) fresh(o ir.Operand) ir.Reg {
	r := f.f.NewReg()
	f.set(r, o)
	return r
}

func (f *fn) set(r ir.Reg, o ir.Operand) {
	if o.IsImm() {
		f.emit(ir.Instr{Op: ir.OpConst, Dst: r, A: o})
	} else {
		f.emit(ir.Instr{Op: ir.OpCopy, Dst: r, A: o})
	}
}

// op emits arithmetic and returns its result.
func (f *fn) op(op ir.Op, a, b ir.Operand) ir.Operand {
	if a.IsImm() {
		a = ir.R(f.reg(a))
	}
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: op, Dst: r, A: a, B: b})
	return ir.R(r)
}

// add adds a constant, leaving the operand alone if it is 0.
func (f *fn) add(a ir.Operand, n int64) ir.Operand {
	if n == 0 {
		return a
	}
	if a.IsImm() {
		return ir.I(a.Imm + n)
	}
	return f.op(ir.OpAdd, a, ir.I(n))
}

func (f *fn) ext(a ir.Operand, size int, signed bool) ir.Operand {
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

func (f *fn) load(base ir.Reg, off int32, size int, signed bool) ir.Operand {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpLoad, Dst: r, A: ir.R(base), Off: off, Size: int8(size), Signed: signed})
	return ir.R(r)
}

func (f *fn) store(base ir.Reg, off int32, v ir.Operand, size int) {
	if v.IsImm() && size == 8 && int64(int32(v.Imm)) != v.Imm {
		v = ir.R(f.reg(v))
	}
	f.emit(ir.Instr{Op: ir.OpStore, A: ir.R(base), B: v, Off: off, Size: int8(size)})
}

func (f *fn) call(helper int32, args ...ir.Operand) ir.Operand {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpCall, Dst: r, Helper: helper, Args: args})
	return ir.R(r)
}

func (f *fn) callVoid(helper int32, args ...ir.Operand) {
	f.emit(ir.Instr{Op: ir.OpCall, Helper: helper, Args: args})
}

func (f *fn) slotAddr(slot int32, off int32) ir.Reg {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpSlotAddr, Dst: r, Slot: slot, Off: off})
	return r
}

// slot makes memory and returns its address.
func (f *fn) slot(name string, size int) ir.Reg {
	return f.slotAddr(f.f.NewSlot(name, room(size), 8), 0)
}

// room is what a value takes of the stack: whole words, of () one, for it has an
// address, too.
func room(size int) int { return max((size+7)&^7, 8) }

// nearSlot is memory for addresses, or for the context of a callback.
func (f *fn) nearSlot(name string, size int) int32 {
	s := f.f.NewSlot(name, room(size), 8)
	f.f.Slots[s].Near = true
	return s
}

// farSlot is memory that may be read at any address in it.
func (f *fn) farSlot(name string, size int) ir.Reg {
	s := f.f.NewSlot(name, room(size), 8)
	f.f.Slots[s].Far = true
	return f.slotAddr(s, 0)
}

func (f *fn) mapPtr(m int) ir.Operand {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpMapPtr, Dst: r, Map: int32(m)})
	return ir.R(r)
}

func (f *fn) mapValue(m int, off int32) ir.Reg {
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpMapValue, Dst: r, Map: int32(m), Off: off})
	return r
}

// clause is the index of the present clause in Object.Clauses.
func (f *fn) clause() int {
	if n := len(f.inlines); n > 0 {
		c := f.inlines[n-1].node.Clause
		i, ok := f.inlined[c]
		if !ok {
			i = len(f.obj.Clauses)
			f.inlined[c] = i
			f.obj.Clauses = append(f.obj.Clauses, c.Span)
		}
		return i
	}
	return f.u.Index
}

// loss counts something that was lost, for the present clause.
func (f *fn) loss(kind object.LossKind) { f.lossThen(kind, nil) }

// lossThen counts something that was lost. What first emits, if it is not nil,
// runs when it is the first of its kind in the clause (on two CPUs at once,
// either may take its own for the first).
//
// There is such code at every place where something can fail, and it hardly
// ever runs: it is short, rather than fast on many CPUs.
func (f *fn) lossThen(kind object.LossKind, first func()) {
	p := f.mapValue(f.obj.Loss, int32(8*(f.clause()*object.LossKinds+int(kind))))
	if first == nil {
		f.emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(p), B: ir.I(1), Size: 8})
		return
	}
	n := f.load(p, 0, 8, false)
	f.emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(p), B: ir.I(1), Size: 8})
	tell, done := f.block(), f.block()
	f.branch(ir.Eq, n, ir.I(0), tell, done)
	f.use(tell)
	first()
	f.jump(done)
	f.use(done)
}

// probeRead copies size bytes from kernel or user memory to dst. The
// destination is zeroed if the read fails.
func (f *fn) probeRead(dst ir.Operand, size int, src ir.Operand, user bool) {
	f.noteRead(f.call(readHelper(user, false), dst, ir.I(int64(size)), src), user)
}

// zero clears memory that the verifier lets us write to. Large areas are
// cleared by a probe read of address 0, which fails at once and zeroes the
// destination (bpf_probe_read_kernel's contract).
func (f *fn) zero(base ir.Reg, off int32, size int) {
	if size > maxUnrolledCopyBytes {
		f.callVoid(helperReadKernel, f.add(ir.R(base), int64(off)), ir.I(int64(size)), ir.I(0))
		return
	}
	f.eachWord(off, size, func(o int32, n int) { f.store(base, o, ir.I(0), n) })
}

// eachWord calls do for each aligned piece of [off, off+size).
func (f *fn) eachWord(off int32, size int, do func(off int32, n int)) {
	f.eachWordOf(off, off, size, func(o int32, n int) { do(off+o, n) })
}

// eachWordOf calls do for each piece of size bytes that is aligned in two
// areas, which begin at offsets a and b, with the distance from there: the
// verifier takes no other access to the stack.
func (f *fn) eachWordOf(a, b int32, size int, do func(at int32, n int)) {
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
func (f *fn) copyMem(dst ir.Reg, dstOff int32, src ir.Reg, srcOff int32, size int) {
	if size > maxUnrolledCopyBytes {
		f.callVoid(helperReadKernel, f.add(ir.R(dst), int64(dstOff)), ir.I(int64(size)), f.add(ir.R(src), int64(srcOff)))
		return
	}
	f.eachWordOf(dstOff, srcOff, size, func(o int32, n int) { f.store(dst, dstOff+o, f.load(src, srcOff+o, n, false), n) })
}

// bytes writes a constant text, zero-filled to size: at least its last byte is 0.
func (f *fn) bytes(base ir.Reg, off int32, text string, size int) {
	f.rawBytes(base, off, text[:min(len(text), size-1)], size)
}

// rawBytes writes constant bytes, zero-filled to size.
func (f *fn) rawBytes(base ir.Reg, off int32, data string, size int) {
	used := min((len(data)+8)&^7, size)
	f.eachWord(off, used, func(o int32, w int) {
		var v uint64
		for i := 0; i < w; i++ {
			if at := int(o-off) + i; at < len(data) {
				v |= uint64(data[at]) << (8 * i)
			}
		}
		f.store(base, o, ir.I(int64(v)), w)
	})
	if size > used {
		f.zero(base, off+int32(used), size-used)
	}
}
