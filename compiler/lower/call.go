package lower

import (
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// lowering makes code of a call of one function, whose result has the type t.
type lowering func(f *fn, x *ast.Call, t *types.Type) value

// lowerings are those of all functions that leave something to do at run time, but for
// aggregations, which are parts of assignments.
var lowerings map[*builtin.Func]lowering

// placement makes code of a call whose result lies in memory: it is put where it is wanted.
type placement func(f *fn, x *ast.Call, t *types.Type, base ir.Reg, off int32)

var placements map[*builtin.Func]placement

// action is a call that is made for what it does and has no value.
func action(do func(f *fn, x *ast.Call)) lowering {
	return func(f *fn, x *ast.Call, t *types.Type) value {
		do(f, x)
		return scalar(types.NoneType, ir.I(0))
	}
}

// number is a call whose result is in a register, with the bits of its type or more.
func number(of func(f *fn, x *ast.Call) ir.Operand) lowering {
	return func(f *fn, x *ast.Call, t *types.Type) value {
		return scalar(t, f.Extend(of(f, x), argSize(t), t.Signed))
	}
}

// first is a call whose result is its first argument, seen as another type.
func first(f *fn, x *ast.Call, t *types.Type) value { return scalar(t, f.scalarOf(x.Args[0])) }

// nameOf is a call that shows its first argument by a name.
func nameOf(f *fn, x *ast.Call, t *types.Type) value { return f.probed.named(t, f.scalarOf(x.Args[0])) }

// formatted is a call that sends a format and its arguments.
func formatted(kind object.MessageKind) lowering {
	return action(func(f *fn, x *ast.Call) { f.messages.printf(kind, x) })
}

func nothing(*fn, *ast.Call) {}

func init() {
	lowerings = map[*builtin.Func]lowering{
		builtin.FuncPrintf: action(printfCall), builtin.FuncPrint: action(printCall), builtin.FuncDebugf: action(debugf),
		builtin.FuncErrorf: action(errorf), builtin.FuncWarnf: formatted(object.MsgWarnf), builtin.FuncTime: formatted(object.MsgTime),
		builtin.FuncCat: formatted(object.MsgCat), builtin.FuncSystem: formatted(object.MsgSystem),
		builtin.FuncRow: action(row), builtin.FuncTable: action(table), builtin.FuncHeat: action(heat), builtin.FuncJoin: action(join),
		builtin.FuncExit: action(exitCall), builtin.FuncAssert: action(assert),
		builtin.FuncWitness: action(nothing), builtin.FuncStaticAssert: action(nothing), // they say something about the script
		builtin.FuncSkboutput: number(packet),

		builtin.FuncSignal:       action(func(f *fn, x *ast.Call) { f.Do(ir.OpSignal, f.scalarOf(x.Args[0])) }),
		builtin.FuncSignalThread: action(func(f *fn, x *ast.Call) { f.Do(ir.OpSignalThread, f.scalarOf(x.Args[0])) }),
		builtin.FuncOverride:     action(func(f *fn, x *ast.Call) { f.Do(ir.OpOverride, ir.R(f.ctx), f.scalarOf(x.Args[0])) }),
		builtin.FuncWriteUser:    number(writeUser),

		builtin.FuncClear:  action(func(f *fn, x *ast.Call) { f.messages.mapMessage(object.MsgClear, x) }),
		builtin.FuncZero:   action(func(f *fn, x *ast.Call) { f.messages.mapMessage(object.MsgZero, x) }),
		builtin.FuncDelete: number(deleteCall), builtin.FuncFind: number(find), builtin.FuncLen: number(length),
		builtin.FuncHasKey: number(func(f *fn, x *ast.Call) ir.Operand {
			return f.access.hasKey(x.Args[0].(*ast.Map), f.keyArgs(x.Args[1:]))
		}),

		builtin.FuncStrncmp:     strncmpCall,
		builtin.FuncStrcontains: func(f *fn, x *ast.Call, t *types.Type) value { return f.texts.contains(x, t, false) },
		builtin.FuncStrstr:      func(f *fn, x *ast.Call, t *types.Type) value { return f.texts.contains(x, t, true) },
		builtin.FuncStrlen:      number(func(f *fn, x *ast.Call) ir.Operand { return f.texts.strlen(f.expr(x.Args[0])) }),
		builtin.FuncMemcmp:      number(memcmpCall),
		builtin.FuncPton:        func(f *fn, x *ast.Call, t *types.Type) value { return f.texts.constBytes(f.u.Strings[x], t) },

		builtin.FuncKptr: first, builtin.FuncUptr: first, builtin.FuncKsym: first, builtin.FuncCgroupPath: first,
		builtin.FuncSyscallName: nameOf, builtin.FuncStrerror: nameOf, builtin.FuncSignalName: nameOf,
		builtin.FuncStrftime: strftime,
		builtin.FuncBits:     number(func(f *fn, x *ast.Call) ir.Operand { return f.scalarOf(x.Args[1]) }),
		builtin.FuncBswap:    func(f *fn, x *ast.Call, t *types.Type) value { return f.swap(f.expr(x.Args[0]), t) },
		builtin.FuncReg:      register,
		builtin.FuncIsErr:    isErr,
		builtin.FuncContainerOf: func(f *fn, x *ast.Call, t *types.Type) value {
			return scalar(t, f.Op(ir.OpSub, f.scalarOf(x.Args[0]), ir.I(f.u.Consts[x.Args[2]])))
		},
		builtin.FuncIsSyscall:    func(f *fn, x *ast.Call, t *types.Type) value { return scalar(t, f.isSyscall(x)) },
		builtin.FuncUaddr:        func(f *fn, x *ast.Call, t *types.Type) value { return scalar(t, f.texts.userSymbol(x)) },
		builtin.FuncPercpuKaddr:  percpuAddr,
		builtin.FuncSocketCookie: number(socketCookie),
		builtin.FuncFollowed:     number(func(f *fn, x *ast.Call) ir.Operand { return f.Load(f.followByte(x.Args[0]), 0, 1, false) }),
		builtin.FuncFollow: action(func(f *fn, x *ast.Call) {
			of := f.Load(f.followByte(x.Args[1]), 0, 1, false)
			f.Store(f.followByte(x.Args[0]), 0, of, 1)
		}),
	}
	placements = map[*builtin.Func]placement{
		builtin.FuncStr: strTo, builtin.FuncBuf: bufTo, builtin.FuncStrConcat: concatTo, builtin.FuncPath: pathTo,
		builtin.FuncNtop: ntopTo, builtin.FuncMacaddr: macaddrTo, builtin.FuncUsym: usymTo,
	}
}

// callExpr compiles a call of a built-in function, or of a variable written as one.
func (f *fn) callExpr(x *ast.Call, t *types.Type) value {
	called, ok := builtin.FuncByName(x.Name)
	if !ok {
		return f.probed.builtin(x.Name, x, t)
	}
	if put := placements[called]; put != nil {
		mem := f.Slot(x.Name, max(t.Size, 8))
		put(f, x, t, mem, 0)
		return memory(t, mem, 0)
	}
	lower := lowerings[called]
	if lower == nil {
		panic(f.fault(x, "no way to compile this call"))
	}
	return lower(f, x, t)
}

// callTo evaluates a call whose result lies in memory straight into place.
func (f *fn) callTo(x *ast.Call, t *types.Type, base ir.Reg, off int32) bool {
	called, ok := builtin.FuncByName(x.Name)
	if !ok {
		return len(x.Args) == 0 && f.probed.builtinTo(x.Name, t, base, off)
	}
	put := placements[called]
	if _, constant := f.u.Strings[x]; constant || put == nil || f.typeOf(x).Kind != t.Kind {
		return false
	}
	put(f, x, t, base, off)
	return true
}

// strftime is a time that is shown as a date.
func strftime(f *fn, x *ast.Call, t *types.Type) value {
	if check.Names(x.Args[1], builtin.VarNsecs) {
		// Whichever clock tells the moment: the one since boot is the one that is shown.
		return scalar(t, f.probed.nsecs())
	}
	return scalar(t, f.scalarOf(x.Args[1]))
}

func strncmpCall(f *fn, x *ast.Call, t *types.Type) value {
	a := f.conditions.settled(f.expr(x.Args[0]), x.Args[1])
	return f.texts.strncmp(a, f.expr(x.Args[1]), int(f.u.Consts[x.Args[2]]), t)
}

func memcmpCall(f *fn, x *ast.Call) ir.Operand {
	a := f.conditions.settled(f.expr(x.Args[0]), x.Args[1])
	return f.texts.memcmp(a, f.expr(x.Args[1]), int(f.u.Consts[x.Args[2]]))
}

// isErr is is_err(p): whether a pointer is one of the last 4095.
func isErr(f *fn, x *ast.Call, t *types.Type) value {
	p, least := f.scalarOf(x.Args[0]), ir.R(f.Reg(ir.I(-4095)))
	return f.truth(t, func(yes, no *ir.Block) { f.Branch(ir.UGe, p, least, yes, no) })
}

// swap is bswap(v).
func (f *fn) swap(v value, t *types.Type) value {
	if t.Size == 1 {
		return v
	}
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpSwap, Dst: r, A: ir.R(f.Reg(f.values.operand(v))), Size: int8(t.Size)})
	return scalar(t, f.Extend(ir.R(r), argSize(t), t.Signed))
}

