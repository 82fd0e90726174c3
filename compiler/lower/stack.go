package lower

import (
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
)

// frames records stacks.
type frames struct{ *fn }

// stack records the kernel or user stack and gives its id.
func (f frames) stack(t *types.Type) value {
	if t.Stack.Tables {
		return f.tableStack(t)
	}
	limit := t.Stack.Limit
	space, skip := ir.SpaceUser, int64(0)
	if t.Kind != types.UStack {
		space, skip = ir.SpaceKernel, f.ownFrames()
	}
	entry := t.Kind == types.UStack && f.p.hook.Entry
	size := stackFramesAt + 8*limit
	if entry {
		size += 8 // for the caller
	}
	room := f.farSlot("frames", size)
	if entry {
		room = f.fresh(f.add(ir.R(room), 8))
	}
	id := f.fresh(ir.I(noStack))
	taken := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpStack, Dst: taken, Space: space, A: ir.R(f.ctx), Args: []ir.Operand{f.add(ir.R(room), stackFramesAt), ir.I(int64(8 * limit)), ir.I(skip)}})
	n := f.fresh(ir.R(taken))
	// -EFAULT: there is none, as for user code met in a sample (no kernel
	// stack) and for kernel threads (no user stack); that is an empty stack.
	enter, head, hashed, done := f.block(), f.block(), f.block(), f.block()
	hash, at := f.fresh(ir.I(0)), f.fresh(ir.I(0))
	f.goOnIf(ir.SLt, ir.R(n), ir.I(0), enter)
	f.goOnIf(ir.Ne, ir.R(n), ir.I(-14), done)
	f.loss(object.LossStack)
	f.jump(done)
	f.use(enter)
	if entry {
		f.addCaller(room, n)
	}
	f.goOn(head)
	// The verifier knows this bound on every kernel.
	f.goOnIf(ir.ULt, ir.R(at), ir.I(int64(8*limit)), hashed)
	f.goOnIf(ir.ULt, ir.R(at), ir.R(n), hashed)
	frame := f.load(f.reg(f.op(ir.OpAdd, ir.R(room), ir.R(at))), stackFramesAt, 8, false)
	// Without a frame pointer the kernel's walk may end in a 0.
	f.goOnIf(ir.Ne, frame, ir.I(0), hashed)
	f.set(hash, f.hashFrame(ir.R(hash), frame))
	f.set(at, f.add(ir.R(at), 8))
	f.jump(head)
	f.use(hashed)
	f.goOnIf(ir.Ne, ir.R(at), ir.I(0), done)
	f.store(room, stackCountAt, f.op(ir.OpRsh, ir.R(at), ir.I(3)), 8)
	f.keepStack(id, f.stacks(object.StackKey{Limit: limit}), room, ir.R(hash))
	f.goOn(done)
	mem := f.slot("stack", t.Size)
	if t.Kind == types.UStack {
		f.storeWithPID(mem, stackIDAt, ir.R(id))
	} else {
		f.store(mem, stackIDAt, ir.R(id), 8)
	}
	return memory(t, mem, 0)
}

// addCaller adds the function's caller to a stack of n bytes that was taken where the
// function begins: its frame pointer is still that of the caller, so that a walk by
// frame pointers begins with the caller's caller. The return address lies at sp. From
// 6.11 on the kernel adds it itself, if the function begins with push %rbp. The frames
// move to the 8 bytes before those of room.
func (f frames) addCaller(room, n ir.Reg) {
	add, done := f.block(), f.block()
	f.goOnIf(ir.UGe, ir.R(n), ir.I(8), done)
	caller := f.values.loadMem(value{t: types.U64, isMem: true, base: f.load(f.ctx, regOffsets["sp"], 8, false), sp: user}, 8, false)
	f.goOnIf(ir.UGe, caller, ir.I(4096), done) // the number of arguments, in _start
	if f.t.Since(callersOwn) {
		f.goOnIf(ir.UGe, ir.R(n), ir.I(16), add)
		f.branch(ir.Eq, f.load(room, stackFramesAt+8, 8, false), caller, done, add)
	} else {
		f.jump(add)
	}
	f.use(add)
	f.store(room, stackFramesAt-8, f.load(room, stackFramesAt, 8, false), 8)
	f.store(room, stackFramesAt, caller, 8)
	f.set(room, f.add(ir.R(room), -8))
	f.set(n, f.add(ir.R(n), 8))
	f.goOn(done)
}

// callersOwn is the kernel that adds the caller of some functions.
const callersOwn = 6<<16 | 11<<8

// hashFrame adds a frame to the hash of those before it.
func (f *builder) hashFrame(hash, frame ir.Operand) ir.Operand {
	hash = f.op(ir.OpMul, f.op(ir.OpXor, hash, frame), ir.R(f.reg(ir.I(-0x61c8864680b583eb))))
	return f.op(ir.OpXor, hash, f.op(ir.OpRsh, hash, ir.I(29)))
}

// keepStack stores the stack in mem (stackCountAt, stackFramesAt) under its hash and
// number of frames, and sets id to them; it leaves id when the map is full. The
// kernel's own kind of map (BPF_MAP_TYPE_STACK_TRACE) has a slot for each remainder of
// a hash: of two stacks that share one, it drops the second.
func (f frames) keepStack(id ir.Reg, m int, mem ir.Reg, hash ir.Operand) {
	keep, done := f.block(), f.block()
	count := f.load(mem, stackCountAt, 8, false)
	name := f.op(ir.OpLsh, f.op(ir.OpRsh, hash, ir.I(object.StackCountBits)), ir.I(object.StackCountBits))
	name = f.op(ir.OpOr, name, count)
	key := f.slot("stack id", 8)
	f.store(key, 0, name, 8)
	f.goOnIf(ir.Eq, f.on(mapRef{index: m}, ir.OpMapLookup, ir.R(key)), ir.I(0), keep)
	ret := f.on(mapRef{index: m}, ir.OpMapUpdate, ir.R(key), ir.R(mem))
	f.goOnIf(ir.SLt, ret, ir.I(0), keep)
	f.loss(object.LossStack)
	f.jump(done)
	f.use(keep)
	f.set(id, f.load(key, 0, 8, false))
	f.goOn(done)
}

// ownFrames is how many frames of a kernel stack tell only how the program came to
// run: those of itself, and of the trampoline or of bpf_trace_run2 below, or of the
// function that calls the programs of a raw tracepoint. The unwinder of 5.10 finds the
// program twice.
func (f frames) ownFrames() int64 {
	if f.p.byTraceiter() {
		return 1
	}
	switch f.p.kind {
	case object.ProgRawTracepoint, object.ProgFentry, object.ProgFexit:
		if !f.t.Since(5<<16 | 11<<8) {
			return 3
		}
		return 2
	}
	return 0
}
