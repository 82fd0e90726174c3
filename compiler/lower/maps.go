package lower

import (
	"fst/compiler/analysis"
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// mapAccess reads and changes the maps of the script, and walks them.
type mapAccess struct{ *fn }

// key builds a map's key and returns its address.
func (f mapAccess) key(m *check.Map, keys []ast.Expr) ir.Reg {
	if f.taskStorage(m) {
		return 0 // the thread is the key
	}
	if m.Key == nil {
		k := f.Slot("index", 8)
		f.Store(k, 0, ir.I(0), 4)
		return k
	}
	k := f.Slot("key", m.Key.Size)
	if len(keys) == 1 {
		f.exprTo(keys[0], m.Key, k, 0)
		return k
	}
	f.values.storeTuple(keys, m.Key, k, 0)
	return k
}

// lookup returns a pointer to the value, 0 if there is none. Arrays always
// have one.
func (f mapAccess) lookup(m *check.Map, key ir.Reg) ir.Operand {
	if f.taskStorage(m) {
		return f.taskValue(m, false)
	}
	return f.MapOp(f.ref(m), ir.OpMapLookup, ir.R(key))
}

// taskStorage tells whether a map is kept with the threads.
func (f mapAccess) taskStorage(m *check.Map) bool {
	return f.obj.Maps[f.maps[m]].Kind == object.MapTaskStorage
}

// taskValue is the current thread's value, made if it is to be created.
func (f mapAccess) taskValue(m *check.Map, create bool) ir.Operand {
	if !create {
		if p, ok := f.threadValues[m]; ok {
			return ir.R(p)
		}
	} else {
		delete(f.threadValues, m)
	}
	p := f.ThreadValue(f.maps[m], create)
	if f.inFilter {
		f.threadValues[m] = p.Reg
	}
	return p
}

// withTaskValue runs do on the current thread's value, counting it as a full
// map if there is no room for one.
func (f mapAccess) withTaskValue(m *check.Map, do func(p ir.Reg)) {
	p := f.taskValue(m, true)
	f.IfElse(ir.Ne, p, ir.I(0), func() {
		do(p.Reg)
		f.Store(p.Reg, int32(f.obj.Maps[f.maps[m]].Present), ir.I(1), 8)
	}, func() { f.loss(object.LossMapFull) })
}

// plainScalar tells whether m is a plain value without keys.
func (f mapAccess) plainScalar(m *check.Map) bool {
	return m.Key == nil && !m.Value.Kind.IsAggregation()
}

// mapRead is @m or @m[k] as a value: zero if the key is missing.
func (f mapAccess) mapRead(x *ast.Map, t *types.Type) value {
	m := f.info.ByName[x.Name]
	if f.plainScalar(m) {
		return f.elementRead(m, 0, t)
	}
	return f.elementRead(m, f.key(m, x.Keys), t)
}

// elementRead is the value of a key, which a plain value without keys has not.
func (f mapAccess) elementRead(m *check.Map, key ir.Reg, t *types.Type) value {
	if m.Value.Kind.IsAggregation() {
		return scalar(t, f.aggregates.aggRead(f.ref(m), m, key))
	}
	if f.plainScalar(m) {
		return f.values.read(memory(m.Value, f.MapValue(f.maps[m], 0), 0))
	}
	p := f.lookup(m, key)
	if m.Value.IsScalar() {
		return scalar(m.Value, f.SelectIf(ir.Ne, p, ir.I(0), ir.I(0), func() ir.Operand { return f.Load(p.Reg, 0, m.Value.Size, m.Value.Signed) }))
	}
	return memory(m.Value, f.orZero(p, m.Value.Size), 0)
}

// orZero is p, or the address of zeroes if p is 0.
func (f mapAccess) orZero(p ir.Operand, size int) ir.Reg {
	out := f.Func.NewReg()
	f.IfElse(ir.Ne, p, ir.I(0), func() { f.Set(out, p) }, func() {
		z := f.Slot("none", size)
		f.Zero(z, 0, (size+7)&^7)
		f.Set(out, ir.R(z))
	})
	return out
}

// lookupOrZero is the address of a map's value for &@m[k].
func (f mapAccess) lookupOrZero(m *check.Map, x *ast.Map) ir.Operand {
	if f.plainScalar(m) {
		return ir.R(f.MapValue(f.maps[m], 0))
	}
	return ir.R(f.orZero(f.lookup(m, f.key(m, x.Keys)), m.Value.Size))
}

// elementWrite stores what put writes into the value's memory, and then asks for
// the key.
func (f mapAccess) elementWrite(m *check.Map, key func() ir.Reg, put func(base ir.Reg, off int32)) {
	if f.plainScalar(m) {
		base := f.MapValue(f.maps[m], 0)
		put(base, 0)
		f.Store(base, int32(f.obj.Maps[f.maps[m]].Present), ir.I(1), 8)
		return
	}
	if f.taskStorage(m) {
		val := f.Slot("value", 8)
		put(val, 0)
		f.withTaskValue(m, func(p ir.Reg) { f.Store(p, 0, f.Load(val, 0, m.Value.Size, false), m.Value.Size) })
		return
	}
	val := f.Slot("value", m.Value.Size)
	put(val, 0)
	k := key()
	if m.Value.IsScalar() && f.uses.Of(m.Name).Does&builtin.DoesDelete == 0 {
		// In place if the key is there: a sixth of the cost of an update. Where keys
		// are deleted, storing mostly makes new ones, and looking would be in vain.
		r := f.ref(m)
		p := f.MapOp(r, ir.OpMapLookup, ir.R(k))
		f.IfElse(ir.Ne, p, ir.I(0), func() { f.Store(p.Reg, 0, f.Load(val, 0, m.Value.Size, false), m.Value.Size) }, func() { f.update(r, k, val) })
		return
	}
	f.update(f.ref(m), k, val)
}

// update stores a value, counting a full map.
func (f mapAccess) update(r irbuild.Map, key, val ir.Reg) {
	ret := f.MapOp(r, ir.OpMapUpdate, ir.R(key), ir.R(val))
	f.If(ir.Ne, ret, ir.I(0), func() { f.messages.lossAt(object.LossMapFull, ret) })
}

// insert makes the value of a key that was not there, counting a full map. add
// changes it if the key is there by now: another CPU, or what interrupted this
// one, may have made it since. If val is not yet the value that is wanted
// (unfilled), add is called in any case.
func (f mapAccess) insert(r irbuild.Map, key, val ir.Reg, unfilled bool, add func(p ir.Reg)) {
	ret := f.MapOp(r, ir.OpMapInsert, ir.R(key), ir.R(val))
	again, full, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	if unfilled {
		f.Jump(again)
	} else {
		f.Branch(ir.Ne, ret, ir.I(0), again, done)
	}
	f.SetBlock(again)
	p := f.MapOp(r, ir.OpMapLookup, ir.R(key))
	f.Guard(ir.Ne, p, ir.I(0), full)
	add(p.Reg)
	f.Jump(done)
	f.SetBlock(full)
	f.messages.lossAt(object.LossMapFull, ret)
	f.Label(done)
}

// assignMap is @m[k] = value, or @m[k] op= value.
func (f mapAccess) assignMap(s *ast.Assign, x *ast.Map) {
	m := f.info.ByName[x.Name]
	if s.Op == "=" && analysis.IsAggregation(s.Value) {
		f.aggregates.aggregate(m, x, s.Value.(*ast.Call))
		return
	}
	if s.Op != "=" {
		op := s.Op[:len(s.Op)-1]
		if op == "+" || op == "-" {
			n := f.scalarOf(s.Value)
			if m.Value.Kind == types.Pointer {
				n = f.numbers.scale(n, m.Value)
			}
			if op == "-" {
				n = f.Op(ir.OpSub, ir.I(0), n)
			}
			f.mapAdd(m, x, n)
			return
		}
		var key ir.Reg
		if !f.plainScalar(m) {
			key = f.key(m, x.Keys)
		}
		old := f.values.operand(f.elementRead(m, key, m.Value))
		signed := m.Value.Signed || f.typeOf(s.Value).Signed
		n := f.numbers.arith(op, old, f.scalarOf(s.Value), signed, m.Value.Signed)
		f.elementWrite(m, func() ir.Reg { return key }, func(base ir.Reg, off int32) { f.Store(base, off, n, m.Value.Size) })
		return
	}
	apart := f.plainScalar(m) && !m.Value.IsScalar() && f.mayRead(s.Value, m)
	f.elementWrite(m, func() ir.Reg { return f.key(m, x.Keys) }, func(base ir.Reg, off int32) {
		if !apart {
			f.exprTo(s.Value, m.Value, base, off)
			return
		}
		val := f.Slot("value", m.Value.Size)
		f.exprTo(s.Value, m.Value, val, 0)
		f.values.storeValue(memory(m.Value, val, 0), m.Value, base, off)
	})
}

// mayRead reports whether an expression may read the value of a map, by its
// name or through a pointer: a new value made in the place of the old one would
// then be made of itself.
func (f mapAccess) mayRead(x ast.Expr, m *check.Map) bool {
	return ast.Any(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Map:
			return n.Name == m.Name
		case *ast.Unary:
			return n.Op == "*"
		case *ast.Field:
			return f.typeOf(n.X).Kind == types.Pointer
		case *ast.Index:
			return f.typeOf(n.X).Kind == types.Pointer
		}
		return false
	})
}

