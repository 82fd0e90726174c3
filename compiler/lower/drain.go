package lower

import (
	"slices"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// A report shows what its maps counted since the last one, and so does
// `print(@m); clear(@m)` at intervals. No event is to be lost between the reading
// and the beginning anew: what user space shows it takes out of the map at once
// (object.MsgDrain). A number that the report reads
// in the kernel is never set back: each report keeps the total that it found,
// and the number is the difference of two totals. The totals of a map lie in
// one of the compiler's own:
//
//	u64 total, u64 n    as the last report found them
//	u64 total, u64 n    as the one before found them
const (
	lastTotal   = 0
	beforeTotal = 16
	totalsSize  = 32
)

// clearedBehind finds the map that statement i prints and a later one of the
// list clears, if nothing between them has to do with it, and the later one's
// index.
func (f *fn) clearedBehind(list []ast.Stmt, i int) (*check.Map, int) {
	name := wholeMap(list[i], "print")
	m := f.info.ByName[name]
	if name == "" || m == nil || m.Value == nil || f.drainsClause(name) {
		return nil, 0
	}
	if m.Key == nil && (!m.Value.Kind.IsAggregation() || f.readsMap(name)) {
		return nil, 0 // its value in the kernel would stay
	}
	for j := i + 1; j < len(list); j++ {
		if wholeMap(list[j], "clear") == name {
			return m, j
		}
		names := false
		ast.Walk(list[j], func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Map:
				names = names || n.Name == name
			case *ast.Return, *ast.Break, *ast.Continue:
				names = true // perhaps it is not cleared at all
			case *ast.Call:
				names = names || n.Name == "exit"
			}
			return !names
		})
		if names {
			break
		}
	}
	return nil, 0
}

// wholeMap is the name of the map if a statement is a call of a function with a
// whole map, else "".
func wholeMap(s ast.Stmt, function string) string {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	call, ok := x.X.(*ast.Call)
	if !ok || call.Name != function || len(call.Args) == 0 {
		return ""
	}
	if m, ok := call.Args[0].(*ast.Map); ok && m.Keys == nil {
		return m.Name
	}
	return ""
}

// isDrained reports whether the present statement shows a map as it was when it
// was emptied.
func (f *fn) isDrained(name string) bool { return f.drained == name || f.drainsClause(name) }

// drainsClause reports whether the clause begins a map anew.
func (f *fn) drainsClause(name string) bool {
	return f.u.Clause != nil && slices.Contains(f.u.Clause.Drains, name)
}

// totalsOf returns the map with the totals of a map that reports begin anew, -1
// if it has none: maps with keys, the least and the largest, and what the
// script empties itself are emptied by user space.
func (l *lowerer) totalsOf(m *check.Map) int {
	if id, ok := l.totals[m]; ok {
		return id
	}
	id := -1
	drained := slices.ContainsFunc(l.info.Units, func(u *check.Unit) bool {
		return u.Clause != nil && slices.Contains(u.Clause.Drains, m.Name)
	})
	switch m.Value.Kind {
	case types.Count, types.Sum, types.Avg, types.Stats:
		if drained && m.Key == nil && l.readsMap(m.Name) && !l.empties(m.Name) {
			id = l.addMap(&object.Map{Name: "@" + m.Name + "#total", Kind: object.MapArray, KeySize: 4, ValueSize: totalsSize, MaxEntries: 1})
		}
	}
	l.totals[m] = id
	return id
}

// empties reports whether the script sets a map back itself.
func (l *lowerer) empties(name string) bool {
	found := false
	for _, u := range l.info.Units {
		if u.Body == nil {
			continue
		}
		ast.Walk(u.Body, func(n ast.Node) bool {
			if c, ok := n.(*ast.Call); ok && len(c.Args) > 0 {
				m, ok := c.Args[0].(*ast.Map)
				switch c.Name {
				case "clear", "zero", "delete":
					found = found || ok && m.Name == name
				}
			}
			return !found
		})
	}
	return found
}

// drains begins the clause's maps anew.
func (f *fn) drains() {
	if f.u.Clause == nil {
		return
	}
	for _, name := range f.u.Clause.Drains {
		m := f.info.ByName[name]
		if m == nil || m.Value == nil {
			continue // a compile-time question has ruled out all that gives it values
		}
		if id := f.totalsOf(m); id >= 0 {
			total, n := f.aggTotal(m, f.key(m, nil))
			p := f.mapValue(id, 0)
			for i, now := range []ir.Reg{total, n} {
				off := int32(8 * i)
				f.store(p, beforeTotal+off, f.load(p, lastTotal+off, 8, false), 8)
				f.store(p, lastTotal+off, ir.R(now), 8)
			}
		}
		f.drain(m, f.u.Clause.Span)
	}
}

// drain has user space take all that a map holds.
func (f *fn) drain(m *check.Map, at source.Span) {
	msg := f.message(object.MsgDrain, f.u, at)
	msg.Map = f.maps[m]
	f.send(msg, true, nil)
}

// sinceDrained is aggTotal since a report began the map anew. The report itself
// sees what there was between the two last times.
func (f *fn) sinceDrained(m *check.Map, key ir.Reg) (total, n ir.Reg) {
	id := f.totalsOf(m)
	if id < 0 {
		return f.aggTotal(m, key)
	}
	before := int32(lastTotal)
	if f.drainsClause(m.Name) {
		before = beforeTotal
		p := f.mapValue(id, 0)
		total, n = f.fresh(f.load(p, lastTotal, 8, false)), f.fresh(f.load(p, lastTotal+8, 8, false))
	} else {
		total, n = f.aggTotal(m, key)
	}
	p := f.mapValue(id, 0)
	total = f.op(ir.OpSub, ir.R(total), f.load(p, before, 8, false)).Reg
	n = f.op(ir.OpSub, ir.R(n), f.load(p, before+8, 8, false)).Reg
	return total, n
}
