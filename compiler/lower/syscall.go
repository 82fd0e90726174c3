package lower

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/lang/ast"
)

// calls tells the calls of functions apart: which system call, and whose entry a return belongs to.
type calls struct{ *fn }

// Offsets in x86-64's struct pt_regs (arch/x86/include/asm/ptrace.h).
var regOffsets = map[string]int32{
	"r15": 0, "r14": 8, "r13": 16, "r12": 24, "bp": 32, "bx": 40, "r11": 48, "r10": 56, "r9": 64, "r8": 72,
	"ax": 80, "cx": 88, "dx": 96, "si": 104, "di": 112, "orig_ax": 120, "ip": 128, "cs": 136, "flags": 144, "sp": 152, "ss": 160,
	"rbp": 32, "rbx": 40, "rax": 80, "rcx": 88, "rdx": 96, "rsi": 104, "rdi": 112, "orig_rax": 120, "rip": 128, "rsp": 152, "pc": 128,
}

// funcArgRegs hold the first six arguments of a function, goArgRegs
// the words of arguments of one of Go, syscallArgRegs those of a system call.
var (
	funcArgRegs    = []string{"di", "si", "dx", "cx", "r8", "r9"}
	goArgRegs      = []string{"ax", "bx", "cx", "di", "si", "r8", "r9", "r10", "r11"} // from Go 1.17 on
	syscallArgRegs = []string{"di", "si", "dx", "r10", "r8", "r9"}
)

// allSyscalls tells whether a unit on system-call tracepoints runs on the event
// of all calls instead ("enter" or "exit") and looks at their number: that
// attaches at once, however many calls are named. Up to Linux 6.19 it is the raw
// tracepoint, which costs less. Kernel stacks are the exception: the events of
// single calls have them at the least cost.
func (l *lowerer) allSyscalls(u *check.Unit) string {
	if l.rawPreempted() && l.syscallUnits > mostOnEvent {
		return ""
	}
	return l.syscallsOf(u)
}

// syscallsOf tells whether all hooks of a unit are system calls that are entered
// ("enter") or left ("exit").
func (l *lowerer) syscallsOf(u *check.Unit) string {
	if u.UsesStack && l.t.Since(syscallStacks) || u.UsesProbe && l.info.ProbeText {
		return ""
	}
	dir := ""
	for _, h := range u.Hooks {
		raw := h.Category == "raw_syscalls"
		d, _, _ := strings.Cut(strings.TrimPrefix(h.Event, "sys_"), "_")
		if h.Kind != object.HookTracepoint || !raw && h.Category != "syscalls" || dir != "" && d != dir || raw && len(u.Hooks) > 1 {
			return ""
		}
		dir = d
	}
	return dir
}

// syscallNumbers lists the numbers of the system calls that hooks name; nil
// stands for all of them (raw_syscalls).
func (l *lowerer) syscallNumbers(hooks []object.Hook) []int {
	if hooks[0].Category == "raw_syscalls" {
		return nil
	}
	nrs := []int{}
	for _, h := range hooks {
		name := strings.TrimPrefix(strings.TrimPrefix(h.Event, "sys_enter_"), "sys_exit_")
		if nr, ok := l.t.SyscallNumber(name); ok {
			nrs = append(nrs, nr)
			continue
		}
		l.diags.Errorf(h.Span, "the number of system call %s is not known", name).
			Hintf("use tracepoint:raw_syscalls:sys_enter and compare args.id")
	}
	sort.Ints(nrs)
	return nrs
}

// syscallNumber is the number of the system call in an allSys program.
func (f calls) syscallNumber() ir.Operand {
	switch {
	case f.p.nr != 0:
		return f.flow.ofBody(f.p.nr)
	case f.p.kind == object.ProgTracepoint || f.p.allSys == sysEnter:
		return f.Load(f.ctx, 8, 8, true)
	}
	return f.userReg("orig_ax")
}

