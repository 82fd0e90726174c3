package lower

import (
	"slices"

	"fst/compiler/analysis"
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// conditions decides where to go on.
type conditions struct{ *fn }

// settled is a value that stays as it is while other expressions are
// evaluated: a copy, if it lies in memory that they may change.
func (f conditions) settled(v value, others ...ast.Expr) value {
	if !v.isMem || !analysis.HasEffects(others...) {
		return v
	}
	v = f.values.sized(v)
	if v.t.IsScalar() {
		return scalar(v.t, f.values.operand(v))
	}
	return f.values.copied("settled", v, v.t)
}

// cond branches on the truth of an expression.
func (f conditions) cond(x ast.Expr, then, els *ir.Block) {
	defer f.at(x)()
	if c, ok := f.u.Consts[x]; ok {
		f.JumpConst(c != 0, then, els)
		return
	}
	switch x := x.(type) {
	case *ast.Unary:
		if x.Op == "!" {
			f.cond(x.X, els, then)
			return
		}
	case *ast.Binary:
		switch x.Op {
		case "&&":
			mid := f.NewBlock()
			f.cond(x.X, mid, els)
			f.SetBlock(mid)
			f.cond(x.Y, then, els)
			return
		case "||":
			mid := f.NewBlock()
			f.cond(x.X, then, mid)
			f.SetBlock(mid)
			f.cond(x.Y, then, els)
			return
		case "==", "!=", "<", "<=", ">", ">=":
			f.compare(x, then, els)
			return
		}
	}
	v := f.expr(x)
	if v.str != nil || v.t.Kind == types.String {
		base, off := f.values.inMemory(v)
		f.Branch(ir.Ne, f.Load(base, off, 1, false), ir.I(0), then, els)
		return
	}
	f.Branch(ir.Ne, f.values.operand(v), ir.I(0), then, els)
}

// compare branches on a comparison.
func (f conditions) compare(x *ast.Binary, then, els *ir.Block) {
	ta, tb := f.typeOf(x.X), f.typeOf(x.Y)
	if x.Op == "!=" {
		then, els = els, then
	}
	equality := x.Op == "==" || x.Op == "!="
	if equality && ta.Kind == types.String && tb.Kind == types.String {
		a := f.settled(f.expr(x.X), x.Y)
		f.texts.compare(a, f.expr(x.Y), wholeText, then, els)
		return
	}
	if equality && !(f.numeric(ta) && f.numeric(tb)) {
		a := f.settled(f.expr(x.X), x.Y)
		f.compareParts(a, f.expr(x.Y), then, els)
		return
	}
	a := f.values.operand(f.expr(x.X))
	b := f.values.operand(f.expr(x.Y))
	conds := map[string]ir.Cond{"==": ir.Eq, "!=": ir.Eq, "<": ir.ULt, "<=": ir.ULe, ">": ir.UGt, ">=": ir.UGe}
	if f.u.SignedCompare(x) {
		conds = map[string]ir.Cond{"==": ir.Eq, "!=": ir.Eq, "<": ir.SLt, "<=": ir.SLe, ">": ir.SGt, ">=": ir.SGe}
	}
	f.Branch(conds[x.Op], a, b, then, els)
}

// numeric reports whether values of t compare as numbers: aggregations do, for
// reading them gives a number.
func (f conditions) numeric(t *types.Type) bool { return t.IsScalar() || t.Kind.IsAggregation() }

// compareParts compares two values of the same shape: tuples and records whose
// elements differ in their sizes element by element, others as they lie in
// memory.
func (f conditions) compareParts(a, b value, then, els *ir.Block) {
	if a.t.Kind != b.t.Kind {
		a, b = f.probed.asText(a), f.probed.asText(b)
	}
	switch {
	case a.t.Kind == types.String && b.t.Kind == types.String:
		f.texts.compare(a, b, wholeText, then, els)
		return
	case f.numeric(a.t) && f.numeric(b.t):
		x := f.values.operand(a)
		f.Branch(ir.Eq, x, f.values.operand(b), then, els)
		return
	case a.t.Kind != types.Tuple && a.t.Kind != types.Record || types.Equal(a.t, b.t):
		f.compareMemory(a, b, then, els)
		return
	}
	for i, fd := range a.t.Fields() {
		j := i
		if a.t.Kind == types.Record {
			j = slices.IndexFunc(b.t.Fields(), func(other types.Field) bool { return other.Name == fd.Name })
		}
		next := f.NewBlock()
		f.compareParts(f.values.element(a, i), f.values.element(b, j), next, els)
		f.SetBlock(next)
	}
	f.Jump(then)
}

// compareMemory compares equal-sized values byte by byte.
func (f conditions) compareMemory(a, b value, then, els *ir.Block) {
	ab, ao := f.values.inMemory(a)
	bb, bo := f.values.inMemory(b)
	f.EachWordOf(ao, bo, min(a.t.Size, b.t.Size), func(o int32, n int) {
		f.Guard(ir.Eq, f.Load(ab, ao+o, n, false), f.Load(bb, bo+o, n, false), els)
	})
	f.Jump(then)
}
