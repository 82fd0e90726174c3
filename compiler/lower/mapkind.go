package lower

import (
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// scriptMap chooses the kernel's map for a map of the script, by its use:
//
//   - aggregations without keys: one slot of a per-CPU array (the lookup is
//     inlined by the verifier);
//   - keyed aggregations: a per-CPU hash;
//   - a plain value without keys: an array of one, reached by its address,
//     with a word that says whether it has a value;
//   - a plain number for each thread (@start[tid]): task storage, which costs
//     half of a hash's insert and delete, and ends with its thread;
//   - everything else: a hash.
//
// Those that are emptied and shown at once are there twice (drain.go), so that
// task storage is none of them.
//
// An aggregation that the script also reads in the kernel needs to see every
// CPU: where there is no bpf_map_lookup_percpu_elem (before 5.19), it is kept
// in a shared map with atomic additions instead.
//
// The maps of libraries, whose names have a '#', are not the script's: nobody
// sees them.
func (l *lowerer) scriptMap(m *check.Map) {
	om := &object.Map{Name: "@" + m.Name, Script: !strings.Contains(m.Name, "#"), Key: m.Key, Value: m.Value, Present: -1, KeySize: 4, MaxEntries: 1}
	if m.First != nil {
		om.Span = m.First.Pos()
	}
	if m.Decl != nil {
		om.Span = m.Decl.Span
	}
	agg := m.Value.Kind.IsAggregation()
	om.ValueSize = (valueSize(m.Value) + 7) &^ 7
	shared := agg && (!l.t.Has(target.LookupPercpuElem) && l.readsMap(m.Name) || valueSize(m.Value) > maxPerCPU)
	if l.perThread(m) {
		om.Kind, om.KeySize, om.ValueSize, om.Present, om.MaxEntries = object.MapTaskStorage, 4, 16, 8, 0
		l.maps[m] = l.keepMap(om)
		return
	}
	if m.Key != nil {
		om.KeySize = m.Key.Size
		om.MaxEntries = l.info.Config.MaxMapKeys
		om.Kind = object.MapHash
		if agg && !shared {
			om.Kind = object.MapPerCPUHash
		}
		if m.Decl != nil {
			if n, ok := constInt(m.Decl.Max); ok {
				om.MaxEntries = int(n)
			}
			switch m.Decl.Kind {
			case "lruhash", "percpulruhash":
				om.Kind = object.MapLRUHash
				if agg && !shared {
					om.Kind = object.MapPerCPULRUHash
				}
			}
		}
		lru := om.Kind == object.MapLRUHash || om.Kind == object.MapPerCPULRUHash
		om.NoPrealloc = !lru && om.ValueSize > 256 && l.t.Version() >= 6<<16|1<<8
	} else {
		switch {
		case agg && !shared:
			om.Kind = object.MapPerCPUArray
		case agg:
			om.Kind = object.MapArray
		default:
			om.Kind = object.MapArray
			om.Present = om.ValueSize
			om.ValueSize += 8
		}
	}
	om.Turns = l.turns(m)
	l.maps[m] = l.keepMap(om)
}

// perThread tells whether a map can be task storage: its only key is `tid`, its
// values are numbers, and nothing walks it in the kernel.
func (l *lowerer) perThread(m *check.Map) bool {
	if !m.KeyByTID || m.Decl != nil || l.drained[m.Name] || !m.Value.IsScalar() || !l.t.Has(target.ThreadMaps) {
		return false
	}
	walked := l.isCalled(m.Name, "len")
	l.walk(func(n ast.Node) bool {
		if loop, ok := n.(*ast.ForMap); ok {
			walked = walked || loop.Map.Name == m.Name
		}
		return !walked
	})
	return !walked
}

func constInt(x ast.Expr) (uint64, bool) {
	if lit, ok := x.(*ast.IntLit); ok {
		return lit.Value, true
	}
	return 0, false
}

// valueSize is the memory of a map's value; types.Agg gives the layouts.
func valueSize(t *types.Type) int {
	switch t.Kind {
	case types.Count:
		return 8
	case types.Sum, types.Avg, types.Stats, types.Min, types.Max:
		return 16
	case types.Hist:
		return 8 * types.HistBuckets(t.Agg.K)
	case types.Quantile:
		return types.QuantileMax + 8
	case types.LHist:
		return 8 * lhistBuckets(t.Agg)
	case types.TSeries:
		return 24 * t.Agg.Slots
	}
	return t.Size
}

func lhistBuckets(a types.Agg) int { return int((a.Max-a.Min)/max(a.Step, 1)) + 2 }

// walk visits the whole script.
func (l *lowerer) walk(visit func(ast.Node) bool) {
	for _, u := range l.info.Units {
		if u.Filter != nil {
			ast.Walk(u.Filter, visit)
		}
		if u.Body != nil {
			ast.Walk(u.Body, visit)
		}
	}
}

// isCalled reports whether the script calls one of some functions with a map or an
// element of it.
func (l *lowerer) isCalled(name string, functions ...string) bool {
	found := false
	l.walk(func(n ast.Node) bool {
		if c, ok := n.(*ast.Call); ok && slices.Contains(functions, c.Name) {
			for _, a := range c.Args {
				m, ok := a.(*ast.Map)
				found = found || ok && m.Name == name
			}
		}
		return !found
	})
	return found
}

// readsMap reports whether some expression reads a map's value in the kernel.
func (l *lowerer) readsMap(name string) bool {
	found := false
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			m, ok := n.Target.(*ast.Map)
			if !ok || n.Op != "=" || !isAggCall(n.Value) {
				break
			}
			for _, k := range m.Keys {
				ast.Walk(k, visit)
			}
			ast.Walk(n.Value, visit)
			return false
		case *ast.Call:
			switch n.Name {
			case "table":
				return false // of whole maps, which are read in user space
			case "print", "heat", "clear", "zero", "delete", "has_key", "len":
				if m, ok := n.Args[0].(*ast.Map); ok && m.Keys == nil {
					for _, a := range n.Args[1:] {
						ast.Walk(a, visit)
					}
					return false
				}
			}
		case *ast.ForMap:
			found = found || n.Map.Name == name
		case *ast.Map:
			found = found || n.Name == name
		}
		return !found
	}
	l.walk(visit)
	return found
}

func isAggCall(x ast.Expr) bool {
	c, ok := x.(*ast.Call)
	if !ok {
		return false
	}
	fn, ok := builtin.FuncByName(c.Name)
	return ok && fn.Aggregation != types.Invalid
}
