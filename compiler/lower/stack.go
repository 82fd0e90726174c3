package lower

import (
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
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
	room := f.FarSlot("frames", size)
	if entry {
		room = f.NewVar(f.AddConst(ir.R(room), 8))
	}
	id := f.NewVar(ir.I(noStack))
	taken := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpStack, Dst: taken, Space: space, A: ir.R(f.ctx), Args: []ir.Operand{f.AddConst(ir.R(room), stackFramesAt), ir.I(int64(8 * limit)), ir.I(skip)}})
	n := f.NewVar(ir.R(taken))
	// -EFAULT: there is none, as for user code met in a sample (no kernel
	// stack) and for kernel threads (no user stack); that is an empty stack.
	enter, head, hashed, done := f.NewBlock(), f.NewBlock(), f.NewBlock(), f.NewBlock()
	hash, at := f.NewVar(ir.I(0)), f.NewVar(ir.I(0))
	f.Guard(ir.SLt, ir.R(n), ir.I(0), enter)
	f.Guard(ir.Ne, ir.R(n), ir.I(-14), done)
	f.loss(object.LossStack)
	f.Jump(done)
	f.SetBlock(enter)
	if entry {
		f.addCaller(room, n)
	}
	f.Label(head)
	// The verifier knows this bound on every kernel.
	f.Guard(ir.ULt, ir.R(at), ir.I(int64(8*limit)), hashed)
	f.Guard(ir.ULt, ir.R(at), ir.R(n), hashed)
	frame := f.Load(f.Reg(f.Op(ir.OpAdd, ir.R(room), ir.R(at))), stackFramesAt, 8, false)
	// Without a frame pointer the kernel's walk may end in a 0.
	f.Guard(ir.Ne, frame, ir.I(0), hashed)
	f.Set(hash, f.Hash(ir.R(hash), frame))
	f.Set(at, f.AddConst(ir.R(at), 8))
	f.Jump(head)
	f.SetBlock(hashed)
	f.Guard(ir.Ne, ir.R(at), ir.I(0), done)
	f.Store(room, stackCountAt, f.Op(ir.OpRsh, ir.R(at), ir.I(3)), 8)
	f.keepStack(id, f.stacks(object.StackKey{Limit: limit}), room, ir.R(hash))
	f.Label(done)
	mem := f.Slot("stack", t.Size)
	if t.Kind == types.UStack {
		f.storeWithPID(mem, stackIDAt, ir.R(id))
	} else {
		f.Store(mem, stackIDAt, ir.R(id), 8)
	}
	return memory(t, mem, 0)
}

// addCaller adds the function's caller to a stack of n bytes that was taken where the
// function begins: its frame pointer is still that of the caller, so that a walk by
// frame pointers begins with the caller's caller. The return address lies at sp. From
// 6.11 on the kernel adds it itself, if the function begins with push %rbp. The frames
// move to the 8 bytes before those of room.
func (f frames) addCaller(room, n ir.Reg) {
	add, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.UGe, ir.R(n), ir.I(8), done)
	caller := f.values.loadMem(value{t: types.U64, isMem: true, base: f.Load(f.ctx, regOffsets["sp"], 8, false), sp: user}, 8, false)
	f.Guard(ir.UGe, caller, ir.I(4096), done) // the number of arguments, in _start
	if f.t.Since(callersOwn) {
		f.Guard(ir.UGe, ir.R(n), ir.I(16), add)
		f.Branch(ir.Eq, f.Load(room, stackFramesAt+8, 8, false), caller, done, add)
	} else {
		f.Jump(add)
	}
	f.SetBlock(add)
	f.Store(room, stackFramesAt-8, f.Load(room, stackFramesAt, 8, false), 8)
	f.Store(room, stackFramesAt, caller, 8)
	f.Set(room, f.AddConst(ir.R(room), -8))
	f.Set(n, f.AddConst(ir.R(n), 8))
	f.Label(done)
}

// callersOwn is the kernel that adds the caller of some functions.
const callersOwn = 6<<16 | 11<<8

// keepStack stores the stack in mem (stackCountAt, stackFramesAt) under its hash and
// number of frames, and sets id to them; it leaves id when the map is full. The
// kernel's own kind of map (BPF_MAP_TYPE_STACK_TRACE) has a slot for each remainder of
// a hash: of two stacks that share one, it drops the second.
func (f frames) keepStack(id ir.Reg, m int, mem ir.Reg, hash ir.Operand) {
	keep, done := f.NewBlock(), f.NewBlock()
	count := f.Load(mem, stackCountAt, 8, false)
	name := f.Op(ir.OpLsh, f.Op(ir.OpRsh, hash, ir.I(object.StackCountBits)), ir.I(object.StackCountBits))
	name = f.Op(ir.OpOr, name, count)
	key := f.Slot("stack id", 8)
	f.Store(key, 0, name, 8)
	f.Guard(ir.Eq, f.MapOp(irbuild.Map{Index: m}, ir.OpMapLookup, ir.R(key)), ir.I(0), keep)
	ret := f.MapOp(irbuild.Map{Index: m}, ir.OpMapUpdate, ir.R(key), ir.R(mem))
	f.Guard(ir.SLt, ret, ir.I(0), keep)
	f.loss(object.LossStack)
	f.Jump(done)
	f.SetBlock(keep)
	f.Set(id, f.Load(key, 0, 8, false))
	f.Label(done)
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
