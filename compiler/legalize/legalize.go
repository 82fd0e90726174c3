// Package legalize makes the operations of package ir that say what is wanted (from OpGet on)
// those that say how the kernel is asked: it alone knows by which helper a fact is got, memory
// is read, and a map is used.
package legalize

import (
	"slices"

	"fst/compiler/ir"
)

// Options are what the result depends on.
type Options struct {
	// Nested is set if this process is in a PID namespace of its own, which Dev and Inode
	// name.
	Nested     bool
	Dev, Inode uint64
	// RingSize is how many bytes the ring buffer has.
	RingSize int
}

// Program legalizes all functions of p.
func Program(p *ir.Program, o Options) {
	var room []ir.Instr
	for _, f := range p.Funcs {
		l := legalizer{Options: o, f: f, out: room}
		l.dropUnsetBits()
		l.findTurns()
		for _, b := range f.Blocks {
			l.block(b)
		}
		room = l.out
		f.Failed, f.Aliased, f.Members = 0, false, nil // what OpRead alone has to do with
	}
}

// dropUnsetBits decides the branches on bits of Failed that nothing sets: those of reads that were left out.
func (l *legalizer) dropUnsetBits() {
	var set int64
	for _, b := range l.f.Blocks {
		for i := range b.Instrs {
			switch in := &b.Instrs[i]; {
			case in.Bit != 0:
				set |= 1 << in.Bit
			case l.f.Failed != 0 && in.Dst == l.f.Failed && in.Op == ir.OpOr && in.B.IsImm():
				set |= in.B.Imm
			case l.f.Failed != 0 && in.Dst == l.f.Failed && in.Op != ir.OpConst:
				return // not known
			}
		}
	}
	for _, b := range l.f.Blocks {
		if t := &b.Term; l.f.Failed != 0 && t.Kind == ir.TermBranch && t.Cond == ir.Set && t.A.Reg == l.f.Failed && t.B.IsImm() && t.B.Imm&set == 0 {
			*t = ir.Term{Kind: ir.TermJump, Then: t.Else, Span: t.Span}
		}
	}
}

type legalizer struct {
	Options
	f     *ir.Func
	from  ir.Instr   // what is made legal
	b     *ir.Block  // where what is made of it goes
	out   []ir.Instr // what will be in b: in memory that all blocks share
	turns []ir.Reg   // the maps that OpMapTurn finds: the verifier wants to be shown that there are such
	// used has the registers of records, each with the one of how much of the ring was in use before.
	used [][2]ir.Reg
	// slots are the memory of reads, and of the ids in a namespace, plus one; 0 before they are needed.
	read, ids, index int32
}

func (l *legalizer) findTurns() {
	for _, b := range l.f.Blocks {
		for i := range b.Instrs {
			if b.Instrs[i].Op == ir.OpMapTurn {
				l.turns = append(l.turns, b.Instrs[i].Dst)
			}
		}
	}
}

func (l *legalizer) block(b *ir.Block) {
	if !slices.ContainsFunc(b.Instrs, func(in ir.Instr) bool { return in.Op >= ir.OpGet }) {
		return
	}
	from, term := b.Instrs, b.Term
	l.b, l.out = b, l.out[:0]
	for i := range from {
		l.from = from[i]
		switch l.from.Op {
		case ir.OpGet:
			l.get()
		case ir.OpRead:
			l.readNumber()
		case ir.OpReadMem:
			l.note(l.helper(reader(l.from.Space, l.from.Text), l.from.Dst, l.from.Args...))
		case ir.OpMapTurn:
			l.mapTurn()
		case ir.OpMapThread:
			l.mapThread()
		case ir.OpReserve:
			l.reserve()
		case ir.OpSubmit:
			l.submit()
		case ir.OpStack:
			l.helper(ir.HelperGetStack, l.from.Dst, l.from.A, l.from.Args[0], l.from.Args[1], l.stackFlags())
		case ir.OpPrintFile:
			l.printFile()
		default:
			if c := calls[l.from.Op]; c.helper != 0 {
				l.call(c)
			} else {
				l.out = append(l.out, l.from)
			}
		}
	}
	if l.b == b && len(l.out) <= cap(from) {
		b.Instrs = append(from[:0], l.out...)
	} else {
		l.end(term, nil)
	}
}

func (l *legalizer) emit(in ir.Instr) {
	in.Span = l.from.Span
	l.out = append(l.out, in)
}

