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
	"slices"
	"strings"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/schema"
	"fst/compiler/target"
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