// syscallArg is argument n of the system call that an allSys program enters.
func (f calls) syscallArg(n int) ir.Operand {
	n = min(n, len(syscallArgRegs)-1)
	if f.p.kind == object.ProgTracepoint {
		return f.Load(f.ctx, int32(16+8*n), 8, false)
	}
	return f.userReg(syscallArgRegs[n])
}

// syscallResult is what the system call that an allSys program leaves returns.
func (f calls) syscallResult() ir.Operand {
	if f.p.kind == object.ProgTracepoint {
		return f.Load(f.ctx, 16, 8, false)
	}
	return f.Load(f.ctx, 8, 8, false)
}

// userReg reads a register of the pt_regs that the raw tracepoints sys_enter and
// sys_exit get.
func (f calls) userReg(name string) ir.Operand {
	regs := f.Load(f.ctx, 0, 8, false)
	return f.values.loadMem(value{isMem: true, base: regs, off: int64(regOffsets[name]), sp: kernel}, 8, false)
}

// syscallFilter goes on only for the given system calls (nil: all).
func (f calls) syscallFilter(nrs []int) {
	if nrs == nil {
		return
	}
	nr := f.syscallNumber()
	f.p.nr = f.Reg(nr) // known to all that follows
	keep := f.NewBlock()
	if len(nrs) <= 6 {
		for _, n := range nrs {
			f.Guard(ir.Ne, nr, ir.I(int64(n)), keep)
		}
	} else {
		f.syscallBitmap(nr, nrs, keep)
	}
	f.Jump(f.exit)
	f.SetBlock(keep)
	f.nativeSyscall()
}

// syscallBitmap goes to keep for the given system calls, with 64 of them to a word.
func (f calls) syscallBitmap(nr ir.Operand, nrs []int, keep *ir.Block) {
	words := map[int]uint64{}
	top := 0
	for _, n := range nrs {
		words[n/64] |= 1 << (n % 64)
		top = max(top, n/64)
	}
	for w := 0; w <= top; w++ {
		next := f.NewBlock()
		f.Guard(ir.ULt, nr, ir.I(int64(w+1)*64), next)
		if words[w] == 0 {
			f.Jump(f.exit)
		} else {
			bit := f.Op(ir.OpAnd, f.Op(ir.OpRsh, ir.R(f.Reg(ir.I(int64(words[w])))), nr), ir.I(1))
			f.Branch(ir.Ne, bit, ir.I(0), keep, f.exit)
		}
		f.SetBlock(next)
	}
}

// tsCompat is set in a thread_info's status while the thread is in a system call of
// 32-bit programs (arch/x86/include/asm/thread_info.h).
const tsCompat = 2

// nativeSyscall goes on only for system calls of 64-bit programs. Those of 32-bit
// ones, which any program makes by int 0x80, have other numbers and other registers
// for their arguments: what is 5 there, open(), is fstat() here. The events of single
// calls leave them out as well.
func (f calls) nativeSyscall() {
	task, ok := f.t.Type("struct", "task_struct")
	if !ok {
		return
	}
	info, ok := task.Field("thread_info")
	if !ok || !info.Type.IsStruct() {
		return
	}
	status, ok := info.Type.Field("status")
	if !ok {
		return
	}
	v := value{isMem: true, base: ir.R(f.probed.taskPtr())}
	if v.base.Reg == 0 {
		v.base, v.sp = f.Fact(ir.FactTask), kernel
	}
	compat := f.Op(ir.OpAnd, f.values.operand(f.values.member(f.values.member(v, info), status)), ir.I(tsCompat))
	f.Guard(ir.Eq, compat, ir.I(0), f.exit)
}