// helper calls one for a result, in a register of its own if the result may be noted and there is none.
func (l *legalizer) helper(n int32, dst ir.Reg, args ...ir.Operand) ir.Reg {
	if dst == 0 && l.from.Bit != 0 {
		dst = l.f.NewReg()
	}
	l.emit(ir.Instr{Op: ir.OpCall, Dst: dst, Helper: n, Args: args})
	return dst
}

// note notes whether a read has failed.
func (l *legalizer) note(result ir.Reg) {
	if l.from.Bit == 0 {
		return
	}
	bit := l.f.NewReg()
	l.emit(ir.Instr{Op: ir.OpAnd, Dst: bit, A: ir.R(result), B: ir.I(1 << l.from.Bit)})
	l.emit(ir.Instr{Op: ir.OpOr, Dst: l.f.Failed, A: ir.R(l.f.Failed), B: ir.R(bit)})
}

// slot is memory of 8 bytes that all who ask for it share.
func (l *legalizer) slot(s *int32, name string) ir.Reg {
	if *s == 0 {
		*s = l.f.NewSlot(name, 8, 8) + 1
	}
	r := l.f.NewReg()
	l.emit(ir.Instr{Op: ir.OpSlotAddr, Dst: r, Slot: *s - 1})
	return r
}

// reader is the helper that reads in a space. Where memory is not known to be of a process the
// address itself tells: a kernel function's argument and a member of a kernel's struct may
// point into the process, and a system call's argument or a map's value is often just a
// number. (A kernel's address in what is the process' to fill is not read.)
func reader(s ir.Space, text bool) int32 {
	switch {
	case s == ir.SpaceUser && text:
		return ir.HelperReadUserStr
	case s == ir.SpaceUser:
		return ir.HelperReadUser
	case s == ir.SpaceKernel && text:
		return ir.HelperReadKernelStr
	case s == ir.SpaceKernel:
		return ir.HelperReadKernel
	case text:
		return ir.HelperReadStr
	}
	return ir.HelperRead
}

// jump ends the present block with a jump to another one, where what follows goes.
func (l *legalizer) jump(to *ir.Block) {
	l.end(ir.Term{Kind: ir.TermJump, Then: to, Span: l.from.Span}, to)
}

// branch ends the present block with a branch; what follows goes to then.
func (l *legalizer) branch(c ir.Cond, a, b ir.Operand, then, other *ir.Block) {
	l.end(ir.Term{Kind: ir.TermBranch, Cond: c, A: a, B: b, Then: then, Else: other, Span: l.from.Span}, then)
}

// end ends the present block; what follows goes to another one.
func (l *legalizer) end(t ir.Term, next *ir.Block) {
	l.b.Instrs, l.b.Term = slices.Clone(l.out), t
	l.b, l.out = next, l.out[:0]
}

// Numbers of the kernel's interface.
const (
	updateAny = 0
	updateNew = 1
	enoent    = -2

	ringForceWakeup = 2
	stackUser       = 256
)

func (l *legalizer) mapPtr() ir.Operand {
	r := l.f.NewReg()
	l.emit(ir.Instr{Op: ir.OpMapPtr, Dst: r, Map: l.from.Map})
	return ir.R(r)
}

// mapTurn looks for a map in an array of two.
func (l *legalizer) mapTurn() {
	index, n := l.slot(&l.index, "turn"), l.f.NewReg()
	l.emit(ir.Instr{Op: ir.OpAnd, Dst: n, A: l.from.A, B: ir.I(1)})
	l.emit(ir.Instr{Op: ir.OpStore, A: ir.R(index), B: ir.R(n), Size: 4})
	l.helper(ir.HelperMapLookup, l.from.Dst, l.mapPtr(), ir.R(index))
}

// call is how an operation is done by one helper: it gets the map, if it is one on a map, the arguments, and more.
type call struct {
	helper int32
	more   []ir.Operand
	onMap  bool
	none   int64 // the result if there is no such map
}

