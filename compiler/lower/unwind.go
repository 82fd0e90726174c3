package lower

import (
	"strings"

	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
)

// unwinder compiles dw_ustack(): the program follows the stack of the current
// process by tables of its binaries (object.UnwindRow), which the runtime reads
// from their .eh_frame and keeps in the kernel by file, not by process: which
// file lies at an address is asked of the kernel's own description of the
// address space. So a process that was started a moment ago needs nothing but
// binaries that are known.
//
// The frames are a key of a map and the value that has their addresses, as with
// the kernel's own map of stacks, so that stacks can be keys and values.
type unwinder struct {
	f     *fn
	limit int
	mem   ir.Reg // of the state, below
	// next and stop are where the step ends.
	next, stop *ir.Block
}

// The state of an unwinding, in memory away from the stack: the value for the
// map of stacks (stackCountAt, stackFramesAt), then what is known of the present
// frame, then room for what is read of the kernel: places relative to unwinder.at.
const (
	unwIP    = 0
	unwSP    = 8
	unwBP    = 16
	unwHash  = 24
	unwEnd   = 32 // how it ended
	unwExact = 40 // the instruction at ip is next: it is not a call that returns there
	unwMM    = 48
	unwStart = 56 // the mapping that ip is in, as last found
	unwStop  = 64
	unwDelta = 72 // from an address to its place in the file
	unwKey   = 80 // object.UnwindKeySize
	unwIndex = 96
	unwRead  = 104
	unwNode  = 112
	unwSize  = unwNode + mapleNodeSize
)

// How an unwinding ended.
const (
	unwCut   = 0 // early: a frame could not be followed
	unwWhole = 1
)

const (
	mapleNodeSize   = 256
	mapleLevels     = 8
	redBlackLevels  = 40
	anonymous       = -1 // the inode of memory without a file
	userCodeSegment = 0x33
	vmExec          = 4
	pageShift       = 12
	framesNoLoop    = 48 // where the verifier walks through every frame
	unwindFiles     = 8192
)

func (l *lowerer) unwindMap() int {
	return l.ownMap(object.Map{Name: object.UnwindMapName, Kind: object.MapUnwind, KeySize: object.UnwindKeySize, ValueSize: 4, MaxEntries: unwindFiles})
}

// at is where a part of the state is.
func (u *unwinder) at(off int32) int32 { return stackFramesAt + 8*int32(u.limit) + off }

func (u *unwinder) get(off int32) ir.Operand    { return u.f.Load(u.mem, u.at(off), 8, false) }
func (u *unwinder) put(off int32, v ir.Operand) { u.f.Store(u.mem, u.at(off), v, 8) }

// tableStack is the user stack, found by tables.
func (f frames) tableStack(t *types.Type) value {
	limit := t.Stack.Limit
	loop := f.t.Has(target.BPFLoop)
	if !loop {
		limit = min(limit, framesNoLoop)
	}
	u := &unwinder{f: f.fn, limit: t.Stack.Limit}
	u.mem = f.FarSlot("unwind", stackFramesAt+8*u.limit+unwSize)
	id := f.NewVar(ir.I(noStack))
	f.Store(u.mem, stackCountAt, ir.I(0), 8)
	run, walked, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	u.begin(run, done)
	f.SetBlock(run)
	if loop {
		near := f.flow.shareWords("unwinding", u.mem)
		cb := f.flow.callback("unwind", 2, 1, func(cb *fn, args []ir.Reg) {
			step := &unwinder{f: cb, limit: u.limit, mem: cb.flow.sharedWord(0), next: cb.exit, stop: cb.NewBlock()}
			step.frame(cb.Extend(ir.R(args[0]), 4, false))
			cb.SetBlock(step.stop)
			cb.Set(cb.result, ir.I(1))
			cb.Jump(cb.exit)
		})
		f.Do(ir.OpLoop, ir.I(int64(limit)), f.flow.funcAddr(cb), ir.R(near))
	} else {
		i := f.NewVar(ir.I(0))
		head := f.NewBlock() // before the block of the next turn: else the verifier of 5.10 sees no end of the loop
		u.next, u.stop = f.NewBlock(), walked
		f.Label(head)
		f.Guard(ir.SLt, ir.R(i), ir.I(int64(limit)), walked)
		u.frame(ir.R(i))
		f.SetBlock(u.next)
		f.Emit(ir.Instr{Op: ir.OpAdd, Dst: i, A: ir.R(i), B: ir.I(1)})
		f.Jump(head)
	}
	f.Label(walked)
	u.keep(id, limit)
	f.Label(done)
	mem := f.Slot("stack", t.Size)
	f.storeWithPID(mem, stackIDAt, ir.R(id))
	return memory(t, mem, 0)
}

