package lower

import (
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"

	"github.com/ianlancetaylor/demangle"
)

// probed is what the probe and its thread are asked for: arguments, results, names.
type probed struct{ *fn }

// taskID is what pid and tid are taken from: with init as argument, the
// kernel's own numbers.
func (f probed) taskID(x ast.Expr) ir.Operand {
	if id, ok := argument(x).(*ast.Ident); ok && id.Name == "init" {
		return f.Fact(ir.FactIDs)
	}
	return f.Fact(ir.FactOwnIDs)
}

// argument is what a variable is asked of where it is written as a call, as comm(task), or nil.
func argument(x ast.Expr) ast.Expr {
	if c, ok := x.(*ast.Call); ok && len(c.Args) > 0 {
		return c.Args[0]
	}
	return nil
}

// nsecs is the clock of `nsecs`: time since boot, suspend included (5.8 on).
func (f probed) nsecs() ir.Operand { return f.Fact(ir.FactBootTime) }

// tai reads the clock TAI: by its helper, or, before Linux 6.1, the boot clock
// and how far TAI was ahead of it when the session started.
func (f probed) tai() ir.Operand {
	if f.t.Has(target.KtimeTAI) {
		return f.Fact(ir.FactTAI)
	}
	return f.Op(ir.OpAdd, f.Fact(ir.FactBootTime), f.Load(f.MapValue(f.startMap(), 0), 8, 8, false))
}

// clock is nsecs(monotonic|boot|tai|sw_tai).
func clock(f *fn, x ast.Expr, t *types.Type) value {
	if id, ok := argument(x).(*ast.Ident); ok {
		switch id.Name {
		case "monotonic":
			return scalar(t, f.Fact(ir.FactMonotonicTime))
		case "tai", "sw_tai":
			return scalar(t, f.probed.tai())
		}
	}
	return scalar(t, f.probed.nsecs())
}

// taskPtr is the current task as a pointer that loads may follow, or 0 if the
// kernel has none.
func (f probed) taskPtr() ir.Reg {
	if !f.t.Has(target.TaskStorage) {
		return 0
	}
	return f.Fact(ir.FactTaskPointer).Reg
}

// taskField finds a member of task_struct that programs may load directly
// from bpf_get_current_task_btf's pointer.
func (l *lowerer) taskField(name string) (types.Field, bool) {
	// The comm is zero-padded from 5.17 on (commit 503471ac36ad), and
	// before 5.11 there is no typed task pointer.
	if !l.t.Has(target.TaskStorage) || !l.t.Since(5<<16|17<<8) {
		return types.Field{}, false
	}
	task, ok := l.t.Type("struct", "task_struct")
	if !ok {
		return types.Field{}, false
	}
	return task.Field(name)
}

// varLowering makes code that reads one variable, which x names: by a word or a call.
type varLowering func(f *fn, x ast.Expr, t *types.Type) value

// varLowerings are those of the variables that are not constants and whose records do not say where they come from.
var varLowerings map[*builtin.Var]varLowering

// inRegister is a variable whose value is in a register, with the bits of its type or more.
func inRegister(of func(f *fn) ir.Operand) varLowering {
	return func(f *fn, _ ast.Expr, t *types.Type) value { return scalar(t, f.Extend(of(f), argSize(t), t.Signed)) }
}

