package lower

import (
	"slices"
	"strings"

	"fst/compiler/analysis"
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
//   - a number for each thread that the script deletes again (@start[tid]):
//     task storage, which costs half of a hash's insert and delete, and ends
//     with its thread;
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
	om := &object.Map{Name: "@" + m.Name, Script: !strings.Contains(m.Name, "#"), Key: m.Key, Value: m.Value, Schema: l.schema.Map(m), Present: -1, KeySize: 4, MaxEntries: 1}
	if m.First != nil {
		om.Span = m.First.Pos()
	}
	if m.Decl != nil {
		om.Span = m.Decl.Span
	}
	agg := m.Value.Kind.IsAggregation()
	om.Kept = om.Script && l.isKept(m.Name)
	om.Scratch = !agg && l.isBrief(m.Name)
	om.ValueSize = (m.Value.Size + 7) &^ 7
	readable := agg && aggregations[m.Value.Kind].read != nil
	shared := readable && !l.t.Has(target.LookupPercpuElem) && (om.Kept || l.uses.Of(m.Name).Read) || agg && m.Value.Size > object.MaxPerCPUValue
	if l.perThread(m) {
		om.Kind, om.KeySize, om.ValueSize, om.Present, om.MaxEntries = object.MapTaskStorage, 4, 16, 8, 0
		l.maps[m] = l.keepMap(om)
		return
	}
	perCPU := agg && !shared
	kindOf := func(one, each object.MapKind) object.MapKind {
		if perCPU {
			return each
		}
		return one
	}
	if m.Key != nil {
		om.KeySize = m.Key.Size
		om.MaxEntries = l.info.Config.MaxMapKeys
		om.Kind = kindOf(object.MapHash, object.MapPerCPUHash)
		if m.Decl != nil {
			if n, ok := m.Decl.Max.(*ast.IntLit); ok {
				om.MaxEntries = int(n.Value)
			}
			if strings.HasSuffix(m.Decl.Kind, "lruhash") {
				om.Kind = kindOf(object.MapLRUHash, object.MapPerCPULRUHash)
			}
		}
		if old := l.info.Opts.Stored[om.Name]; old != nil && m.Decl == nil && om.Kept {
			om.Kind, om.MaxEntries = old.Kind, old.MaxEntries
		}
		lru := om.Kind == object.MapLRUHash || om.Kind == object.MapPerCPULRUHash
		om.NoPrealloc = !lru && om.ValueSize > 256 && l.t.Since(6<<16|1<<8)
	} else {
		om.Kind = kindOf(object.MapArray, object.MapPerCPUArray)
		if !agg {
			om.Present = om.ValueSize
			om.ValueSize += 8
		}
	}
	om.Turns = l.turns(m)
	l.maps[m] = l.keepMap(om)
}

// isKept reports whether a map is one of a store, so that it is made as all scripts make it:
// not for what this one does with it. What report clauses empty belongs to the session, and
// so do stacks, which are kept in maps of their own.
func (l *lowerer) isKept(name string) bool {
	m := l.info.ByName[name]
	return l.info.Opts.Stored != nil && m != nil && !strings.Contains(name, "#") && !hasStack(m.Key) && !hasStack(m.Value) &&
		!slices.ContainsFunc(l.info.Units, func(u *check.Unit) bool { return analysis.IsReportOf(u, name) })
}

// hasStack reports whether a value of a type is a stack, or has one in it.
func hasStack(t *types.Type) bool {
	return t != nil && types.Contains(t, func(t *types.Type) bool { return t.IsStack() || hasStack(t.Agg.Elem) })
}

// perThread tells whether a map can be task storage: its only key is `tid`, its
// values are numbers, and nothing walks it in the kernel. Nor may it be missed
// what threads leave that end: the script deletes what it has stored, as between
// the entry and the return of a call, and does not show it. (Nobody sees the
// maps of libraries.)
func (l *lowerer) perThread(m *check.Map) bool {
	if !m.KeyByTID || m.Decl != nil || l.isKept(m.Name) || l.drained[m.Name] || !m.Value.IsScalar() || !l.t.Has(target.ThreadMaps) {
		return false
	}
	u := l.uses.Of(m.Name)
	return !u.Looped && u.Does&builtin.DoesWalk == 0 && (l.isBrief(m.Name) || strings.Contains(m.Name, "#"))
}

// isBrief tells that the script deletes elements of a map, and does not show it.
func (l *lowerer) isBrief(name string) bool {
	u := l.uses.Of(name)
	return u.Does&builtin.DoesDelete != 0 && u.Does&builtin.ShowsMaps == 0
}