// begin finds the registers with which the process left for the kernel, and
// goes to run, or to none if there is no process.
func (u *unwinder) begin(run, none *ir.Block) {
	f := u.f
	ptRegs := int32(21 * 8)
	var regs ir.Operand
	var read func(name string) ir.Operand
	task := f.Fact(ir.FactTask)
	mm := u.kernelField(task, "task_struct", "mm")
	u.put(unwMM, mm)
	f.Guard(ir.Ne, mm, ir.I(0), none)
	if f.t.Since(5<<16|15<<8) && f.t.Has(target.TaskStorage) {
		regs = f.Fact(ir.FactUserRegs, f.Fact(ir.FactTaskPointer))
		read = func(name string) ir.Operand { return f.Load(regs.Reg, regOffsets[name], 8, false) }
	} else {
		// They are at the top of the task's stack in the kernel.
		size := int64(16 << 10)
		if t, ok := f.t.Type("union", "thread_union"); ok {
			size = int64(t.Size)
		}
		regs = f.AddConst(u.kernelField(task, "task_struct", "stack"), size-int64(ptRegs))
		read = func(name string) ir.Operand { return u.kernelWord(f.AddConst(regs, int64(regOffsets[name])), 8) }
	}
	ip := read("ip")
	u.put(unwIP, ip)
	u.put(unwSP, read("sp"))
	u.put(unwBP, read("bp"))
	u.put(unwHash, ir.I(0))
	u.put(unwEnd, ir.I(unwCut))
	u.put(unwExact, ir.I(1))
	u.put(unwStart, ir.I(1))
	u.put(unwStop, ir.I(0))
	f.Guard(ir.Eq, read("cs"), ir.I(userCodeSegment), none)
	f.Branch(ir.Ne, ip, ir.I(0), run, none)
}

// frame records the present frame as the one with an index, and finds that of
// its caller.
func (u *unwinder) frame(index ir.Operand) {
	f := u.f
	f.Guard(ir.ULt, index, ir.I(int64(u.limit)), u.stop)
	ip := u.get(unwIP)
	// A return address belongs to the call before it, which may be the last thing
	// in its function.
	pc := ir.R(f.NewVar(f.Op(ir.OpAdd, f.Op(ir.OpAdd, ip, ir.I(-1)), u.get(unwExact))))
	at := f.Op(ir.OpAdd, ir.R(u.mem), f.Op(ir.OpLsh, index, ir.I(3)))
	f.Store(at.Reg, stackFramesAt, pc, 8)
	f.Store(u.mem, stackCountAt, f.AddConst(index, 1), 8)
	u.put(unwHash, f.Hash(u.get(unwHash), pc))
	find, known := f.NewBlock(), f.NewBlock()
	f.Guard(ir.UGe, pc, u.get(unwStart), find)
	f.Branch(ir.ULt, pc, u.get(unwStop), known, find)
	f.SetBlock(find)
	u.mapping(pc)
	f.Label(known)
	row := u.row(f.Op(ir.OpAdd, pc, u.get(unwDelta)))
	u.follow(row)
}