func init() {
	result := func(f *fn, _ ast.Expr, t *types.Type) value {
		v := f.probed.retval()
		if t.Kind == types.Pointer {
			v.t = t
		}
		return v
	}
	stack := func(f *fn, _ ast.Expr, t *types.Type) value { return f.frames.stack(t) }
	varLowerings = map[*builtin.Var]varLowering{
		builtin.VarPid: pid, builtin.VarTid: tid,
		builtin.VarComm: commOf,
		builtin.VarPpid: processOf("real_parent"), builtin.VarLeaderTid: processOf("group_leader"),
		builtin.VarContainer: containerName(0), builtin.VarPod: containerName(8),
		builtin.VarKstack: stack, builtin.VarUstack: stack, builtin.VarDwUstack: stack,
		builtin.VarUsermode: inRegister(func(f *fn) ir.Operand {
			// Code of the kernel runs in ring 0, that of programs in ring 3.
			return f.Op(ir.OpAnd, f.Load(f.ctx, regOffsets["cs"], 8, false), ir.I(1))
		}),

		builtin.VarNsecs: clock,
		builtin.VarElapsed: inRegister(func(f *fn) ir.Operand {
			return f.Op(ir.OpSub, f.probed.nsecs(), f.Load(f.MapValue(f.startMap(), 0), 0, 8, false))
		}),
		builtin.VarTook: inRegister(func(f *fn) ir.Operand { return f.flow.ofBody(f.p.took) }),

		builtin.VarProbe: func(f *fn, _ ast.Expr, t *types.Type) value {
			if t.Kind == types.String {
				return value{t: t, str: &f.p.hook.Name}
			}
			return scalar(t, f.probed.probeName())
		},
		builtin.VarFunc: func(f *fn, _ ast.Expr, t *types.Type) value { return f.probed.funcName(t) },
		builtin.VarArgs: func(f *fn, _ ast.Expr, t *types.Type) value { return f.probed.argsRecord(t) },
		builtin.VarArgN: argN, builtin.VarRetval: result, builtin.VarRet: result, builtin.VarErrno: inRegister(errno),
		builtin.VarCtx: inRegister(func(f *fn) ir.Operand { return f.Op(ir.OpAdd, ir.R(f.ctx), ir.I(0)) }),

		builtin.VarCpid: inRegister(func(f *fn) ir.Operand { return ir.I(int64(f.info.Opts.CPID)) }),
	}
}

// builtin reads a built-in variable.
func (f probed) builtin(name string, x ast.Expr, t *types.Type) value {
	v, _ := builtin.VarByName(name)
	switch {
	case varLowerings[v] != nil:
		return varLowerings[v](f.fn, x, t)
	case v != nil && v.Member != nil:
		return ofTask(v.Member...)(f.fn, x, t)
	case v == nil || v.Fact == ir.FactInvalid:
		panic(f.fault(x, name+" has no value here"))
	}
	n := f.Fact(v.Fact)
	switch {
	case t.Kind.IsNamed():
		return f.named(t, n)
	case v.Part == builtin.Low:
		n = f.Extend(n, 4, false)
	case v.Part == builtin.High:
		n = f.Op(ir.OpRsh, n, ir.I(32))
	}
	return scalar(t, f.Extend(n, argSize(t), t.Signed))
}

func pid(f *fn, x ast.Expr, t *types.Type) value {
	return scalar(t, f.Extend(f.Op(ir.OpRsh, f.probed.taskID(x), ir.I(32)), argSize(t), t.Signed))
}

func tid(f *fn, x ast.Expr, t *types.Type) value {
	if f.u.Provider == "begin" || f.u.Provider == "end" {
		// Which of its own threads runs them does not matter.
		return pid(f, x, t)
	}
	return scalar(t, f.Extend(f.Extend(f.probed.taskID(x), 4, false), argSize(t), t.Signed))
}

// argN is arg0, arg1 ...
func argN(f *fn, x ast.Expr, t *types.Type) value {
	name := check.Word(x)
	n, _ := builtin.ArgNumber(name)
	v := ir.Operand{}
	if words, kept := f.p.pairArgs[name]; kept {
		v = f.flow.ofBody(words[0])
	} else {
		v = f.probed.arg(n)
	}
	return scalar(t, f.Extend(v, argSize(t), t.Signed))
}

// errno is 0 for success, else the positive error number. Below -4095 there are none:
// positions in memory, groups of processes.
func errno(f *fn) ir.Operand {
	ret := f.values.operand(f.probed.retval())
	return f.SelectIf(ir.UGe, ret, ir.I(-4095), ir.I(0), func() ir.Operand { return f.Op(ir.OpSub, ir.I(0), ret) })
}

