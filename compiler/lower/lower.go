// Package lower turns a checked program into IR, maps and messages.
//
// Expressions are compiled towards where their value is needed: a string that
// is printed is read straight into the ring buffer's record, a key straight
// into the key's buffer. What is memory and what is a register is decided by
// the type (types.Type.IsScalar).
//
// It must not import the runtime, and asks the kernel's facts of target.Target.
package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/schema"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// Program is one program before instruction selection.
type Program struct {
	Object *object.Program // without Insns
	IR     *ir.Program
}

// Result is a lowered script: an object whose programs have no instructions
// yet, and the IR of each, in the same order. Scratch and LargeScratch
// are the indices of the maps that the emitter may use for what does not fit the
// stack.
type Result struct {
	Object       *object.Object
	Programs     []*Program
	Scratch      int
	LargeScratch int
}

// lowerer holds what all programs of a script share.
type lowerer struct {
	info  *check.Info
	t     target.Target
	diags *diag.List
	obj   *object.Object
	progs []*Program

	maps     map[*check.Map]int
	uses     analysis.MapUses
	totals   map[*check.Map]int // see drain.go
	drained  map[string]bool    // maps that some clause empties and shows at once
	origins  *analysis.Origins
	schema   *schema.Finder
	pairs    map[*check.Unit]int
	probeIDs map[string]int
	// syscallUnits is how many units are on system calls.
	syscallUnits int
	noLayout     bool // unknownLayout has complained
	aliased      bool // some pointer of the script's may be to what it writes
	// inlined has the clauses that are put into others, by their index in
	// Object.Clauses.
	inlined map[*ast.Clause]int
	live    *analysis.Live
	// readPlaces has the indexes in Object.Reads.
	readPlaces map[readPlace]int
	// ringOnce are the bytes of one message of each kind, ringLongest those of the
	// longest, and ringMuch tells that messages may come faster than by the clock.
	ringOnce, ringLongest int
	ringMuch              bool
}

// Lower compiles every unit of a checked program.
func Lower(info *check.Info, prog *ast.Program, set *source.Set, diags *diag.List) *Result {
	l := &lowerer{
		info: info, t: info.Opts.Target, diags: diags,
		maps: map[*check.Map]int{}, totals: map[*check.Map]int{}, pairs: map[*check.Unit]int{}, probeIDs: map[string]int{},
		inlined: map[*ast.Clause]int{}, readPlaces: map[readPlace]int{},
	}
	l.obj = &object.Object{Config: info.Config, Sources: set, Stacks: map[object.StackKey]int{}, ProbeNames: []string{""}}
	for _, name := range info.Opts.ProbeNames[min(1, len(info.Opts.ProbeNames)):] {
		l.addProbeName(name)
	}
	for _, d := range info.Declared {
		l.obj.Declared = append(l.obj.Declared, object.Declared{Name: d.Probe, Span: d.Span})
	}
	for _, c := range prog.Clauses {
		l.obj.Clauses = append(l.obj.Clauses, c.Span)
	}
	l.obj.Ring = l.addMap(&object.Map{Name: "fst_ring", Kind: object.MapRingBuf})
	l.obj.Loss = l.addMap(&object.Map{Name: "fst_loss", Kind: object.MapArray, KeySize: 4, MaxEntries: 1})
	scratch := l.addMap(&object.Map{Name: "fst_scratch", Kind: object.MapPerCPUArray, KeySize: 4})
	large := l.addMap(&object.Map{Name: "fst_large", Kind: object.MapArray, KeySize: 4, EachCPU: true})
	for _, u := range info.Units {
		if l.syscallsOf(u) != "" {
			l.syscallUnits++
		}
	}
	l.uses, l.live, l.origins = analysis.FindMapUses(info.Units), analysis.FindLive(info.Units), analysis.FindOrigins(info.Units)
	l.findDrained()
	l.schema = schema.Find(info)
	l.aliased = slices.ContainsFunc(info.Units, analysis.TakesOwnAddress)
	for _, m := range info.Maps {
		if !strings.Contains(m.Name, "#") || l.live.ReadsMap(m.Name) {
			l.scriptMap(m)
		}
	}
	for _, u := range info.Units {
		if !l.live.IsIdle(u) {
			l.unit(u)
		}
	}
	l.sizeRing()
	if len(l.obj.Reads) > 0 {
		l.obj.Maps[l.obj.ReadLoss].ValueSize = 8 * len(l.obj.Reads)
	}
	l.obj.Maps[l.obj.Loss].ValueSize = 8 * max(1, len(l.obj.Clauses)) * object.LossKinds
	var names []string
	for _, m := range l.obj.Maps {
		names = append(names, m.Name)
	}
	for _, p := range l.progs {
		p.IR.Maps = names
	}
	return &Result{Object: l.obj, Programs: l.progs, Scratch: scratch, LargeScratch: large}
}

