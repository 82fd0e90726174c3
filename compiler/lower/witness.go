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
func (f *fn) probeTitle() string {
	title := f.u.Hooks[0].Name
	if n := len(f.u.Hooks) - 1; n > 0 {
		title += fmt.Sprintf(" (and %d more)", n)
	}
	return title
}

// seen notes, once, that a probe fires which has witnesses: those that the block
// begins with. They count for the whole system, so that probes of one process
// have none.
func (f *fn) seen(b *ast.Block, probe string) {
	if f.info.Opts.PID != 0 && f.filtersPID() || f.p.hook.PID != 0 {
		return
	}
	for _, call := range check.Witnesses(b) {
		count, err := object.ParseCount(f.constString(call.Args[0]))
		if err != nil {
			continue // the checker has said so
		}
		i := slices.IndexFunc(f.obj.Witnesses, func(w object.Witness) bool { return w.Probe == probe && w.Count.Text == count.Text })
		if i < 0 {
			i = len(f.obj.Witnesses)
			f.obj.Witnesses = append(f.obj.Witnesses, object.Witness{Probe: probe, Count: count, Advice: f.constString(call.Args[1]), Span: call.Span})
		}
		if f.obj.Seen == 0 {
			f.obj.Seen = f.addMap(&object.Map{Name: "fst_seen", Kind: object.MapArray, KeySize: 4, MaxEntries: 1})
		}
		f.obj.Maps[f.obj.Seen].ValueSize = 8 * len(f.obj.Witnesses)
		p := f.mapValue(f.obj.Seen, int32(8*i))
		first, done := f.block(), f.block()
		// Only the first time: a line that all CPUs write would cost them all.
		f.branch(ir.Eq, f.load(p, 0, 8, false), ir.I(0), first, done)
		f.use(first)
		f.store(p, 0, ir.I(1), 8)
		f.jump(done)
		f.use(done)
	}
}