// builtinTo evaluates a built-in straight into memory, where that saves a copy.
func (f probed) builtinTo(name string, t *types.Type, base ir.Reg, off int32) bool {
	if v, ok := builtin.VarByName(name); !ok || v != builtin.VarComm || t.Kind != types.String {
		return false
	}
	if _, ok := f.taskField("comm"); ok {
		return false
	}
	f.CommTo(f.AddConst(ir.R(base), int64(off)), min(16, t.Size))
	if t.Size > 16 {
		f.Zero(base, off+16, t.Size-16)
	}
	return true
}

// comm is the thread's name: two loads from the task where the kernel has a
// typed pointer to it (20 ns less than the helper).
func (f probed) comm() value {
	t := types.StringType(16)
	if fd, ok := f.taskField("comm"); ok {
		return memory(t, f.taskPtr(), int32(fd.Offset))
	}
	mem := f.Slot("comm", 16)
	f.CommTo(ir.R(mem), 16)
	return memory(t, mem, 0)
}

// commOf is comm or comm(task).
func commOf(f *fn, x ast.Expr, t *types.Type) value {
	if argument(x) != nil {
		return ofTask("comm")(f, x, t)
	}
	return f.probed.comm()
}

// ofTask reads a member of a task, the running one unless x is a call with another:
// of the task itself, or of what members of it lead to.
func ofTask(path ...string) varLowering {
	return func(f *fn, x ast.Expr, t *types.Type) value {
		var task ir.Operand
		if other := argument(x); other != nil {
			task = f.scalarOf(other)
		} else {
			task = f.Fact(ir.FactTask)
		}
		if _, ok := f.t.Type("struct", "task_struct"); !ok {
			return scalar(t, f.probed.noTypes(f.Span, x))
		}
		v := f.probed.kernelMember(task, "task_struct", path...)
		if v.t.Kind == types.String {
			v.t = types.StringType(16)
		}
		return v
	}
}

// noTypes reports that what a built-in is found by is not known of this kernel.
func (f probed) noTypes(at source.Span, x ast.Expr) ir.Operand {
	f.diags.Errorf(at, "%s needs the kernel's type information (BTF), which this kernel lacks", check.Word(x)).
		Hintf("use a kernel that is built with CONFIG_DEBUG_INFO_BTF")
	return ir.I(0)
}

// deepest is how many PID namespaces the kernel nests, the first one included (MAX_PID_NS_LEVEL).
const deepest = 33

// processOf reads the process ID of a task that the one in question points to: as pid, in this process's PID namespace,
// 0 if it has none there.
func processOf(member string) varLowering {
	return func(f *fn, x ast.Expr, t *types.Type) value {
		var inode uint64
		ns, nested := f.t.(target.PIDNamespace)
		if nested {
			_, inode, nested = ns.PIDNamespace()
		}
		if !nested {
			return ofTask(member, "tgid")(f, x, t)
		}
		pids := ofTask(member, "signal", "pids")(f, x, types.U64)
		pids.t, pids.off = types.U64, pids.off+8 // PIDTYPE_TGID
		pid := f.values.operand(pids)
		level := f.values.operand(f.probed.kernelMember(pid, "pid", "level"))
		upid, _ := f.t.Type("struct", "upid")
		out, done := f.NewVar(ir.I(0)), f.NewBlock()
		for i := range deepest {
			numbers := f.probed.kernelMember(pid, "pid", "numbers")
			other := f.NewBlock()
			f.Guard(ir.UGe, level, ir.I(int64(i)), done)
			at := f.Op(ir.OpAdd, numbers.base, ir.I(numbers.off+int64(i*upid.Size)))
			f.Guard(ir.Eq, f.values.operand(f.probed.kernelMember(at, "upid", "ns", "ns", "inum")), ir.I(int64(inode)), other)
			f.Set(out, f.values.operand(f.probed.kernelMember(at, "upid", "nr")))
			f.Jump(done)
			f.SetBlock(other)
		}
		f.Label(done)
		return scalar(t, ir.R(out))
	}
}