// addMap adds a map of the compiler's own, which has no word for presence.
func (l *lowerer) addMap(m *object.Map) int {
	m.Present = -1
	return l.keepMap(m)
}

func (l *lowerer) keepMap(m *object.Map) int {
	m.ID = len(l.obj.Maps)
	l.obj.Maps = append(l.obj.Maps, m)
	return m.ID
}

// ownMap is a map of the compiler's own of which there is one of a name.
func (l *lowerer) ownMap(m object.Map) int {
	if id := l.mapNamed(m.Name); id >= 0 {
		return id
	}
	return l.addMap(&m)
}

// mapNamed is the index of a map of the compiler's own, -1 if there is none yet.
func (l *lowerer) mapNamed(name string) int {
	return slices.IndexFunc(l.obj.Maps, func(m *object.Map) bool { return m.Name == name })
}

// zeroes returns a map whose value is n zero bytes: the initial value of big
// aggregations.
func (l *lowerer) zeroes(n int) int {
	id := l.ownMap(object.Map{Name: "fst_zero", Kind: object.MapArray, KeySize: 4, MaxEntries: 1})
	m := l.obj.Maps[id]
	m.ValueSize = max(m.ValueSize, (n+7)&^7)
	return id
}

// stacks returns the map for stacks of a kind.
func (l *lowerer) stacks(k object.StackKey) int {
	m, ok := l.obj.Stacks[k]
	if !ok {
		spec := &object.Map{Name: fmt.Sprintf("fst_stack%d", k.Limit), Kind: object.MapStacks, KeySize: 8,
			ValueSize: stackFramesAt + 8*k.Limit, MaxEntries: defaultStackMapSize}
		if k.Tables {
			spec.Name, spec.Kind = fmt.Sprintf("fst_unwound%d", k.Limit), object.MapHash
		}
		m = l.addMap(spec)
		l.obj.Stacks[k] = m
	}
	return m
}

// message adds a message description and returns it.
func (l *lowerer) message(kind object.MessageKind, u *check.Unit, sp source.Span) *object.Message {
	m := &object.Message{ID: len(l.obj.Messages), Kind: kind, Size: object.HeaderSize, Map: -1, Clause: u.Index, Span: sp}
	l.obj.Messages = append(l.obj.Messages, m)
	return m
}

