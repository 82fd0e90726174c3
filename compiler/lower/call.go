package lower

import (
	"fst/compiler/builtin"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// callExpr compiles a call of a built-in function.
func (f *fn) callExpr(x *ast.Call, t *types.Type) value {
	if f.action(x) {
		return scalar(types.NoneType, ir.I(0))
	}
	arg := func(i int) value { return f.expr(x.Args[i]) }
	num := func(o ir.Operand) value { return scalar(t, f.ext(o, argSize(t), t.Signed)) }
	switch builtin.Canonical(x.Name) {
	case "delete":
		return num(f.deleteCall(x))
	case "has_key":
		m := x.Args[0].(*ast.Map)
		return num(f.hasKey(m, f.keyArgs(x.Args[1:])))
	case "find":
		return num(f.find(x))
	case "len":
		return num(f.length(x))
	case "pton":
		return f.constBytes(f.u.Strings[x], t)
	case "str", "buf", "ntop", "macaddr", "usym", "str_concat", "path":
		mem := f.slot(x.Name, max(t.Size, 8))
		f.callTo(x, t, mem, 0)
		return memory(t, mem, 0)
	case "kptr", "uptr":
		v := arg(0)
		return scalar(t, f.operand(v))
	case "syscall_name", "strerror", "signal_name":
		return f.named(t, f.operand(arg(0)))
	case "ksym", "strftime", "cgroup_path", "kaddr":
		if len(x.Args) == 0 {
			return f.builtin(x.Name, x, t)
		}
		if x.Name == "strftime" {
			if c, ok := x.Args[1].(*ast.Call); ok && c.Name == "nsecs" {
				// Whichever clock tells the moment: the one since boot is
				// the one that is shown.
				return scalar(t, f.nsecs())
			}
			return scalar(t, f.operand(arg(1)))
		}
		return scalar(t, f.operand(arg(0)))
	case "kstack", "ustack", "dw_ustack":
		return f.stack(t)
	case "reg":
		return f.register(x, t)
	case "bswap":
		return f.swap(arg(0), t)
	case "strncmp":
		n := int(f.u.Consts[x.Args[2]])
		a := f.settled(arg(0), x.Args[1])
		return f.strncmp(a, arg(1), n, t)
	case "strcontains":
		return f.contains(x, t, false)
	case "strstr":
		return f.contains(x, t, true)
	case "strlen":
		return num(f.strlen(arg(0)))
	case "is_syscall":
		return scalar(t, f.isSyscall(x))
	case "is_err":
		p, first := f.operand(arg(0)), ir.R(f.reg(ir.I(-4095)))
		return f.truth(t, func(yes, no *ir.Block) { f.branch(ir.UGe, p, first, yes, no) })
	case "bits":
		return num(f.operand(arg(1)))
	case "container_of":
		v := arg(0)
		return scalar(t, f.op(ir.OpSub, f.operand(v), ir.I(f.u.Consts[x.Args[2]])))
	case "percpu_kaddr":
		return f.percpuAddr(x, t)
	case "uaddr":
		return scalar(t, f.userSymbol(x))
	case "write_user":
		return num(f.writeUser(x))
	case "memcmp":
		a := f.settled(arg(0), x.Args[1])
		return num(f.memcmp(a, arg(1), int(f.u.Consts[x.Args[2]])))
	case "skboutput":
		return num(f.packet(x))
	case "socket_cookie":
		return num(f.socketCookie(x))
	case "nsecs":
		return f.clock(x, t)
	}
	if _, ok := builtin.VarByName(x.Name); ok {
		return f.builtin(x.Name, x, t)
	}
	panic(f.fault(x, "no way to compile this call"))
}

// swap is bswap(v).
func (f *fn) swap(v value, t *types.Type) value {
	if t.Size == 1 {
		return v
	}
	r := f.f.NewReg()
	f.emit(ir.Instr{Op: ir.OpSwap, Dst: r, A: ir.R(f.reg(f.operand(v))), Size: int8(t.Size)})
	return scalar(t, f.ext(ir.R(r), argSize(t), t.Signed))
}

// isSyscall is is_syscall(n, names...): 1 if n is the number of one of them.
func (f *fn) isSyscall(x *ast.Call) ir.Operand {
	n, is := f.scalarOf(x.Args[0]), f.fresh(ir.I(1))
	done := f.block()
	for _, nr := range f.u.Syscalls[x] {
		next := f.block()
		f.branch(ir.Eq, n, ir.I(int64(nr)), done, next)
		f.use(next)
	}
	f.set(is, ir.I(0))
	f.jump(done)
	f.use(done)
	return ir.R(is)
}

// socketCookie is socket_cookie(sock).
func (f *fn) socketCookie(x *ast.Call) ir.Operand {
	if f.t.Version() < 5<<16|12<<8 {
		f.diags.Errorf(x.Span, "socket_cookie() needs Linux 5.12 (bpf_get_socket_cookie in fentry); this is %s", f.t.Release()).
			Hintf("the address of the socket tells sockets apart, too, as long as they live")
		return ir.I(0)
	}
	cookie := f.fresh(ir.I(0))
	f.typed(x.Args[0], func(p ir.Operand) { f.set(cookie, f.call(helperSocketCookie, p)) })
	return ir.R(cookie)
}

// callTo evaluates calls with results in memory straight into place.
func (f *fn) callTo(x *ast.Call, t *types.Type, base ir.Reg, off int32) bool {
	at := func() ir.Operand { return f.add(ir.R(base), int64(off)) }
	if _, constant := f.u.Strings[x]; constant {
		return false
	}
	switch x.Name {
	case "str":
		if t.Kind != types.String {
			return false
		}
		f.strTo(x, t, base, off)
		return true
	case "comm":
		return len(x.Args) == 0 && f.builtinTo("comm", t, base, off)
	case "buf":
		f.bufTo(x, t, base, off)
		return true
	case "ntop":
		f.ntopTo(x, base, off)
		return true
	case "macaddr":
		v := f.expr(x.Args[0])
		f.store(base, off, ir.I(0), 8)
		if v.t.Kind == types.Buffer {
			v.off += 4 // behind the length
		}
		if v.isMem && v.t.Kind != types.Pointer {
			f.copyValue(v, base, off, 6)
		} else {
			f.probeRead(at(), 6, f.operand(v), v.t.User || f.userAddress(v.t))
		}
		return true
	case "str_concat":
		f.concatTo(x, t, base, off)
		return true
	case "path":
		f.zero(base, off, t.Size)
		size := int64(t.Size)
		if len(x.Args) > 1 {
			size = min(size, f.u.Consts[x.Args[1]])
		}
		f.typed(x.Args[0], func(p ir.Operand) { f.noteRead(f.call(helperDPath, p, at(), ir.I(size)), false) })
		return true
	case "usym":
		f.store(base, off, f.scalarOf(x.Args[0]), 8)
		f.store(base, off+8, f.op(ir.OpRsh, f.ownPidTgid(), ir.I(32)), 8)
		return true
	}
	return false
}

// keyArgs are the keys of has_key(@m, k) and delete(@m, k): a tuple stands for
// several.
func (f *fn) keyArgs(args []ast.Expr) []ast.Expr {
	if len(args) == 1 {
		if t, ok := args[0].(*ast.Tuple); ok && len(t.Elems) > 1 {
			return t.Elems
		}
	}
	return args
}

// deleteCall is delete(@m, k), delete(@m[k], ...), delete(@m).
func (f *fn) deleteCall(x *ast.Call) ir.Operand {
	out := ir.I(0)
	if m, ok := x.Args[0].(*ast.Map); ok && m.Keys == nil && len(x.Args) > 1 {
		if _, another := x.Args[1].(*ast.Map); !another || f.info.ByName[m.Name] != nil && f.info.ByName[m.Name].Key != nil {
			return f.deleteKey(m, f.keyArgs(x.Args[1:]))
		}
	}
	for _, a := range x.Args {
		if m, ok := a.(*ast.Map); ok {
			out = f.deleteKey(m, m.Keys)
		}
	}
	return out
}

// find is find(@m, k, $v): look up and copy, true if the key was there.
func (f *fn) find(x *ast.Call) ir.Operand {
	mx := x.Args[0].(*ast.Map)
	m := f.info.ByName[mx.Name]
	out := f.fresh(ir.I(0))
	p := f.lookup(m, f.key(m, f.keyArgs(x.Args[1:2])))
	found, done := f.block(), f.block()
	f.branch(ir.Ne, p, ir.I(0), found, done)
	f.use(found)
	if v, ok := x.Args[2].(*ast.Var); ok {
		f.assignVar(v, func(t *types.Type) value { return memory(m.Value, p.Reg, 0) })
	}
	f.set(out, ir.I(1))
	f.jump(done)
	f.use(done)
	return ir.R(out)
}

// length is len(@m) and len(stack). The entries of a map are counted by walking
// it.
func (f *fn) length(x *ast.Call) ir.Operand {
	if f.typeOf(x.Args[0]).IsStack() {
		if mx, ok := x.Args[0].(*ast.Map); !ok || mx.Keys != nil || f.info.ByName[mx.Name].Key == nil {
			base, off := f.inMemory(f.expr(x.Args[0]))
			return f.op(ir.OpAnd, f.load(base, off+stackIDAt, 8, false), ir.I(1<<object.StackCountBits-1))
		}
	}
	m := f.info.ByName[x.Args[0].(*ast.Map).Name]
	if !f.t.Has(target.ForEachMapElem) {
		f.diags.Errorf(x.Span, "len() of a map needs Linux 5.13 (bpf_for_each_map_elem); this is %s", f.t.Release()).
			Hintf("print(@m) shows the whole map on every kernel")
		return ir.I(0)
	}
	// bpf_for_each_map_elem returns how many entries it visited.
	if f.p.captured == nil {
		f.p.captured = &captured{size: capturedVars}
		f.p.captured.slot = f.nearSlot("captured", capturedVars)
	}
	cb := f.callback("len", 4, 3, func(cb *fn, args []ir.Reg) {})
	return f.on(f.ref(m), helperForEachMapElem, 0, f.funcAddr(cb), ir.R(f.lenContext()), ir.I(0))
}

// lenContext is some memory for a callback that needs none.
func (f *fn) lenContext() ir.Reg {
	base := f.captureBase()
	if f.parent == nil {
		f.store(base, capturedLeave, ir.I(0), 8)
		f.store(base, capturedCtx, ir.R(f.ctx), 8)
	}
	return base
}

// register is reg("name").
func (f *fn) register(x *ast.Call, t *types.Type) value {
	name := f.constString(x.Args[0])
	off, ok := regOffsets[name]
	if !ok || !f.hasRegs() {
		f.diags.Errorf(x.Args[0].Pos(), "there is no register %q here", name).
			Hintf("x86-64 has ax bx cx dx si di bp sp ip r8 to r15 flags cs ss orig_ax")
		return scalar(t, ir.I(0))
	}
	return scalar(t, f.load(f.ctx, off, 8, false))
}

// percpuAddr is percpu_kaddr("sym"[, cpu]).
func (f *fn) percpuAddr(x *ast.Call, t *types.Type) value {
	addr, ok := f.t.Symbol(f.constString(x.Args[0]))
	table, ok2 := f.t.Symbol("__per_cpu_offset")
	if !ok || !ok2 {
		f.diags.Errorf(x.Args[0].Pos(), "the kernel has no per-CPU symbol %q", f.constString(x.Args[0]))
		return scalar(t, ir.I(0))
	}
	cpu := f.call(helperCPU)
	if len(x.Args) > 1 {
		cpu = f.scalarOf(x.Args[1])
	}
	slot := f.op(ir.OpAdd, ir.R(f.reg(ir.I(int64(table)))), f.op(ir.OpLsh, cpu, ir.I(3)))
	base := f.loadMem(value{isMem: true, base: slot, sp: kernel}, 8, false)
	return scalar(t, f.op(ir.OpAdd, base, ir.R(f.reg(ir.I(int64(addr))))))
}

// tai reads the clock TAI: by its helper, or, before Linux 6.1, the boot clock
// and how far TAI was ahead of it when the session started.
func (f *fn) tai() ir.Operand {
	if f.t.Has(target.KtimeTAI) {
		return f.call(helperKtimeTAI)
	}
	return f.op(ir.OpAdd, f.call(helperKtimeBoot), f.load(f.mapValue(f.startMap(), 0), 8, 8, false))
}

// clock is nsecs(monotonic|boot|tai|sw_tai).
func (f *fn) clock(x *ast.Call, t *types.Type) value {
	which := "boot"
	if len(x.Args) > 0 {
		if id, ok := x.Args[0].(*ast.Ident); ok {
			which = id.Name
		}
	}
	switch which {
	case "monotonic":
		return scalar(t, f.call(helperKtimeGetNS))
	case "tai", "sw_tai":
		return scalar(t, f.tai())
	}
	return scalar(t, f.nsecs())
}
