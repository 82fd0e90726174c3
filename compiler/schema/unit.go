package schema

import (
	"strings"

	"fst/compiler/check"
	"fst/compiler/types"
	"fst/lang/ast"
)

// guess is what is known of a value's unit: nothing yet, as of literals, which go with
// every unit; a unit; or that it has none, as it is given different ones (plain).
type guess struct {
	types.Unit
	known bool
}

var plain = guess{known: true}

// join is the guess for what is sometimes g and sometimes h.
func (g guess) join(h guess) guess {
	switch {
	case !g.known:
		return h
	case !h.known || g == h:
		return g
	}
	return plain
}

// of is the unit of values of a type: those that are no numbers have none.
func (g guess) of(t *types.Type) types.Unit {
	if t != nil && (t.Kind == types.Int || t.Kind.IsAggregation()) {
		return g.Unit
	}
	return types.Unit{}
}

// Unit is what the values of an expression count.
func (f *Finder) Unit(u *check.Unit, x ast.Expr) types.Unit { return f.unit(u, x).of(u.Types[x]) }

// stored is what a map or a variable counts that is given x.
func (f *Finder) stored(u *check.Unit, x ast.Expr) guess {
	call, ok := x.(*ast.Call)
	if !ok || u.Types[x] == nil || !u.Types[x].Kind.IsAggregation() {
		return f.unit(u, x)
	}
	if len(call.Args) == 0 {
		return guess{types.OneEvent, true}
	}
	return f.unit(u, call.Args[0])
}

func (f *Finder) unit(u *check.Unit, x ast.Expr) guess {
	if x == nil {
		return guess{}
	}
	if m := u.Meaning[x]; m != nil && m != x {
		return f.unit(u, m)
	}
	switch x := x.(type) {
	case *ast.IntLit:
		switch {
		case !x.HasUnit:
			return guess{}
		case strings.HasSuffix(x.Text, "B"):
			return guess{types.OneByte, true}
		}
		return guess{types.Nanoseconds, true}
	case *ast.Ident:
		if isLiteral(u, x) {
			return guess{}
		}
		return builtinUnit(x.Name)
	case *ast.Call:
		if isLiteral(u, x) {
			return guess{}
		}
		return builtinUnit(x.Name)
	case *ast.Var:
		return f.units[u.Place(x)]
	case *ast.Map:
		return f.units[x.Name]
	case *ast.TupleIndex:
		m, part, ok := f.entry(u, x)
		switch {
		case !ok && u.Place(x.X) != nil:
			return f.units[valuePart{u.Place(x.X), x.N}]
		case !ok:
			return plain
		case part < 0:
			return f.units[m]
		}
		return f.units[keyPart{m, part}]
	case *ast.Param:
		return guess{}
	case *ast.Unary:
		if x.Op == "-" || x.Op == "+" {
			return f.unit(u, x.X)
		}
	case *ast.IncDec:
		return f.unit(u, x.X)
	case *ast.Cast:
		return f.unit(u, x.X)
	case *ast.Comptime:
		return f.unit(u, x.X)
	case *ast.BlockExpr:
		return f.unit(u, x.Body.Value)
	case *ast.Cond:
		if x.A == nil {
			return f.unit(u, x.C).join(f.unit(u, x.B))
		}
		if c, ok := u.Consts[x.C]; ok {
			if c != 0 {
				return f.unit(u, x.A)
			}
			return f.unit(u, x.B)
		}
		return f.unit(u, x.A).join(f.unit(u, x.B))
	case *ast.IfExpr:
		if x.Else == nil {
			return plain
		}
		return f.unit(u, x.Then.Value).join(f.unit(u, x.Else.Value))
	case *ast.Binary:
		return f.binary(u, x)
	}
	return plain
}

// binary is the unit of a result: what has a unit keeps it beside literals and what has the same,
// and a number of things that each have a unit has theirs.
func (f *Finder) binary(u *check.Unit, x *ast.Binary) guess {
	a, b := f.unit(u, x.X), f.unit(u, x.Y)
	n, constant := u.Consts[x.Y]
	switch x.Op {
	case "+", "-":
		return a.join(b)
	case "%":
		return a
	case "<<", ">>":
		if !constant || n < 0 || n > 62 {
			return plain
		}
		n = 1 << n
		if x.Op == ">>" {
			return guess{a.Divided(n), a.known}
		}
		return guess{a.Multiplied(n), a.known}
	case "*":
		m, first := u.Consts[x.X]
		switch {
		case a == plain && b.Of == types.Plain, b == plain && a.Of == types.Plain:
			return plain
		case constant && !b.known:
			return guess{a.Multiplied(n), a.known}
		case first && !a.known:
			return guess{b.Multiplied(m), b.known}
		case !a.known || !b.known:
			return guess{} // not known yet
		case a.Of == types.Events && b.Of == types.Events:
			return plain
		case a.Of == types.Plain || a.Of == types.Events:
			return b
		case b.Of == types.Plain || b.Of == types.Events:
			return a
		}
	case "/":
		switch {
		case constant && !b.known:
			return guess{a.Divided(n), a.known}
		case constant && a.known && a.Of == b.Of:
			return guess{a.Divided(n), true}
		case !a.known || !b.known:
			return guess{} // not known yet
		case b.Of == types.Events && a.Of != types.Events:
			return a
		}
	}
	return plain
}
