package lower

import (
	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// forMap runs a loop's body for every entry of a map.
func (f mapAccess) forMap(s *ast.ForMap) {
	m := f.info.ByName[s.Map.Name]
	if !f.t.Has(target.ForEachMapElem) {
		f.diags.Errorf(s.Span, "for over a map needs Linux 5.13 (bpf_for_each_map_elem); this is %s", f.t.Release()).
			Hintf("print(%s) shows the whole map on every kernel", "@"+m.Name)
		return
	}
	cb := f.flow.callback("each", 4, 3, func(cb *fn, args []ir.Reg) {
		cb.flow.endLoop(s)
		kv := &kvRef{m: m, mapReg: args[0], key: args[1], value: args[2]}
		if v := cb.u.Vars[s.Var]; v != nil {
			pair := value{t: v.Type, isMem: true, kv: kv}
			if p := cb.vars[v]; p != nil {
				// A loop within this one uses it: it gets a copy.
				base, off := cb.values.placeMem(p)
				cb.values.storeValue(pair, v.Type, base, off)
			} else {
				cb.access.keepPair(kv, v, s.Body)
				cb.vars[v] = &place{t: v.Type, cap: -1, kv: kv}
			}
		}
		cb.flow.stmtBlock(s.Body)
	})
	f.flow.blur(s.Body)
	f.MapOp(f.ref(m), ir.OpMapEach, f.flow.funcAddr(cb), ir.R(f.flow.captureBase()))
	f.flow.blur(s.Body)
	f.flow.afterCallback()
}

// keepPair copies what a loop's body uses of the pair where the body names the map,
// too: it may store into the element, or free it for another one.
func (f mapAccess) keepPair(kv *kvRef, pair *check.Var, body *ast.Block) {
	named := false
	var used [2]bool
	ast.Walk(body, func(n ast.Node) bool {
		x, at := n, int64(-1)
		switch n := n.(type) {
		case *ast.Map:
			named = named || f.info.ByName[n.Name] == kv.m
		case *ast.TupleIndex:
			x, at = n.X, int64(n.N)
		case *ast.Index:
			if c, ok := analysis.Constant(f.u, n.I); ok {
				x, at = n.X, c
			}
		}
		if v, ok := x.(*ast.Var); !ok || f.u.Vars[v] != pair {
			return true
		}
		for i := range used {
			used[i] = used[i] || at < 0 || at == int64(i)
		}
		return false
	})
	if !named {
		return
	}
	for i, read := range []func(*kvRef) value{f.kvKey, f.kvValue} {
		if !used[i] {
			continue
		}
		v := read(kv)
		if v.t.IsScalar() {
			v = scalar(v.t, ir.R(f.NewVar(f.values.operand(v))))
		} else {
			v = f.values.copied("kept", v, v.t)
		}
		kv.kept[i] = &v
	}
}

// kvKey and kvValue are $kv.0 and $kv.1.
func (f mapAccess) kvKey(kv *kvRef) value {
	if kept := kv.kept[0]; kept != nil {
		return *kept
	}
	return f.values.read(memory(kv.m.Key, kv.key, 0))
}

func (f mapAccess) kvValue(kv *kvRef) value {
	if kept := kv.kept[1]; kept != nil {
		return *kept
	}
	t := kv.m.Value
	if t.Kind.IsAggregation() {
		om := f.obj.Maps[f.maps[kv.m]]
		if om.Kind == object.MapPerCPUHash || om.Kind == object.MapPerCPULRUHash {
			// The key must be in memory of our own: the helper wants to be
			// able to read it as a key.
			k := f.values.copied("key", memory(kv.m.Key, kv.key, 0), kv.m.Key)
			return scalar(types.I64, f.aggregates.aggRead(irbuild.Map{Index: f.maps[kv.m], In: ir.R(kv.mapReg)}, kv.m, k.base.Reg))
		}
		total, n := f.Load(kv.value, 0, 8, false), ir.I(1)
		if t.Size > 8 {
			n = f.Load(kv.value, 8, 8, false)
		}
		return scalar(types.I64, f.aggregates.aggNumber(t, total, n))
	}
	return f.values.read(memory(t, kv.value, 0))
}