var (
	zero  = []ir.Operand{ir.I(0)} // no flags
	calls = [...]call{
		ir.OpMapLookup:    {helper: ir.HelperMapLookup, onMap: true},
		ir.OpMapLookupCPU: {helper: ir.HelperLookupPerCPU, onMap: true},
		ir.OpMapUpdate:    {helper: ir.HelperMapUpdate, onMap: true, none: enoent, more: []ir.Operand{ir.I(updateAny)}},
		ir.OpMapInsert:    {helper: ir.HelperMapUpdate, onMap: true, none: enoent, more: []ir.Operand{ir.I(updateNew)}},
		ir.OpMapDelete:    {helper: ir.HelperMapDelete, onMap: true, none: enoent},
		ir.OpMapEach:      {helper: ir.HelperForEachMapElem, onMap: true, more: zero},

		ir.OpComm: {helper: ir.HelperComm}, ir.OpPath: {helper: ir.HelperDPath}, ir.OpSocketCookie: {helper: ir.HelperSocketCookie},
		ir.OpLoop: {helper: ir.HelperLoop, more: zero}, ir.OpTrace: {helper: ir.HelperTracePrintk},
		ir.OpWriteUser: {helper: ir.HelperProbeWriteUser}, ir.OpOverride: {helper: ir.HelperOverrideReturn},
		ir.OpSignal: {helper: ir.HelperSendSignal}, ir.OpSignalThread: {helper: ir.HelperSendSignalThr},
	}
)

// call calls the helper of an operation.
func (l *legalizer) call(c call) {
	in, m := l.from, l.from.A
	if !c.onMap {
		l.note(l.helper(c.helper, in.Dst, append(in.Args, c.more...)...))
		return
	}
	if m.IsImm() {
		m = l.mapPtr()
	}
	args := append(slices.Insert(in.Args, 0, m), c.more...) // lowering leaves room for them
	if !slices.Contains(l.turns, m.Reg) {
		l.helper(c.helper, in.Dst, args...)
		return
	}
	there, done := l.f.NewBlock(), l.f.NewBlock()
	l.emit(ir.Instr{Op: ir.OpConst, Dst: in.Dst, A: ir.I(c.none)})
	l.branch(ir.Ne, m, ir.I(0), there, done)
	l.helper(c.helper, in.Dst, args...)
	l.jump(done)
}

// printFile finds the file: the first member of what the first member of the context points to.
func (l *legalizer) printFile() {
	in, meta, file := l.from, l.f.NewReg(), l.f.NewReg()
	l.emit(ir.Instr{Op: ir.OpLoad, Dst: meta, A: in.A, Size: 8})
	l.emit(ir.Instr{Op: ir.OpLoad, Dst: file, A: ir.R(meta), Size: 8})
	l.helper(ir.HelperSeqPrintf, in.Dst, slices.Insert(in.Args, 0, ir.R(file))...)
}

// mapThread asks for the value that is kept with the thread.
func (l *legalizer) mapThread() {
	task, flags := l.f.NewReg(), l.from.Args[0]
	m := l.mapPtr()
	l.helper(ir.HelperCurrentTaskBTF, task)
	l.helper(ir.HelperTaskStorageGet, l.from.Dst, m, ir.R(task), ir.I(0), flags) // BPF_LOCAL_STORAGE_GET_F_CREATE is 1
}

// ringControl is how many bytes of the ring are left free for control records, if it is large.
const ringControl = 64 << 10

// reserve asks for a record, unless what is left is for control records.
func (l *legalizer) reserve() {
	in := l.from
	ask := func() { l.helper(ir.HelperRingReserve, in.Dst, l.mapPtr(), in.A, ir.I(0)) }
	if in.B.Imm != 0 {
		ask()
		return
	}
	used := l.f.NewReg()
	l.used = append(l.used, [2]ir.Reg{in.Dst, used})
	full, free, done := l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
	l.helper(ir.HelperRingQuery, used, l.mapPtr(), ir.I(0))
	l.branch(ir.UGt, ir.R(used), ir.Operand{Link: ir.RingLimit, Imm: int64(l.RingSize - min(ringControl, l.RingSize/4))}, full, free)
	l.emit(ir.Instr{Op: ir.OpConst, Dst: in.Dst, A: ir.I(0)})
	l.end(ir.Term{Kind: ir.TermJump, Then: done, Span: in.Span}, free)
	ask()
	l.jump(done)
}

