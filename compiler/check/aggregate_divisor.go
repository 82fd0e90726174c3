package check

import (
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/format"
)

// addsUp reports whether an aggregation adds up the numbers that it is given.
func addsUp(t *types.Type) bool {
	r := t.Kind.Aggregation()
	return r != nil && r.Adds != nil && r.Adds(&t.Agg)
}

// Addend is what a call of sum(), avg(), stats() or tseries() adds up, and by what
// that is divided when the result is read. In sum(took / 1ms) it is took, and
// 1000000: divided one by one, a thousand waits of half a millisecond would add up
// to none. It takes a divisor that is written with a unit; any other division is
// part of the addend, as in bpftrace.
func (u *Unit) Addend(call *ast.Call, agg *types.Type) (x ast.Expr, div int64) {
	x = call.Args[0]
	if m := u.Meaning[x]; m != nil {
		x = m
	}
	q, ok := x.(*ast.Binary)
	if !ok || q.Op != "/" || !addsUp(agg) || !isUnit(q.Y) {
		return x, 1
	}
	n, constant := u.Consts[q.Y]
	if !constant || n < 1 || u.Types[q.X] == nil || !u.Types[q.X].IsInteger() {
		return x, 1
	}
	return q.X, n
}

// isUnit reports whether an expression is written with a unit: 1ms, 4KB,
// $ms ? 1ms : 1us, 10 * 1ms.
func isUnit(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IntLit:
		return x.HasUnit
	case *ast.Comptime:
		return isUnit(x.X)
	case *ast.Cond:
		return x.A != nil && isUnit(x.A) && isUnit(x.B)
	case *ast.Binary:
		return x.Op == "*" && (isUnit(x.X) || isUnit(x.Y))
	}
	return false
}

// rounded warns of a sum of a variable that was divided by a unit before: what is
// smaller than the unit is lost each time.
func (u aggregates) rounded(call *ast.Call, agg *types.Type) {
	v, ok := call.Args[0].(*ast.Var)
	if !ok || u.quiet || !addsUp(agg) {
		return
	}
	var given *ast.Assign
	ast.Walk(u.Body, func(n ast.Node) bool {
		if s, isAssign := n.(*ast.Assign); isAssign && given == nil && s.Op == "=" {
			to, isVar := s.Target.(*ast.Var)
			q, isQuotient := s.Value.(*ast.Binary)
			if isVar && to.Name == v.Name && isQuotient && q.Op == "/" && isUnit(q.Y) {
				given = s
			}
		}
		return given == nil
	})
	if given != nil {
		u.warnf(v.Span, "$%s is rounded down each time before it is added", v.Name).
			Hintf("write %s(%s): that divides the total", call.Name, format.Expr(given.Value)).Notef(given.Span, "it is divided here")
	}
}