// isSyscall is is_syscall(n, names...): 1 if n is the number of one of them.
func (f *fn) isSyscall(x *ast.Call) ir.Operand {
	n, is := f.scalarOf(x.Args[0]), f.NewVar(ir.I(1))
	done := f.NewBlock()
	for _, nr := range f.u.Syscalls[x] {
		f.Guard(ir.Ne, n, ir.I(int64(nr)), done)
	}
	f.Set(is, ir.I(0))
	f.Label(done)
	return ir.R(is)
}

// followByte is the address of a process's byte in object.FollowMapName.
func (f *fn) followByte(pid ast.Expr) ir.Reg {
	bytes := f.MapValue(f.sessionMap(object.FollowMapName, object.MapShared, object.FollowSize), 0)
	return f.Reg(f.Op(ir.OpAdd, ir.R(bytes), f.Op(ir.OpAnd, f.scalarOf(pid), ir.I(object.FollowSize-1))))
}

// socketCookie is socket_cookie(sock).
func socketCookie(f *fn, x *ast.Call) ir.Operand {
	if !f.t.Since(5<<16 | 12<<8) {
		f.diags.Errorf(x.Span, "socket_cookie() needs Linux 5.12 (bpf_get_socket_cookie in fentry); this is %s", f.t.Release()).
			Hintf("the address of the socket tells sockets apart, too, as long as they live")
		return ir.I(0)
	}
	cookie := f.NewVar(ir.I(0))
	f.typed(x.Args[0], func(p ir.Operand) { f.Set(cookie, f.Do(ir.OpSocketCookie, p)) })
	return ir.R(cookie)
}