// dropChildren goes on only for the returns of those who called. Of a call that makes
// a process or thread the kernel reports that of what was made as well, with 0, which
// the caller never gets.
func (f calls) dropChildren(hooks []object.Hook) {
	makers := []string{"fork", "vfork", "clone", "clone3"}
	isMaker := func(h object.Hook) bool { return slices.Contains(makers, strings.TrimPrefix(h.Event, "sys_exit_")) }
	if !slices.ContainsFunc(hooks, isMaker) {
		return
	}
	keep := f.NewBlock()
	f.Guard(ir.Eq, f.values.operand(f.probed.retval()), ir.I(0), keep)
	if slices.IndexFunc(hooks, func(h object.Hook) bool { return !isMaker(h) }) < 0 {
		f.Jump(f.exit)
	} else {
		f.dropCalls(hooks, makers...)
		f.Jump(keep)
	}
	f.SetBlock(keep)
}

// dropCalls goes on only for other system calls than those that are named.
func (f calls) dropCalls(hooks []object.Hook, names ...string) {
	var nr ir.Operand
	for _, name := range names {
		isOf := func(h object.Hook) bool { return h.Event == "sys_enter_"+name || h.Event == "sys_exit_"+name }
		n, known := f.t.SyscallNumber(name)
		if !known || !slices.ContainsFunc(hooks, isOf) {
			continue
		}
		switch {
		case nr != (ir.Operand{}):
		case f.p.allSys != "":
			nr = f.syscallNumber()
		default:
			nr = f.Load(f.ctx, 8, 4, true) // of an event of its own
		}
		f.Guard(ir.Ne, nr, ir.I(int64(n)), f.exit)
	}
}

// pairMap makes the map that carries the entry's time and arguments to the
// return. A thread is in one system call at a time, so what belongs to one is kept
// with the thread where it can be: at less cost than in a hash, and for any
// number of threads. The time, which comes first, is 0 between two calls. Nobody
// reads it in user space, but ThreadMaps also says that new values do not fail on
// this CPU, nor look-ups as they do before Linux 6.2 while the storage is busy.
func (l *lowerer) pairMap(u *check.Unit) int {
	if m, ok := l.pairs[u]; ok {
		return m
	}
	name := "fst_pair_" + l.progName(u.Hooks[0])
	for n := 2; l.mapNamed(name) >= 0; n++ {
		name = fmt.Sprintf("fst_pair_%s_%d", l.progName(u.Hooks[0]), n)
	}
	om := &object.Map{Name: name, Kind: object.MapHash, KeySize: 16, ValueSize: entrySize(u), MaxEntries: pairedMapEntries}
	if u.Hooks[0].Kind == object.HookTracepoint && l.t.Has(target.ThreadMaps) {
		om.Kind, om.KeySize, om.MaxEntries = object.MapTaskStorage, 4, 0
	}
	m := l.addMap(om)
	l.pairs[u] = m
	return m
}

// pairByThread tells whether the thread itself keeps what belongs to a call.
func (f calls) pairByThread() bool {
	return f.obj.Maps[f.pairs[f.u]].Kind == object.MapTaskStorage
}

// pairKey makes the key that entry and return of one call share: the place of
// the call's return address (or the trampoline's frame) on the stack, which no
// other call has while it runs. That keeps recursion apart, and a thread that
// never returns leaves nothing that its successor would not overwrite.
//
// At a function's entry the stack pointer is that place; at a kretprobe it is
// a word above, for the return popped it (arch/x86/kernel/rethook.c restores it so).
func (f calls) pairKey() ir.Reg {
	key := f.Slot("pair", 16)
	id := ir.I(0)
	var where ir.Operand
	switch f.p.hook.Kind {
	case object.HookTracepoint:
		// A thread that executes a program takes the id of its process: what it keeps is
		// its task_struct, which after its end may be that of another.
		where, id = f.Fact(ir.FactTask), f.Op(ir.OpRsh, f.Fact(ir.FactIDs), ir.I(32))
	case object.HookFentry, object.HookFexit:
		// Both programs of a trampoline get the same frame.
		where = f.Op(ir.OpAdd, ir.R(f.ctx), ir.I(0))
	case object.HookUprobe, object.HookUretprobe:
		id = f.Fact(ir.FactIDs)
		fallthrough
	default:
		word := int64(8)
		if f.p.hook.Bits32 {
			word = 4
		}
		where = f.Load(f.ctx, regOffsets["sp"], 8, false)
		if f.p.hook.Kind == object.HookKretprobe || f.p.hook.Kind == object.HookUretprobe {
			where = f.Op(ir.OpSub, where, ir.I(word))
		}
	}
	f.Store(key, 0, where, 8)
	f.Store(key, 8, id, 8)
	return key
}

