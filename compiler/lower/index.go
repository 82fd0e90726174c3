package lower

import (
	"math"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// index is x[i].
func (f values) index(x *ast.Index, t *types.Type) value {
	if v, ok := f.probed.syscallElement(x); ok {
		return v
	}
	v := f.conditions.settled(f.expr(x.X), x.I)
	idx := f.operand(f.expr(x.I))
	if v.kv != nil || v.t.Kind == types.Tuple || v.t.Kind == types.Record {
		return f.element(v, int(idx.Imm))
	}
	if v.t.Kind == types.Pointer {
		elem := v.t.Elem
		if elem == nil {
			elem = t
		}
		return value{t: elem, isMem: true, base: f.Op(ir.OpAdd, f.operand(v), f.numbers.scale(idx, v.t)), sp: spaceOf(v.t.User)}
	}
	if v.str != nil {
		base, off := f.inMemory(v)
		v = memory(v.t, base, off)
	}
	elem := v.t.Elem
	if elem == nil {
		elem = types.I8
	}
	if v.sp == user && elem.Kind == types.Pointer {
		elem = types.PointerTo(elem.Elem, true)
	}
	size := max(elem.Size, 1)
	count, bounded := f.elements(v, size)
	if bounded && count.IsImm() {
		first, last := f.limits(x.I)
		if idx.IsImm() {
			first, last = idx.Imm, idx.Imm
		}
		bounded = first < 0 || last >= count.Imm
	}
	if idx.IsImm() && !bounded {
		v.off += idx.Imm * int64(size)
		v.t, v.loc = elem, 0
		return v
	}
	if v.sp != direct {
		at := f.within(idx, count, bounded, func() ir.Operand { return f.Op(ir.OpAdd, f.address(v), f.numbers.scaleBy(idx, size)) })
		return value{t: elem, isMem: true, sp: v.sp, base: at}
	}
	return f.ownElement(v, elem, idx, count, bounded)
}

// ownElement is an element of an array in memory of the program's own, at an index that is not constant.
func (f values) ownElement(v value, elem *types.Type, idx, count ir.Operand, bounded bool) value {
	size, at := max(elem.Size, 1), value{t: elem, isMem: true, sp: computed}
	if elem.IsScalar() {
		return scalar(elem, f.within(idx, count, bounded, func() ir.Operand {
			at.base = f.Op(ir.OpAdd, f.address(v), f.numbers.scaleBy(idx, size))
			return f.operand(at)
		}))
	}
	mem := f.Slot("element", size)
	f.Zero(mem, 0, size)
	f.within(idx, count, bounded, func() ir.Operand {
		at.base = f.Op(ir.OpAdd, f.address(v), f.numbers.scaleBy(idx, size))
		f.copyValue(at, mem, 0, size)
		return ir.I(0)
	})
	return memory(elem, mem, 0)
}

// elements is how many elements of some size an array has, or bytes a text, if that
// is known: C has arrays of unknown length.
func (f values) elements(v value, size int) (ir.Operand, bool) {
	if v.loc != 0 {
		bytes := f.Op(ir.OpRsh, ir.R(v.loc), ir.I(16))
		if size == 1 {
			return bytes, true
		}
		// The record has as much of a last element, as a mask of CPUs, as is used.
		return f.Op(ir.OpDiv, f.AddConst(bytes, int64(size-1)), ir.I(int64(size))), true
	}
	n := v.t.Size / size
	return ir.I(int64(n)), n > 0
}

// within is what get gives if an index is one of an array, else 0: what lies beside
// the array must not be taken for a part of it. That is counted.
func (f values) within(idx, count ir.Operand, bounded bool, get func() ir.Operand) ir.Operand {
	if !bounded {
		return get()
	}
	out := f.NewVar(ir.I(0))
	f.IfElse(ir.UGe, idx, count, func() { f.noteOutside() }, func() { f.Set(out, get()) })
	return ir.R(out)
}

// limits is the least and the largest number that an expression can be, as its
// operators tell: an index that is always one of its array needs no comparison.
func (f values) limits(x ast.Expr) (first, last int64) {
	x = f.meaning(x)
	if c, ok := analysis.Constant(f.u, x); ok {
		return c, c
	}
	t := f.typeOf(x)
	first, last = math.MinInt64, math.MaxInt64
	switch {
	case t.Kind == types.Bool:
		return 0, 1
	case t.Kind == types.Int && t.Size < 8 && t.Signed:
		first, last = -1<<(8*t.Size-1), 1<<(8*t.Size-1)-1
	case t.Kind == types.Int && t.Size < 8:
		first, last = 0, 1<<(8*t.Size)-1
	}
	switch x := x.(type) {
	case *ast.Var:
		if r, ok := f.p.turns[f.u.Vars[x]]; ok {
			return r.first, r.last
		}
	case *ast.Binary:
		a0, a1 := f.limits(x.X)
		n, constant := analysis.Constant(f.u, x.Y)
		if !constant || n < 0 || n > math.MaxInt32 {
			break
		}
		small := a0 >= math.MinInt32 && a1 <= math.MaxInt32
		natural := a0 >= 0 || !f.typeOf(x.X).Signed && !f.typeOf(x.Y).Signed
		switch {
		case x.Op == "&":
			return 0, n
		case x.Op == "%" && n > 0 && natural:
			return 0, n - 1
		case x.Op == ">>" && a0 >= 0 && n < 64:
			return a0 >> n, a1 >> n
		case x.Op == "/" && n > 0 && a0 >= 0:
			return a0 / n, a1 / n
		case x.Op == "+" && small:
			return a0 + n, a1 + n
		case x.Op == "-" && small:
			return a0 - n, a1 - n
		}
	case *ast.Cast:
		if a0, a1 := f.limits(x.X); a0 >= first && a1 <= last {
			return a0, a1
		}
	}
	return first, last
}

// turnRange is what the variable of a for loop counts through.
type turnRange struct{ first, last int64 }

// inTurns runs build, which makes the body of a loop over a range, with what is known
// of the loop's variable there.
func (f values) inTurns(s *ast.ForRange, build func()) {
	v := f.u.Vars[s.Var]
	from, ok1 := analysis.Constant(f.u, s.From)
	to, ok2 := analysis.Constant(f.u, s.To)
	if !ok1 || !ok2 || from >= to || f.p.addressed[v] || analysis.Changes(f.u, v, s.Body) {
		build()
		return
	}
	if f.p.turns == nil {
		f.p.turns = map[*check.Var]turnRange{}
	}
	f.p.turns[v] = turnRange{from, to - 1}
	build()
	delete(f.p.turns, v)
}
