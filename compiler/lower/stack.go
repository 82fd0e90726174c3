package lower

import (
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
)

// stack records the kernel or user stack and gives its id.
func (f *fn) stack(t *types.Type) value {
	if t.Stack.Tables {
		return f.tableStack(t)
	}
	limit := t.Stack.Limit
	if limit == 0 {
		limit = maxStackDepth
	}
	flags := int64(0)
	if t.Kind == types.UStack {
		flags |= stackUser
	} else {
		flags = f.ownFrames()
	}
	m := f.stacks(object.StackKey{Limit: limit})
	id := f.call(helperStackID, ir.R(f.ctx), f.mapPtr(m), ir.I(flags))
	// -EEXIST: another stack has this slot. It is counted, not mixed up.
	// -EFAULT: there is none, as for user code met in a sample (no kernel
	// stack) and for kernel threads (no user stack); that is an empty stack.
	bad, lost, done := f.block(), f.block(), f.block()
	f.branch(ir.SLt, id, ir.I(0), bad, done)
	f.use(bad)
	f.branch(ir.Eq, id, ir.I(-14), done, lost)
	f.use(lost)
	f.loss(object.LossStack)
	f.jump(done)
	f.use(done)
	frames := ir.I(0)
	if f.info.CountsFrames {
		frames = f.frames(limit, flags)
	}
	mem := f.slot("stack", t.Size)
	if t.Kind == types.UStack {
		f.storeUserStack(mem, id, frames)
	} else {
		f.store(mem, stackIDAt, id, 4)
		f.store(mem, kstackFramesAt, frames, 4)
	}
	return memory(t, mem, 0)
}

// ownFrames is how many frames of a kernel stack tell only how the program came to
// run: those of itself, and of the trampoline or of bpf_trace_run2 below, or of the
// function that calls the programs of a raw tracepoint. The unwinder of 5.10 finds the
// program twice.
func (f *fn) ownFrames() int64 {
	if f.p.byTraceiter() {
		return 1
	}
	switch f.p.kind {
	case object.ProgRawTracepoint, object.ProgFentry, object.ProgFexit:
		if f.t.Version() < 5<<16|11<<8 {
			return 3
		}
		return 2
	}
	return 0
}

// storeUserStack writes a stack of the current process. The same stack of two
// threads is one key.
func (f *fn) storeUserStack(mem ir.Reg, id, frames ir.Operand) {
	f.store(mem, stackIDAt, id, 8)
	f.store(mem, stackPIDAt, f.op(ir.OpRsh, f.ownPidTgid(), ir.I(32)), 4)
	f.store(mem, ustackFramesAt, frames, 4)
}

// frames counts the frames of the present stack, which takes recording it once
// more: the kernel's table of stacks can't be read by programs.
func (f *fn) frames(limit int, flags int64) ir.Operand {
	room := f.slot("frames", 8*limit)
	n := f.fresh(f.call(helperGetStack, ir.R(f.ctx), ir.R(room), ir.I(int64(8*limit)), ir.I(flags)))
	none, done := f.block(), f.block()
	f.branch(ir.SLt, ir.R(n), ir.I(0), none, done)
	f.use(none)
	f.set(n, ir.I(0))
	f.jump(done)
	f.use(done)
	return f.op(ir.OpRsh, ir.R(n), ir.I(3))
}