// macaddrTo is macaddr(bytes).
func macaddrTo(f *fn, x *ast.Call, _ *types.Type, base ir.Reg, off int32) {
	v := f.expr(x.Args[0])
	f.Store(base, off, ir.I(0), 8)
	if v.t.Kind == types.Buffer {
		v.off += 4 // behind the length
	}
	if v.isMem && v.t.Kind != types.Pointer {
		f.values.copyValue(v, base, off, 6)
	} else {
		f.probeRead(f.AddConst(ir.R(base), int64(off)), 6, f.values.operand(v), v.t.User || f.texts.userAddress(v.t))
	}
}

// pathTo is path(p[, length]).
func pathTo(f *fn, x *ast.Call, t *types.Type, base ir.Reg, off int32) {
	f.Zero(base, off, t.Size)
	size := int64(t.Size)
	if len(x.Args) > 1 {
		size = min(size, f.u.Consts[x.Args[1]])
	}
	f.typed(x.Args[0], func(p ir.Operand) {
		args := []ir.Operand{p, f.AddConst(ir.R(base), int64(off)), ir.I(size)}
		result := f.Func.NewReg()
		f.Emit(ir.Instr{Op: ir.OpPath, Dst: result, Bit: f.failure(false), Args: args})
		// Of a path that is too long, the kernel leaves the end there.
		f.If(ir.SLt, ir.R(result), ir.I(0), func() { f.Zero(base, off, t.Size) })
	})
}

// usymTo is usym(address): the address and the process that it is in.
func usymTo(f *fn, x *ast.Call, _ *types.Type, base ir.Reg, off int32) {
	f.storeWithPID(base, off, f.scalarOf(x.Args[0]))
}

