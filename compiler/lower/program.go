package lower

import (
	"cmp"
	"strings"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
)

// The two events of all system calls.
const sysEnter, sysExit = "enter", "exit"

// prog is one program being built.
type prog struct {
	obj   *object.Program
	ir    *ir.Program
	kind  object.ProgramKind
	hook  object.Hook
	multi bool
	// allSys is sysEnter or sysExit if the context is that of the event
	// raw_syscalls:sys_enter or sys_exit, or of the raw tracepoint of that name.
	allSys string
	// pair is where what the entry of a call kept is, start the time in it, and
	// forgetPair drops it.
	pair       ir.Reg
	start      ir.Operand
	forgetPair func()
	// pairArgs has the words kept from the entry, once loaded; took is the
	// register of `took`.
	pairArgs map[string][]ir.Reg
	took     ir.Reg
	// nr is the system call's number in allSys programs that have tested it.
	nr ir.Reg
	// entry is true in the entry half of a paired probe.
	entry bool
	loops *analysis.Loops // of the body
	// turns has the variables of the loops round the present place whose values are known.
	turns map[*check.Var]turnRange
	// addressed are the variables whose address the body takes: they live in memory.
	addressed map[*check.Var]bool
	// captured is what loop callbacks share with the body; nil without them.
	captured *captured
	// pending is how many branches of searches the verifier puts off.
	pending int
	// searches are the functions that search texts, by the sizes of both.
	searches map[[2]int]int32
}

// newProgram decides where the program for some hooks of a unit is attached. syscalls are the numbers of
// those that it is for, where it gets the event of all; nil stands for any.
func (l *lowerer) newProgram(u *check.Unit, hooks []object.Hook, entry bool) (p *prog, syscalls []int) {
	h := hooks[0]
	if u.UsesProbe && h.Multi && len(hooks) > 1 {
		// One program serves many places: each link tells it which.
		for i := range hooks {
			hooks[i].Cookie = uint64(l.probeID(hooks[i].Name))
		}
	}
	op := &object.Program{Name: l.progName(h), Kind: h.Kind.Program(), Hooks: hooks, Clause: u.Index, Entry: entry, Library: u.Clause.For != nil, Span: u.Clause.Span}
	p = &prog{obj: op, kind: op.Kind, hook: h, multi: len(hooks) > 1, entry: entry, pairArgs: map[string][]ir.Reg{}, addressed: analysis.AddressTaken(u)}
	place := h // where the program is attached instead
	if dir := l.allSyscalls(u); dir != "" {
		p.allSys = dir
		if entry {
			p.allSys = sysEnter
		}
		syscalls = l.syscallNumbers(hooks)
		place = object.Hook{Kind: object.HookRawTracepoint, Name: h.Name, Event: "sys_" + p.allSys, Span: h.Span, For: h.For}
		if l.rawPreempted() {
			place.Kind, place.Category = object.HookTracepoint, "raw_syscalls"
		}
	} else if l.byTraceiter(h) {
		place.Kind = object.HookTraceiter
	}
	if p.allSys != "" || place.Kind != h.Kind {
		op.Kind, op.Hooks, op.Named = place.Kind.Program(), []object.Hook{place}, hooks
		p.kind = op.Kind
	}
	p.ir = &ir.Program{Name: op.Name}
	return p, syscalls
}