// row finds the row of the present file's table for a place.
func (u *unwinder) row(place ir.Operand) ir.Operand {
	f := u.f
	row := f.NewVar(ir.I(int64(object.UnwindByFramePointer)))
	done := f.NewBlock()
	f.Guard(ir.Ne, u.get(unwKey), ir.I(anonymous), done)
	table := f.MapOp(irbuild.Map{Index: f.unwindMap()}, ir.OpMapLookup, f.AddConst(ir.R(u.mem), int64(u.at(unwKey))))
	f.Guard(ir.Ne, table, ir.I(0), u.stop)
	index := f.NewVar(ir.I(0))
	// The steps are taken one after the other; those beyond the table's end find
	// nothing.
	for step := int64(1) << object.UnwindSteps; ; step >>= 1 {
		try := ir.I(0) // the first row is there always
		if step < 1<<object.UnwindSteps {
			try = f.Op(ir.OpAdd, ir.R(index), ir.I(step))
		}
		next := f.NewBlock()
		f.Store(u.mem, u.at(unwIndex), try, 4)
		p := f.MapOp(irbuild.Map{Index: f.unwindMap(), In: table}, ir.OpMapLookup, f.AddConst(ir.R(u.mem), int64(u.at(unwIndex))))
		f.Guard(ir.Ne, p, ir.I(0), next)
		v := f.Load(p.Reg, 0, 8, false)
		f.Guard(ir.ULe, f.Op(ir.OpRsh, v, ir.I(object.UnwindPlaceShift)), place, next)
		f.Set(index, f.Load(u.mem, u.at(unwIndex), 4, false))
		f.Set(row, v)
		f.Label(next)
		if step == 1 {
			break
		}
	}
	f.Label(done)
	return ir.R(row)
}

// follow goes from the present frame to its caller's by a row.
func (u *unwinder) follow(row ir.Operand) {
	f := u.f
	sp, bp := u.get(unwSP), u.get(unwBP)
	rule := f.Op(ir.OpAnd, f.Op(ir.OpRsh, row, ir.I(object.UnwindRuleShift)), ir.I(object.UnwindRuleMask))
	words := f.Op(ir.OpArsh, f.Extend(row, 4, true), ir.I(object.UnwindOffsetShift))
	offset := f.Op(ir.OpLsh, words, ir.I(3))
	cfa := f.NewVar(ir.I(0))
	whole, found := f.NewBlock(), f.NewBlock()
	is := func(r object.UnwindRule, then func()) { f.If(ir.Eq, rule, ir.I(int64(r)), then) }
	is(object.UnwindSP, func() {
		f.Set(cfa, f.Op(ir.OpAdd, sp, offset))
		f.Jump(found)
	})
	is(object.UnwindBP, func() {
		// The first frame of a program with frame pointers has none.
		f.Guard(ir.Ne, bp, ir.I(0), whole)
		f.Set(cfa, f.Op(ir.OpAdd, bp, offset))
		f.Jump(found)
	})
	is(object.UnwindBPDeref, func() {
		f.Set(cfa, u.userWord(f.Op(ir.OpAdd, bp, offset)))
		f.Jump(found)
	})
	is(object.UnwindPLT, func() {
		f.Set(cfa, f.Op(ir.OpAdd, sp, ir.I(8)))
		f.Guard(ir.UGe, f.Op(ir.OpAnd, u.get(unwIP), ir.I(15)), words, found)
		f.Emit(ir.Instr{Op: ir.OpAdd, Dst: cfa, A: ir.R(cfa), B: ir.I(8)})
		f.Jump(found)
	})
	is(object.UnwindSignal, func() {
		// struct ucontext: flags, link, stack, then the registers.
		const gregs = 40
		ip := u.userWord(f.Op(ir.OpAdd, sp, ir.I(gregs+8*16)))
		u.put(unwIP, ip)
		u.put(unwBP, u.userWord(f.Op(ir.OpAdd, sp, ir.I(gregs+8*10))))
		u.put(unwSP, u.userWord(f.Op(ir.OpAdd, sp, ir.I(gregs+8*15))))
		u.put(unwExact, ir.I(1))
		f.Jump(u.next)
	})
	f.Branch(ir.Eq, rule, ir.I(int64(object.UnwindEnd)), whole, u.stop)
	f.SetBlock(whole)
	u.put(unwEnd, ir.I(unwWhole))
	f.Jump(u.stop)

	f.SetBlock(found)
	f.Guard(ir.UGt, ir.R(cfa), sp, u.stop)
	ret := u.userWord(f.Op(ir.OpAdd, ir.R(cfa), ir.I(-8)))
	u.put(unwSP, ir.R(cfa))
	u.put(unwExact, ir.I(0))
	u.callerBP(row, ir.R(cfa), bp)
	u.put(unwIP, ret)
	f.Branch(ir.Ne, ret, ir.I(0), u.next, whole)
}