// storeWithPID writes what belongs to the current process, and that: an address, or a stack, which two threads have as
// one key.
func (f *fn) storeWithPID(base ir.Reg, off int32, v ir.Operand) {
	f.Store(base, off, v, 8)
	f.Store(base, off+8, f.Op(ir.OpRsh, f.Fact(ir.FactOwnIDs), ir.I(32)), 8)
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
func deleteCall(f *fn, x *ast.Call) ir.Operand {
	out := ir.I(0)
	if m, ok := x.Args[0].(*ast.Map); ok && m.Keys == nil && len(x.Args) > 1 {
		if _, another := x.Args[1].(*ast.Map); !another || f.info.ByName[m.Name].Key != nil {
			return f.access.deleteKey(m, f.keyArgs(x.Args[1:]))
		}
	}
	for _, a := range x.Args {
		if m, ok := a.(*ast.Map); ok {
			out = f.access.deleteKey(m, m.Keys)
		}
	}
	return out
}

// find is find(@m, k, $v): look up and copy, true if the key was there.
func find(f *fn, x *ast.Call) ir.Operand {
	mx := x.Args[0].(*ast.Map)
	m := f.info.ByName[mx.Name]
	out := f.NewVar(ir.I(0))
	p := f.access.lookup(m, f.access.key(m, f.keyArgs(x.Args[1:2])))
	f.If(ir.Ne, p, ir.I(0), func() {
		if v, ok := x.Args[2].(*ast.Var); ok {
			f.values.assignVar(v, func(t *types.Type) value { return memory(m.Value, p.Reg, 0) })
		}
		f.Set(out, ir.I(1))
	})
	return ir.R(out)
}

// length is len(@m) and len(stack). The entries of a map are counted by walking
// it.
func length(f *fn, x *ast.Call) ir.Operand {
	if f.typeOf(x.Args[0]).IsStack() {
		if mx, ok := x.Args[0].(*ast.Map); !ok || mx.Keys != nil || f.info.ByName[mx.Name].Key == nil {
			base, off := f.values.inMemory(f.expr(x.Args[0]))
			return f.Op(ir.OpAnd, f.Load(base, off+stackIDAt, 8, false), ir.I(1<<object.StackCountBits-1))
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
		f.p.captured.slot = f.NearSlot("captured", capturedVars)
	}
	cb := f.flow.callback("len", 4, 3, func(cb *fn, args []ir.Reg) {})
	return f.MapOp(f.access.ref(m), ir.OpMapEach, f.flow.funcAddr(cb), ir.R(f.lenContext()))
}

// lenContext is some memory for a callback that needs none.
func (f *fn) lenContext() ir.Reg {
	base := f.flow.captureBase()
	if f.parent == nil {
		f.Store(base, capturedLeave, ir.I(0), 8)
		f.Store(base, capturedCtx, ir.R(f.ctx), 8)
	}
	return base
}

// register is reg("name").
func register(f *fn, x *ast.Call, t *types.Type) value {
	name := f.u.Strings[x.Args[0]]
	off, ok := regOffsets[name]
	if !ok || !f.probed.hasRegs() {
		f.diags.Errorf(x.Args[0].Pos(), "there is no register %q here", name).
			Hintf("x86-64 has ax bx cx dx si di bp sp ip r8 to r15 flags cs ss orig_ax")
		return scalar(t, ir.I(0))
	}
	return scalar(t, f.Load(f.ctx, off, 8, false))
}

// percpuAddr is percpu_kaddr("sym"[, cpu]).
func percpuAddr(f *fn, x *ast.Call, t *types.Type) value {
	addr, ok := f.t.Symbol(f.u.Strings[x.Args[0]])
	table, ok2 := f.t.Symbol("__per_cpu_offset")
	if !ok || !ok2 {
		f.diags.Errorf(x.Args[0].Pos(), "the kernel has no per-CPU symbol %q", f.u.Strings[x.Args[0]])
		return scalar(t, ir.I(0))
	}
	cpu := f.Fact(ir.FactCPU)
	if len(x.Args) > 1 {
		cpu = f.scalarOf(x.Args[1])
	}
	slot := f.Op(ir.OpAdd, ir.R(f.Reg(ir.I(int64(table)))), f.Op(ir.OpLsh, cpu, ir.I(3)))
	base := f.values.loadMem(value{isMem: true, base: slot, sp: kernel}, 8, false)
	return scalar(t, f.Op(ir.OpAdd, base, ir.R(f.Reg(ir.I(int64(addr))))))
}
