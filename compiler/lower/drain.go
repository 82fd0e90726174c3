package lower

import (
	"slices"

	"fst/compiler/analysis"
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// A report shows what its maps counted since the last one, and so does
// `print(@m); clear(@m)` at intervals. No event is to be lost between the reading
// and the beginning anew.
//
// Most maps are there twice for it, and take turns (object.Turns): the clause
// that empties the map makes the other one the one in use, and asks user space
// (object.MsgDrain) to take what is in the first when no program can be at it any
// more. The clause of a report goes on reading the first. If user space has not
// yet taken what the last turn left, the program makes no turn: user space does
// when it comes to the message, and has answered by that all others that were sent
// before.
//
// An aggregation without keys that adds up is there once and never set back: what
// user space shows is the difference to what it has shown before. A number that
// the report reads in the kernel is such a difference, too: each report keeps the
// total that it found. The totals of a map lie in one of the compiler's own:
//
//	u64 total, u64 n    as the last report found them
//	u64 total, u64 n    as the one before found them
const (
	lastTotal   = 0
	beforeTotal = 16
	totalsSize  = 32
)

// clearedBehind finds the statements of a list that show a map which a later one, behind, clears.
func (l *lowerer) clearedBehind(u *check.Unit, list []ast.Stmt) (behind map[int]int) {
	return analysis.ClearedBehind(u, list, func(name string) bool { return l.canDrain(u, name) })
}

// canDrain reports whether a map of a unit may be emptied and shown at once.
func (l *lowerer) canDrain(u *check.Unit, name string) bool {
	m := l.info.ByName[name]
	return m != nil && m.Value != nil && !analysis.IsReportOf(u, name) && !l.isKept(name) &&
		(m.Key != nil || m.Value.Kind.IsAggregation()) // others are variables
}

// isDrained reports whether the present statement shows a map as it was when it
// was emptied.
func (f mapAccess) isDrained(m *check.Map) bool {
	return f.drainedHere == m || analysis.IsReportOf(f.u, m.Name)
}

// findDrained finds the maps that some clause empties and shows at once.
func (l *lowerer) findDrained() {
	l.drained = map[string]bool{}
	for _, u := range l.info.Units {
		for _, name := range u.Clause.Drains {
			l.drained[name] = true
		}
		u.Walk(func(n ast.Node) bool {
			if b, ok := n.(*ast.Block); ok {
				for i := range l.clearedBehind(u, b.Stmts) {
					name, _ := analysis.WholeMap(b.Stmts[i], builtin.ShowsMaps)
					l.drained[name] = true
				}
			}
			return true
		})
	}
}

// turns returns how a map takes turns, nil if it does not.
func (l *lowerer) turns(m *check.Map) *object.Turns {
	emptied := l.drained[m.Name] || tears(m.Value) && !l.isKept(m.Name) && l.uses.Of(m.Name).Does&(builtin.DoesClear|builtin.DoesZero) != 0
	if !emptied || m.Key == nil && m.Value.Kind.AddsUp() && (!l.uses.Of(m.Name).Read || l.totalsOf(m) >= 0) {
		return nil
	}
	id := l.ownMap(object.Map{Name: "fst_turns", Kind: object.MapShared, KeySize: 4, MaxEntries: 1})
	om := l.obj.Maps[id]
	om.ValueSize += object.TurnsSize
	return &object.Turns{Map: id, Offset: om.ValueSize - object.TurnsSize}
}

// tears reports whether a value must not be emptied while programs change it.
func tears(t *types.Type) bool {
	agg := t.Kind.Aggregation()
	return agg != nil && agg.Mend != nil
}

// totalsOf returns the map with the totals of a map that reports begin anew, -1
// if it has none: maps that take turns.
func (l *lowerer) totalsOf(m *check.Map) int {
	if id, ok := l.totals[m]; ok {
		return id
	}
	id := -1
	drained := slices.ContainsFunc(l.info.Units, func(u *check.Unit) bool { return analysis.IsReportOf(u, m.Name) })
	if u := l.uses.Of(m.Name); drained && m.Key == nil && m.Value.Kind.AddsUp() && u.Read && u.Does&builtin.Empties == 0 {
		id = l.addMap(&object.Map{Name: "@" + m.Name + "#total", Kind: object.MapArray, KeySize: 4, ValueSize: totalsSize, MaxEntries: 1})
	}
	l.totals[m] = id
	return id
}

// drains begins the clause's maps anew: all at once, before user space is told.
func (f mapAccess) drains() {
	var all []*check.Map
	var ends []ir.Operand
	for _, name := range f.u.Clause.Drains {
		m := f.info.ByName[name]
		if m == nil || m.Value == nil {
			continue // a compile-time question has ruled out all that gives it values
		}
		all, ends = append(all, m), append(ends, f.turn(m))
		if id := f.totalsOf(m); id >= 0 {
			total, n := f.aggregates.aggTotal(f.ref(m), m, f.key(m, nil))
			p := f.MapValue(id, 0)
			for i, now := range []ir.Reg{total, n} {
				off := int32(8 * i)
				f.Store(p, beforeTotal+off, f.Load(p, lastTotal+off, 8, false), 8)
				f.Store(p, lastTotal+off, ir.R(now), 8)
			}
		}
	}
	for i, m := range all {
		f.drain(m, ends[i], f.u.Clause.Span)
	}
}

// turn makes the other one of a map that takes turns the one in use, if user
// space has emptied it. It returns the turn that ends what the map had, made or
// still to be made.
func (f mapAccess) turn(m *check.Map) ir.Operand {
	t := f.obj.Maps[f.maps[m]].Turns
	if t == nil {
		return ir.I(0)
	}
	p := f.MapValue(t.Map, int32(t.Offset))
	now := f.Load(p, object.TurnsNow, 8, false)
	if analysis.IsReportOf(f.u, m.Name) {
		f.Store(p, object.TurnsShown, now, 8)
	}
	next := f.AddConst(now, 1)
	f.If(ir.Eq, now, f.Load(p, object.TurnsTaken, 8, false), func() {
		// Two that do so at the same time store the same.
		f.Store(p, object.TurnsNow, next, 8)
	})
	return next
}

// ref finds the map that is in use.
func (f mapAccess) ref(m *check.Map) irbuild.Map {
	id := f.maps[m]
	t := f.obj.Maps[id].Turns
	r := irbuild.Map{Index: id}
	if t == nil {
		return r
	}
	turn := object.TurnsNow
	if analysis.IsReportOf(f.u, m.Name) {
		turn = object.TurnsShown
	}
	r.In = f.Load(f.MapValue(t.Map, int32(t.Offset+turn)), 0, 8, false)
	r.In = f.MapOp(r, ir.OpMapTurn)
	return r
}

// drain has user space take all that a map held before a turn.
func (f mapAccess) drain(m *check.Map, turn ir.Operand, at source.Span) {
	msg := f.message(object.MsgDrain, f.u, at)
	msg.Map = f.maps[m]
	f.messages.sendWords(msg, types.U64, turn)
}

// sinceDrained is aggTotal since a report began the map anew. The report itself
// sees what there was between the two last times.
func (f mapAccess) sinceDrained(r irbuild.Map, m *check.Map, key ir.Reg) (total, n ir.Reg) {
	id := f.totalsOf(m)
	if id < 0 {
		return f.aggregates.aggTotal(r, m, key)
	}
	before := int32(lastTotal)
	if analysis.IsReportOf(f.u, m.Name) {
		before = beforeTotal
		p := f.MapValue(id, 0)
		total, n = f.NewVar(f.Load(p, lastTotal, 8, false)), f.NewVar(f.Load(p, lastTotal+8, 8, false))
	} else {
		total, n = f.aggregates.aggTotal(r, m, key)
	}
	p := f.MapValue(id, 0)
	total = f.Op(ir.OpSub, ir.R(total), f.Load(p, before, 8, false)).Reg
	n = f.Op(ir.OpSub, ir.R(n), f.Load(p, before+8, 8, false)).Reg
	return total, n
}