// program compiles a unit for some of its hooks; entry is the entry half of a
// paired probe.
func (l *lowerer) program(u *check.Unit, hooks []object.Hook, entry bool) {
	h := hooks[0]
	p, syscalls := l.newProgram(u, hooks, entry)
	f := l.newFunc(u, p, p.obj.Name)
	f.ctx = f.Func.NewReg()
	f.Func.Params = []ir.Reg{f.ctx}
	f.Span = u.Clause.Span
	f.start()
	returned := !entry && isPaired(u)
	early := returned && f.calls.pairByThread() // it costs less than to read which call it was, and most threads entered none
	if early {
		f.calls.pairFind()
	}
	if p.allSys != "" {
		f.calls.syscallFilter(syscalls)
	}
	if h.Kind == object.HookIter {
		// At the end of a walk the kernel runs the program once more, without an
		// object: the member behind meta is null.
		f.Guard(ir.Ne, f.Load(f.ctx, 8, 8, false), ir.I(0), f.exit)
		f.endWalk()
	}
	if f.filtersPID() {
		f.ofProcess(ir.Eq, l.info.Opts.OnlyPID())
		f.ofProcess(ir.Ne, l.info.Opts.NotPID)
	}
	switch {
	case entry:
		f.calls.pairEntry(hooks)
	case returned:
		if !early {
			f.calls.pairFind()
		}
		f.calls.pairReturn()
	case u.Provider == "syscall":
		f.calls.dropChildren(hooks)
	}
	if !entry {
		f.flow.body()
	}
	f.finish()
	l.obj.Programs = append(l.obj.Programs, p.obj)
	l.progs = append(l.progs, &Program{Object: p.obj, IR: p.ir})
}

// progName makes a kernel program name of a hook's: what bpftool shows.
func (l *lowerer) progName(h object.Hook) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, cmp.Or(h.Function, h.Event, h.Symbol, h.Name))
	return name[:min(len(name), 15)]
}

// walks reports whether the program is one of an iterator that the runtime walks. A
// pinned one is walked by whoever reads its file, also when the session has ended.
func (f *fn) walks() bool { return f.p.hook.Kind == object.HookIter && !f.messages.isPinned() }

// stops reports whether the program ends before its time if the session does: those that a thread of
// fst runs.
func (f *fn) stops() bool {
	return f.p.hook.Kind.Once() || f.walks()
}

// isStopped is not 0 if the session ends.
func (f *fn) isStopped() ir.Operand { return f.Load(f.MapValue(f.stopMap(), 0), 0, 8, false) }

// endWalk ends the walk of an iterator if the session ends: a read of the kernel's file
// goes through up to a million objects, and no signal ends it. A program that asks for
// the same object again does.
func (f *fn) endWalk() {
	if !f.walks() {
		return
	}
	f.If(ir.Ne, f.isStopped(), ir.I(0), func() {
		f.Set(f.result, ir.I(1))
		f.Jump(f.exit)
	})
}

// ofProcess ends the program if the current process is not a process, or, with
// Ne, if it is. 0 is none.
func (f *fn) ofProcess(cond ir.Cond, pid int) {
	if pid == 0 {
		return
	}
	f.Guard(cond, f.Op(ir.OpRsh, f.Fact(ir.FactOwnIDs), ir.I(32)), ir.I(int64(pid)), f.exit)
}

// gate leads to out unless the script's clauses act on this CPU. It comes behind the keeping of accounts about
// calls and what stable probes follow, so that these are complete when the clauses begin to act.
func (f *fn) gate(out *ir.Block) {
	generation := f.info.Opts.Generation
	if generation == 0 || f.stops() || f.p.hook.Kind == object.HookIter {
		return
	}
	bytes := f.MapValue(f.sessionMap(object.GateMapName, object.MapShared, object.GateSize), 0)
	cpu := f.Op(ir.OpAnd, f.Fact(ir.FactCPU), ir.I(object.GateSize-1))
	f.Guard(ir.Eq, f.Load(f.Reg(f.Op(ir.OpAdd, ir.R(bytes), cpu)), 0, 1, false), ir.I(int64(generation)), out)
}

// filtersPID tells whether -p is tested in the program (other kinds attach to
// the process, and timers are not the process' own).
func (f *fn) filtersPID() bool {
	if f.u.Clause.For != nil {
		return false // the clauses that are put into it are filtered
	}
	switch f.p.hook.Kind {
	case object.HookKprobe, object.HookKretprobe, object.HookFentry, object.HookFexit, object.HookTracepoint, object.HookRawTracepoint:
		return true
	}
	return false
}