// field appends a value of type t to a message's record.
func field(m *object.Message, t *types.Type) *object.MessageField {
	a := t.Align()
	m.Size = (m.Size + a - 1) &^ (a - 1)
	m.Fields = append(m.Fields, object.MessageField{Type: t, Offset: m.Size})
	m.Size += t.Size
	return &m.Fields[len(m.Fields)-1]
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

// unit compiles one checked clause: one program, or one for each hook where
// they cannot share, or two for a paired probe.
func (l *lowerer) unit(u *check.Unit) {
	together := len(u.Hooks)
	if l.apart(u) {
		together = 1
	}
	for hooks := range slices.Chunk(u.Hooks, together) {
		if isPaired(u) {
			l.pairMap(u)
			entry := entryHooks(hooks)
			l.program(u, hooks, false)
			l.program(u, entry, true)
			continue
		}
		l.program(u, hooks, false)
	}
}

// isPaired reports whether a program at the entry of a call keeps something for that at its return.
func isPaired(u *check.Unit) bool { return u.Took || len(u.EntryArgs) > 0 }

// apart reports whether each of a unit's hooks needs a program of its own.
func (l *lowerer) apart(u *check.Unit) bool {
	switch first := u.Hooks[0]; {
	case first.Kind == object.HookFentry || first.Kind == object.HookFexit:
		return true // a trampoline program belongs to one function
	case l.allSyscalls(u) != "":
		return false
	case u.UsesProbe && !first.Multi, u.UsesFunc && first.Kind == object.HookKretprobe && !l.t.Has(target.GetFuncIP):
		return true
	default:
		return first.Kind == object.HookRawTracepoint && (u.Args != nil || slices.ContainsFunc(u.Hooks, l.byTraceiter))
	}
}

// entryHooks are the hooks of the entry half of a paired probe.
func entryHooks(hooks []object.Hook) []object.Hook {
	entry := make([]object.Hook, len(hooks))
	for i, h := range hooks {
		switch h.Kind {
		case object.HookKretprobe:
			h.Kind = object.HookKprobe
		case object.HookFexit:
			h.Kind = object.HookFentry
		case object.HookUretprobe:
			h.Kind = object.HookUprobe
		case object.HookTracepoint:
			h.Event = strings.Replace(h.Event, "sys_exit_", "sys_enter_", 1)
		}
		entry[i] = h
	}
	return entry
}

// program compiles a unit for some of its hooks; entry is the entry half of a
// paired probe.
func (l *lowerer) program(u *check.Unit, hooks []object.Hook, entry bool) {
	h := hooks[0]
	if u.UsesProbe && h.Multi && len(hooks) > 1 {
		// One program serves many places: each link tells it which.
		for i := range hooks {
			hooks[i].Cookie = uint64(l.probeID(hooks[i].Name))
		}
	}
	op := &object.Program{Name: l.progName(h), Kind: h.Kind.Program(), Hooks: hooks, Clause: u.Index, Entry: entry, Library: u.Clause.For != nil, Span: u.Clause.Span}
	p := &prog{obj: op, kind: op.Kind, hook: h, multi: len(hooks) > 1, entry: entry, pairArgs: map[string][]ir.Reg{}, addressed: analysis.AddressTaken(u)}
	var nrs []int
	place := h // where the program is attached instead
	if dir := l.allSyscalls(u); dir != "" {
		p.allSys = dir
		if entry {
			p.allSys = sysEnter
		}
		nrs = l.syscallNumbers(hooks)
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
	f := l.newFunc(u, p, op.Name)
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
		f.calls.syscallFilter(nrs)
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
	l.obj.Programs = append(l.obj.Programs, op)
	l.progs = append(l.progs, &Program{Object: op, IR: p.ir})
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

func (l *lowerer) newFunc(u *check.Unit, p *prog, name string) *fn {
	f := &fn{lowerer: l, u: u, p: p, vars: map[*check.Var]*place{}, threadValues: map[*check.Map]ir.Reg{}}
	f.access, f.aggregates, f.messages, f.texts, f.conditions, f.numbers = mapAccess{f}, aggregates{f}, messages{f}, texts{f}, conditions{f}, numbers{f}
	f.values, f.probed, f.calls, f.flow, f.frames = values{f}, probed{f}, calls{f}, flow{f}, frames{f}
	f.Func = &ir.Func{Name: name, NumRegs: 1}
	p.ir.Funcs = append(p.ir.Funcs, f.Func)
	f.Cur = f.NewBlock()
	f.first = f.Cur
	f.exit = &ir.Block{}
	return f
}

// fault describes what earlier passes make sure does not happen: the compiler is
// wrong, not the script.
func (f *fn) fault(x ast.Node, what string) string {
	return fmt.Sprintf("lower: %s: %s", f.obj.Sources.Place(x.Pos()), what)
}

// start sets up what every function needs before its first statement.
func (f *fn) start() {
	f.result = f.Func.NewReg()
	// Programs on perf tracepoints return 1: 0 would hide the event from
	// everybody else's perf. The callbacks of loops return 0 to go on.
	ret := int64(0)
	if f.p.kind == object.ProgTracepoint && f.parent == nil {
		ret = 1
	}
	f.Set(f.result, ir.I(ret))
	f.failed = f.Func.NewReg()
	f.Func.Failed, f.Func.Aliased = f.failed, f.aliased
	f.Set(f.failed, ir.I(0))
}

// finish closes the function: the failed reads are counted on the way out.
func (f *fn) finish() {
	f.Jump(f.exit)
	f.exit.ID = len(f.Func.Blocks)
	f.Func.Blocks = append(f.Func.Blocks, f.exit)
	f.SetBlock(f.exit)
	f.countFailedReads()
	f.Cur.Term = ir.Term{Kind: ir.TermReturn, A: ir.R(f.result), Span: f.Span}
}