// submit wakes the reader for control records and where the ring becomes a quarter full (up to 2/7,
// as several processors fill it): a wake-up costs 650 ns and more, a query 16. For the first record
// that it has not seen coming the kernel wakes it itself, and one that lags by more is awake.
func (l *legalizer) submit() {
	in, wake := l.from, ir.I(ringForceWakeup)
	if in.B.Imm == 0 {
		flags := l.f.NewReg()
		few, more, done := l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
		l.emit(ir.Instr{Op: ir.OpConst, Dst: flags, A: wake})
		record := slices.IndexFunc(l.used, func(u [2]ir.Reg) bool { return u[0] == in.A.Reg })
		used, most := ir.R(l.used[record][1]), l.f.NewReg()
		quarter := ir.Operand{Link: ir.RingQuarter, Imm: int64(l.RingSize / 4)}
		l.end(ir.Term{Kind: ir.TermBranch, Cond: ir.ULe, A: used, B: quarter, Then: few, Else: more, Span: in.Span}, more)
		l.emit(ir.Instr{Op: ir.OpRsh, Dst: most, A: used, B: ir.I(3)})
		l.emit(ir.Instr{Op: ir.OpSub, Dst: most, A: used, B: ir.R(most)})
		l.branch(ir.UGt, ir.R(most), quarter, few, done)
		l.emit(ir.Instr{Op: ir.OpConst, Dst: flags, A: ir.I(0)})
		l.jump(done)
		wake = ir.R(flags)
	}
	l.helper(ir.HelperRingSubmit, 0, in.A, wake)
}

// stackFlags are those of a stack's space and of how many of its frames are left out.
func (l *legalizer) stackFlags() ir.Operand {
	flags := l.from.Args[2]
	if l.from.Space == ir.SpaceUser {
		flags.Imm |= stackUser
	}
	return flags
}

// readNumber reads into memory, which is 0 after a failure, and loads what is there.
func (l *legalizer) readNumber() {
	in := l.from
	room := l.slot(&l.read, "read")
	at := in.A
	switch {
	case at.IsImm():
		at = ir.I(at.Imm + int64(in.Off))
	case in.Off != 0:
		at = ir.R(l.f.NewReg())
		l.emit(ir.Instr{Op: ir.OpAdd, Dst: at.Reg, A: in.A, B: ir.I(int64(in.Off))})
	}
	l.note(l.helper(reader(in.Space, false), 0, ir.R(room), ir.I(int64(in.Size)), at))
	l.emit(ir.Instr{Op: ir.OpLoad, Dst: in.Dst, A: ir.R(room), Size: in.Size, Signed: in.Signed})
}

// helpers get the facts for which one call is enough.
var helpers = map[ir.Fact]int32{
	ir.FactIDs: ir.HelperPidTgid, ir.FactOwnIDs: ir.HelperPidTgid, ir.FactUserIDs: ir.HelperUidGid, ir.FactCgroup: ir.HelperCgroupID,
	ir.FactTask: ir.HelperCurrentTask, ir.FactTaskPointer: ir.HelperCurrentTaskBTF, ir.FactUserRegs: ir.HelperTaskPtRegs,
	ir.FactCPU: ir.HelperCPU, ir.FactNode: ir.HelperNumaNode, ir.FactRandom: ir.HelperPrandom,
	ir.FactBootTime: ir.HelperKtimeBoot, ir.FactMonotonicTime: ir.HelperKtimeGetNS, ir.FactTAI: ir.HelperKtimeTAI, ir.FactJiffies: ir.HelperJiffies64,
	ir.FactCookie: ir.HelperAttachCookie, ir.FactFunction: ir.HelperGetFuncIP,
}

func (l *legalizer) get() {
	in := l.from
	if in.Fact == ir.FactOwnIDs && l.Nested {
		l.ownIDs()
		return
	}
	var args []ir.Operand
	if in.Fact.Asks() {
		args = []ir.Operand{in.A}
	}
	l.helper(helpers[in.Fact], in.Dst, args...)
}

// ownIDs asks for the ids in a PID namespace: struct bpf_pidns_info has the thread, then the process.
func (l *legalizer) ownIDs() {
	dev, inode, in := l.f.NewReg(), l.f.NewReg(), l.from
	info := l.slot(&l.ids, "pidns")
	l.emit(ir.Instr{Op: ir.OpStore, A: ir.R(info), B: ir.I(0), Size: 8})
	l.emit(ir.Instr{Op: ir.OpConst, Dst: dev, A: ir.I(int64(l.Dev))})
	l.emit(ir.Instr{Op: ir.OpConst, Dst: inode, A: ir.I(int64(l.Inode))})
	l.helper(ir.HelperNSPidTgid, 0, ir.R(dev), ir.R(inode), ir.R(info), ir.I(8))
	l.emit(ir.Instr{Op: ir.OpLoad, Dst: in.Dst, A: ir.R(info), Size: 8})
}
