package lower

import (
	"fmt"
	"slices"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/lang/ast"
)

// probeTitle names what the clause is on, for messages.
func (f messages) probeTitle() string {
	title := f.u.Hooks[0].Name
	if n := len(f.u.Hooks) - 1; n > 0 {
		title += fmt.Sprintf(" (and %d more)", n)
	}
	return title
}

// noteClause is note for the clause that is compiled, or -1: nobody asks that of what fires in any case.
func (f messages) noteClause() int {
	switch h := f.p.hook; {
	case h.Kind == object.HookBegin, h.Kind == object.HookEnd, h.Kind == object.HookSelf, h.Kind == object.HookAttached, h.Kind == object.HookInterval,
		h.Kind == object.HookIter && h.Pin != "":
		return -1
	}
	return f.note(f.u.Index, f.probeTitle(), f.u.Body, f.u.Clause.For != nil)
}

// note gives the probe of a clause a place where programs note that it has
// fired, and returns its index, or -1: nobody asks that of the clauses of
// libraries, unless they have witnesses. body is the clause's, which the witnesses stand at the beginning of.
func (f messages) note(clause int, probe string, body *ast.Block, library bool) int {
	var witnesses []*ast.Call
	// They count for the whole system, so that probes of one process have none.
	if (f.info.Opts.OnlyPID() == 0 || !f.filtersPID()) && f.p.hook.PID == 0 {
		witnesses = check.Witnesses(body)
	}
	if library && len(witnesses) == 0 {
		return -1
	}
	n := object.Noted{Probe: probe, Clause: clause, Library: library}
	i := slices.Index(f.obj.Noted, n)
	if i < 0 {
		i = len(f.obj.Noted)
		f.obj.Noted = append(f.obj.Noted, n)
		if i == 0 {
			f.obj.Seen = f.addMap(&object.Map{Name: "fst_seen", Kind: object.MapArray, KeySize: 4, MaxEntries: 1})
		}
		f.obj.Maps[f.obj.Seen].ValueSize = 8 * len(f.obj.Noted)
	}
	for _, call := range witnesses {
		count, _ := object.ParseCount(f.u.Strings[call.Args[0]]) // of which the checker has said what is wrong
		at := slices.IndexFunc(f.obj.Witnesses, func(w object.Witness) bool { return w.Probe == probe && w.Count.Text == count.Text })
		if at < 0 {
			at = len(f.obj.Witnesses)
			f.obj.Witnesses = append(f.obj.Witnesses, object.Witness{Probe: probe, Count: count, Advice: f.u.Strings[call.Args[1]], Span: call.Span})
		}
		if w := &f.obj.Witnesses[at]; !slices.Contains(w.Noted, i) {
			w.Noted = append(w.Noted, i)
		}
	}
	return i
}

// reached notes what has become of a probe. It writes the first time only: a line that
// all CPUs write would cost them all.
func (f messages) reached(noted int, state int64) {
	if noted < 0 {
		return
	}
	p := f.MapValue(f.obj.Seen, int32(8*noted))
	f.If(ir.ULt, f.Load(p, 0, 8, false), ir.I(state), func() { f.Store(p, 0, ir.I(state), 8) })
}