// callerBP finds the frame pointer of the caller: where the frame of the called function, whose
// own is bp, keeps it.
func (u *unwinder) callerBP(row, cfa, bp ir.Operand) {
	f := u.f
	where := f.Op(ir.OpAnd, row, ir.I(object.UnwindBPMask))
	lost, moved := f.NewBlock(), f.NewBlock()
	f.Guard(ir.Ne, where, ir.I(object.UnwindBPSame), moved)
	f.Guard(ir.Eq, where, ir.I(object.UnwindBPAtBP), lost)
	u.put(unwBP, u.userWord(bp))
	f.Jump(moved)
	f.SetBlock(lost)
	u.put(unwBP, ir.I(0))
	f.Guard(ir.Ne, where, ir.I(object.UnwindBPLost), moved)
	u.put(unwBP, u.userWord(f.Op(ir.OpSub, cfa, f.Op(ir.OpLsh, where, ir.I(3)))))
	f.Label(moved)
}

// keep stores the frames under their hash, and sets id to it.
func (u *unwinder) keep(id ir.Reg, limit int) {
	f := u.f
	cut, store := f.NewBlock(), f.NewBlock()
	f.Guard(ir.Eq, u.get(unwEnd), ir.I(unwCut), store)
	// What has more frames than were asked for is as the user wants it.
	if limit == u.limit {
		f.Branch(ir.UGe, f.Load(u.mem, stackCountAt, 8, false), ir.I(int64(limit)), store, cut)
	} else {
		f.Jump(cut)
	}
	f.SetBlock(cut)
	f.loss(object.LossUnwind)
	f.Label(store)
	f.frames.keepStack(id, f.stacks(object.StackKey{Limit: u.limit, Tables: true}), u.mem, u.get(unwHash))
}

// userWord reads a word of the process's memory; it stops if there is none.
func (u *unwinder) userWord(addr ir.Operand) ir.Operand {
	f := u.f
	read := ir.Instr{Op: ir.OpReadMem, Dst: f.Func.NewReg(), Space: ir.SpaceUser, Args: []ir.Operand{u.room(), ir.I(8), addr}}
	f.Emit(read)
	f.Guard(ir.Eq, ir.R(read.Dst), ir.I(0), u.stop)
	return f.Load(u.mem, u.at(unwRead), 8, false)
}

// kernelWord reads a number of the kernel's; 0 if it cannot be read.
func (u *unwinder) kernelWord(addr ir.Operand, size int) ir.Operand {
	u.f.CopyKernel(u.room(), ir.I(int64(size)), addr)
	return u.f.Load(u.mem, u.at(unwRead), size, false)
}

func (u *unwinder) room() ir.Operand { return u.f.AddConst(ir.R(u.mem), int64(u.at(unwRead))) }

// kernelField reads a member of a struct of the kernel, with dots for those
// within others.
func (u *unwinder) kernelField(base ir.Operand, structure, path string) ir.Operand {
	off, size := u.offset(structure, path)
	return u.kernelWord(u.f.AddConst(base, off), size)
}

// unknownLayout complains, once, that the kernel keeps a process's mappings in a
// way that nothing is known of.
func (f frames) unknownLayout(what string) {
	if !f.noLayout {
		f.noLayout = true
		f.diags.Errorf(f.Span, "dw_ustack must know the layout of the kernel's %s, which this kernel's type information (BTF) lacks", what).
			Hintf("ustack follows frame pointers on every kernel")
	}
}

// offset is where a member is in a struct of the kernel.
func (u *unwinder) offset(structure, path string) (off int64, size int) {
	f := u.f
	t, ok := f.t.Type("struct", structure)
	for part := range strings.SplitSeq(path, ".") {
		var fd types.Field
		if ok {
			fd, ok = t.Field(part)
		}
		if !ok {
			f.frames.unknownLayout("struct " + structure)
			return 0, 8
		}
		off, t = off+int64(fd.Offset), fd.Type
	}
	return off, min(max(t.Size, 1), 8)
}