// pairEntry is the entry half: it keeps the time and the arguments. The parts
// of the filter that are known already decide here. Of calls that never return
// nothing is kept: nobody would take it away again.
func (f calls) pairEntry(hooks []object.Hook) {
	if f.p.hook.Kind == object.HookTracepoint {
		f.dropCalls(hooks, "exit", "exit_group")
	}
	f.flow.filter(f.messages.noteClause(), func(part ast.Expr) bool { return analysis.SameAtEntry(f.u, part) })
	m, full := f.pairs[f.u], f.NewBlock()
	if f.pairByThread() {
		val, kept := f.ThreadValue(m, true), f.NewBlock()
		f.Branch(ir.Ne, val, ir.I(0), kept, full)
		f.SetBlock(kept)
		f.storeEntry(val.Reg)
		f.Jump(f.exit)
	} else {
		key, val := f.pairKey(), f.Slot("entry", entrySize(f.u))
		f.storeEntry(val)
		ret := f.MapOp(irbuild.Map{Index: m}, ir.OpMapUpdate, ir.R(key), ir.R(val))
		f.Branch(ir.Ne, ret, ir.I(0), full, f.exit)
	}
	f.SetBlock(full)
	f.loss(object.LossMissed)
}

// storeEntry writes what the return will want: the time, then the arguments.
func (f calls) storeEntry(val ir.Reg) {
	at := int32(8)
	for _, name := range f.u.EntryArgs {
		v, words := f.probed.argNamed(name), wordsOf(entryType(f.u, name))
		if v.t.IsStruct() {
			f.Zero(val, at, 8*words)
			f.values.storeValue(v, v.t, val, at)
		} else {
			f.Store(val, at, f.values.operand(v), 8)
		}
		at += int32(8 * words)
	}
	f.Store(val, 0, f.probed.nsecs(), 8)
}

// pairFind finds what the entry kept. A call that was running already when the probe
// was attached has no entry: it is not reported.
func (f calls) pairFind() {
	m := f.pairs[f.u]
	goOnIf := func(some ir.Operand) {
		f.Guard(ir.Ne, some, ir.I(0), f.exit)
	}
	var p ir.Operand
	if f.pairByThread() {
		p = f.ThreadValue(m, false)
		f.p.forgetPair = func() { f.Store(p.Reg, 0, ir.I(0), 8) }
	} else {
		key := f.pairKey()
		p = f.MapOp(irbuild.Map{Index: m}, ir.OpMapLookup, ir.R(key))
		f.p.forgetPair = func() { f.MapOp(irbuild.Map{Index: m}, ir.OpMapDelete, ir.R(key)) }
	}
	goOnIf(p)
	f.p.pair, f.p.start = p.Reg, f.Load(p.Reg, 0, 8, false)
	if f.pairByThread() {
		goOnIf(f.p.start)
	}
}

// pairReturn takes what the entry kept.
func (f calls) pairReturn() {
	at := int32(8)
	for _, name := range f.u.EntryArgs {
		for range wordsOf(entryType(f.u, name)) {
			f.p.pairArgs[name] = append(f.p.pairArgs[name], f.Load(f.p.pair, at, 8, false).Reg)
			at += 8
		}
	}
	if f.u.Took {
		f.p.took = f.Op(ir.OpSub, f.probed.nsecs(), f.p.start).Reg
	}
	f.p.forgetPair()
}