// mapAdd adds to an integer value, atomically; a missing key counts as 0. It
// returns the value before.
func (f mapAccess) mapAdd(m *check.Map, x *ast.Map, n ir.Operand) ir.Operand {
	size := m.Value.Size
	old := f.NewVar(ir.I(0))
	addAt := func(p ir.Reg) {
		f.Set(old, f.Load(p, 0, size, m.Value.Signed))
		if size < 4 {
			f.Store(p, 0, f.Op(ir.OpAdd, ir.R(old), n), size)
			return
		}
		f.Emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(p), B: ir.R(f.Reg(n)), Size: int8(size)})
	}
	if f.plainScalar(m) {
		base := f.MapValue(f.maps[m], 0)
		addAt(base)
		f.Store(base, int32(f.obj.Maps[f.maps[m]].Present), ir.I(1), 8)
		return ir.R(old)
	}
	if f.taskStorage(m) {
		f.withTaskValue(m, addAt)
		return ir.R(old)
	}
	key := f.key(m, x.Keys)
	r := f.ref(m)
	p := f.MapOp(r, ir.OpMapLookup, ir.R(key))
	f.IfElse(ir.Ne, p, ir.I(0), func() { addAt(p.Reg) }, func() {
		val := f.Slot("value", 8)
		f.Store(val, 0, n, size)
		f.insert(r, key, val, false, addAt)
	})
	return ir.R(old)
}