// kernelMember is a member of a struct of the kernel's at an address, by way of others: those that are pointers are followed.
func (f probed) kernelMember(at ir.Operand, of string, path ...string) value {
	t, _ := f.t.Type("struct", of)
	v := value{t: t, isMem: true, base: at, sp: kernel}
	for _, name := range path {
		if v.t.Kind == types.Pointer {
			v = value{t: v.t.Elem, isMem: true, base: f.values.operand(v), sp: kernel}
		}
		fd, _ := v.t.Field(name)
		v = f.values.member(v, fd)
	}
	return v
}

// probeName is the index of the probe's name in Object.ProbeNames.
func (f probed) probeName() ir.Operand {
	if n := len(f.inlines); n > 0 {
		return f.probeNumber(f.inlines[n-1].node.Probe)
	}
	if f.p.allSys == "" && f.p.multi {
		return f.Fact(ir.FactCookie, ir.R(f.ctx))
	}
	if f.p.allSys == "" || len(f.u.Hooks) == 1 {
		return f.probeNumber(f.p.hook.Name)
	}
	// One program serves many system calls.
	kind := ""
	for _, h := range f.u.Hooks {
		f.probeID(h.Name)
		if k, _ := f.syscallProbe(h.Name); k != "" {
			kind = k
		}
	}
	return f.Op(ir.OpAdd, f.calls.syscallNumber(), ir.Operand{Link: ir.ProbeName, Imm: int64(f.probesByNumber(kind))})
}

// probeNumber is the index of a name in Object.ProbeNames.
func (l *lowerer) probeNumber(name string) ir.Operand {
	return ir.Operand{Link: ir.ProbeName, Imm: int64(l.probeID(name))}
}

// named is a number of a kind that is shown by its name.
func (f probed) named(t *types.Type, n ir.Operand) value {
	return scalar(t, f.Op(ir.OpOr, f.Extend(n, 4, false), ir.R(f.Reg(ir.I(types.Named)))))
}

// funcName is the probed function: its address, named when it is shown.
func (f probed) funcName(t *types.Type) value {
	if t.Kind == types.ProbeName {
		if f.p.hook.Symbol == "" { // an event
			return scalar(t, f.probeName())
		}
		name := f.p.hook.Symbol
		if f.obj.Config.CppDemangle {
			name = demangle.Filter(name)
		}
		return scalar(t, f.probeNumber(name))
	}
	if t.Kind == types.Syscall {
		if f.p.allSys != "" {
			return f.named(t, f.calls.syscallNumber())
		}
		nr, _ := f.t.SyscallNumber(strings.TrimPrefix(f.p.hook.Event, "sys_exit_"))
		return f.named(t, ir.I(int64(nr)))
	}
	if t.User {
		mem := f.Slot("func", 16)
		if f.t.Has(target.GetFuncIP) && f.p.kind == object.ProgKprobe && f.p.multi {
			f.storeWithPID(mem, 0, f.Fact(ir.FactFunction, ir.R(f.ctx)))
		} else {
			f.storeWithPID(mem, 0, f.Load(f.ctx, regOffsets["ip"], 8, false))
		}
		return memory(t, mem, 0)
	}
	if !f.p.multi && f.p.hook.Function != "" {
		if addr, ok := f.t.Symbol(f.p.hook.Function); ok {
			return scalar(t, ir.I(int64(addr)))
		}
	}
	if f.t.Has(target.GetFuncIP) {
		return scalar(t, f.Fact(ir.FactFunction, ir.R(f.ctx)))
	}
	return scalar(t, f.Load(f.ctx, regOffsets["ip"], 8, false))
}

// Where the parts of a stack are, and of its entry in the map of stacks.
const (
	stackIDAt = 0 // the process stands behind it

	stackCountAt  = 0
	stackFramesAt = 8

	noStack = 0 // the id of an empty stack
)
