package lower

import (
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// regs tells whether the context is (or starts with) a pt_regs.
func (f probed) hasRegs() bool {
	return f.p.kind == object.ProgKprobe || f.p.kind == object.ProgPerfEvent
}

// arg is argument n of the probed function.
func (f probed) arg(n int) ir.Operand {
	switch f.p.kind {
	case object.ProgKprobe:
		if f.u.Provider == "usdt" {
			return f.usdtArg(n)
		}
		if f.p.byTraceiter() {
			n++
		}
		if regs := f.argRegs(); n < len(regs) {
			return f.Load(f.ctx, regOffsets[regs[n]], 8, false)
		}
		return f.values.loadMem(f.stackWord(types.U64, n), 8, false)
	case object.ProgRawTracepoint, object.ProgFentry, object.ProgFexit:
		if f.p.allSys != "" {
			return f.calls.syscallArg(n)
		}
		return f.Load(f.ctx, int32(8*n), 8, false)
	case object.ProgTracepoint:
		if f.p.allSys != "" {
			return f.calls.syscallArg(n)
		}
		if f.p.hook.Category == "syscalls" {
			return f.Load(f.ctx, int32(16+8*n), 8, false) // struct syscall_trace_enter
		}
	}
	return ir.I(0)
}

// argRegs are the registers of the probed function's arguments.
func (f probed) argRegs() []string {
	if f.p.hook.Convention == object.ConventionGo {
		return goArgRegs
	}
	return funcArgRegs
}

// stackWord is word n of a function's arguments where the registers do not
// reach: on the stack, behind the return address.
func (f probed) stackWord(t *types.Type, n int) value {
	v := value{t: t, isMem: true, base: f.Load(f.ctx, regOffsets["sp"], 8, false), off: int64(8 * (n - len(f.argRegs()) + 1)), sp: kernel}
	if f.u.IsUser() {
		v.sp = user
	}
	return v
}

// regArg is the argument that begins in word n.
func (f probed) regArg(t *types.Type, n int) value {
	if t.Kind != types.Struct && t.Kind != types.Union {
		return scalar(t, f.Extend(f.arg(n), argSize(t), t.Signed))
	}
	if n >= len(f.argRegs()) {
		return f.stackWord(t, n)
	}
	return f.inWords(t, func(i int) ir.Operand { return f.arg(n + i) })
}

// inWords is a struct whose words are in registers.
func (f probed) inWords(t *types.Type, word func(i int) ir.Operand) value {
	mem := f.Slot("struct", 8*wordsOf(t))
	for i := range wordsOf(t) {
		f.Store(mem, int32(8*i), word(i), 8)
	}
	return memory(t, mem, 0)
}

// wordsOf is how many words of 8 bytes an argument takes.
func wordsOf(t *types.Type) int {
	if !t.IsStruct() {
		return 1
	}
	return max(1, (t.Size+7)/8)
}

// entryType is the type of an argument that the entry half of a paired probe keeps.
func entryType(u *check.Unit, name string) *types.Type {
	if u.Args != nil {
		if fd, ok := u.Args.Field(name); ok {
			return fd.Type
		}
	}
	if _, p := u.Func.Param(name); p != nil {
		return p.Type
	}
	return types.U64
}

// entrySize is what the entry half of a paired probe keeps: the time, and the words of
// arguments.
func entrySize(u *check.Unit) int {
	size := 8
	for _, name := range u.EntryArgs {
		size += 8 * wordsOf(entryType(u, name))
	}
	return size
}

// usdtArg reads an argument of a static probe from where its note says.
func (f probed) usdtArg(n int) ir.Operand {
	if n >= len(f.u.USDT) {
		return ir.I(0)
	}
	a := f.u.USDT[n]
	reg := func(name string) ir.Operand {
		if _, ok := regOffsets[name]; !ok {
			name = strings.TrimPrefix(name, "r")
		}
		return f.Load(f.ctx, regOffsets[name], 8, false)
	}
	switch {
	case a.Const != nil:
		return f.Extend(ir.I(*a.Const), a.Size, a.Signed)
	case a.Reg != "":
		return f.Extend(reg(a.Reg), a.Size, a.Signed)
	}
	addr := ir.I(0)
	if a.Base != "" {
		addr = reg(a.Base)
	}
	if a.Index != "" {
		index := reg(a.Index)
		if a.Scale > 1 {
			index = f.Op(ir.OpMul, index, ir.I(int64(a.Scale)))
		}
		addr = f.Op(ir.OpAdd, addr, index)
	}
	return f.Extend(f.values.loadMem(value{isMem: true, base: addr, off: a.Disp, sp: user}, a.Size, a.Signed), a.Size, a.Signed)
}

// argNamed is args.NAME.
func (f probed) argNamed(name string) value {
	t := types.U64
	var fd types.Field
	ok := false
	if f.u.Args != nil {
		fd, ok = f.u.Args.Field(name)
	}
	if words, kept := f.p.pairArgs[name]; kept {
		t = entryType(f.u, name)
		if !t.IsStruct() {
			return scalar(t, f.flow.ofBody(words[0]))
		}
		return f.inWords(t, func(i int) ir.Operand { return f.flow.ofBody(words[i]) })
	}
	entryOnly := f.p.entry && !ok || f.p.entry && f.p.allSys != ""
	if entryOnly || !ok {
		// An argument of the entry: its position among the parameters tells.
		if i, p := f.u.Func.Param(name); p != nil {
			return scalar(p.Type, f.Extend(f.arg(f.u.Func.Slot(i)), argSize(p.Type), p.Type.Signed))
		}
		if n, numbered := builtin.ArgNumber(name); numbered {
			return scalar(t, f.arg(n))
		}
		return scalar(t, ir.I(0))
	}
	t = fd.Type
	switch {
	case f.p.allSys != "":
		return f.syscallField(fd)
	case f.p.kind == object.ProgTracepoint:
		v := f.values.member(value{isMem: true, base: ir.R(f.ctx), sp: direct}, fd)
		if v.t.Kind == types.String && v.sp == direct {
			// The record lies in kernel memory: a copy takes one read.
			v.base, v.sp = f.Op(ir.OpAdd, ir.R(f.ctx), ir.I(0)), kernel
		}
		return v
	case f.p.kind == object.ProgKprobe, f.p.kind == object.ProgFentry, f.p.kind == object.ProgFexit:
		return f.regArg(t, fd.Offset/8)
	case f.p.kind == object.ProgIter:
		return scalar(t, f.Load(f.ctx, int32(fd.Offset), argSize(t), t.Signed))
	}
	return scalar(t, f.Extend(f.Load(f.ctx, int32(fd.Offset), 8, false), argSize(t), t.Signed))
}

func argSize(t *types.Type) int {
	if t.Size < 1 || t.Size > 8 {
		return 8
	}
	return t.Size
}

// syscallField finds a field of a system-call tracepoint in what an allSys
// program gets: the number at offset 8 of the record, then the six arguments or
// the result.
func (f probed) syscallField(fd types.Field) value {
	t := fd.Type
	switch {
	case fd.Offset < 16:
		return scalar(t, f.Extend(f.calls.syscallNumber(), argSize(t), t.Signed))
	case f.p.allSys == sysExit:
		return scalar(t, f.Extend(f.calls.syscallResult(), argSize(t), t.Signed))
	case t.Kind == types.Array:
		mem := f.Slot("args", 48)
		for i := range syscallArgRegs {
			f.Store(mem, int32(8*i), f.calls.syscallArg(i), 8)
		}
		return memory(t, mem, 0)
	}
	return scalar(t, f.Extend(f.calls.syscallArg((fd.Offset-16)/8), argSize(t), t.Signed))
}

// syscallElement is args.args[0] of raw_syscalls:sys_enter: reading one argument
// of a system call takes a helper, and the array has six.
func (f probed) syscallElement(x *ast.Index) (value, bool) {
	field, _ := x.X.(*ast.Field)
	n, constant := x.I.(*ast.IntLit)
	if field == nil || !constant || n.Value >= uint64(len(syscallArgRegs)) || f.p.allSys != sysEnter || f.u.Args == nil {
		return value{}, false
	}
	if !check.Names(field.X, builtin.VarArgs) {
		return value{}, false
	}
	fd, ok := f.u.Args.Field(field.Name)
	if _, kept := f.p.pairArgs[field.Name]; kept || !ok || fd.Type.Kind != types.Array || fd.Offset != 16 {
		return value{}, false
	}
	return scalar(fd.Type.Elem, f.calls.syscallArg(int(n.Value))), true
}

// retval is what the probed function returned.
func (f probed) retval() value {
	t := f.u.Retval
	if t == nil {
		t = types.U64
	}
	var v ir.Operand
	switch {
	case f.p.allSys == sysExit:
		v = f.calls.syscallResult()
	case f.p.kind == object.ProgTracepoint:
		v = f.Load(f.ctx, 16, 8, false)
	case f.p.kind == object.ProgFexit:
		n := 0
		if f.u.Func != nil {
			n = f.u.Func.Words()
		}
		v = f.Load(f.ctx, int32(8*n), 8, false)
	case t.IsStruct() && t.Size <= 16:
		return f.inWords(t, func(i int) ir.Operand { return f.Load(f.ctx, regOffsets[[...]string{"ax", "dx"}[i]], 8, false) })
	case t.IsStruct():
		return value{t: t, isMem: true, base: f.Load(f.ctx, regOffsets["ax"], 8, false), sp: kernel}
	default:
		v = f.Load(f.ctx, regOffsets["ax"], 8, false)
	}
	return scalar(t, f.Extend(v, argSize(t), t.Signed))
}

// argsRecord is `args` as a whole: the record that the checker typed.
func (f probed) argsRecord(t *types.Type) value {
	mem := f.Slot("args", max(t.Size, 8))
	f.Zero(mem, 0, t.Size)
	for _, fd := range t.Fields() {
		f.values.storeValue(f.argNamed(fd.Name), fd.Type, mem, int32(fd.Offset))
	}
	return memory(t, mem, 0)
}