// incDec is ++ and -- on a variable or a map.
func (f mapAccess) incDec(x *ast.IncDec, t *types.Type) value {
	delta := int64(1)
	if x.Op == "--" {
		delta = -1
	}
	var old ir.Operand
	switch target := x.X.(type) {
	case *ast.Map:
		m := f.info.ByName[target.Name]
		delta *= stepOf(m.Value)
		old = f.mapAdd(m, target, ir.I(delta))
	case *ast.Var:
		delta *= stepOf(f.values.place(target).t)
		old = f.values.operand(f.values.variable(target))
		n := f.AddConst(old, delta)
		f.values.assignVar(target, func(t *types.Type) value { return scalar(t, n) })
		if x.Prefix {
			return f.values.variable(target)
		}
	}
	if x.Prefix {
		return scalar(t, f.AddConst(old, delta))
	}
	return scalar(t, old)
}

// stepOf is by how much the next value of a type is more.
func stepOf(t *types.Type) int64 {
	if t.Kind == types.Pointer && t.Elem != nil {
		return int64(max(t.Elem.Size, 1))
	}
	return 1
}

// deleteKey is delete(@m, k) and its older forms; true if the key was there.
func (f mapAccess) deleteKey(x *ast.Map, keys []ast.Expr) ir.Operand {
	m := f.info.ByName[x.Name]
	om := f.obj.Maps[f.maps[m]]
	// empty clears the value at p, and gives what it had, if that is known.
	empty := func(p ir.Reg) ir.Operand {
		had := ir.I(1)
		if om.Present >= 0 {
			had = f.Load(p, int32(om.Present), 8, false)
		}
		f.Zero(p, 0, om.ValueSize)
		return had
	}
	switch {
	case m.Key == nil && om.Kind == object.MapArray && om.Turns == nil:
		had := empty(f.MapValue(f.maps[m], 0))
		if om.Present < 0 {
			return ir.I(0)
		}
		return had
	case m.Key == nil || f.taskStorage(m):
		p := f.lookup(m, f.key(m, nil))
		return f.SelectIf(ir.Ne, p, ir.I(0), ir.I(0), func() ir.Operand { return empty(p.Reg) })
	}
	out := f.NewVar(ir.I(0))
	ret := f.MapOp(f.ref(m), ir.OpMapDelete, ir.R(f.key(m, keys)))
	f.If(ir.Eq, ret, ir.I(0), func() { f.Set(out, ir.I(1)) })
	return ir.R(out)
}

// hasKey is has_key(@m, k).
func (f mapAccess) hasKey(x *ast.Map, keys []ast.Expr) ir.Operand {
	m := f.info.ByName[x.Name]
	p := f.lookup(m, f.key(m, keys))
	return f.SelectIf(ir.Ne, p, ir.I(0), ir.I(0), func() ir.Operand {
		if present := f.obj.Maps[f.maps[m]].Present; present >= 0 {
			return f.Load(p.Reg, int32(present), 8, false) // the memory is there even without a value
		}
		return ir.I(1)
	})
}
