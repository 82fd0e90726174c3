package check

import (
	"fst/compiler/builtin"
	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
)

// Values are kept in more room than their types ask for: numbers of variables
// and maps take 8 bytes, texts are moved by words. What sizeof, typeof and
// typeinfo tell is the type that the text of the script states: a number that
// is written out is the smallest signed one that holds it, a text ends at its
// NUL, and a place is as wide as the widest value that it is given.

// stated is the stated type of an expression that was checked; t is the type
// of its value.
func (u *unitChecker) stated(x ast.Expr, t *types.Type) *types.Type {
	if t.Kind == types.Invalid {
		return t
	}
	switch e := x.(type) {
	case *ast.Tuple:
		return types.TupleType(u.statedAll(e.Elems))
	case *ast.Record:
		return types.RecordType(e.Names, u.statedAll(e.Values))
	case *ast.Var:
		if v := u.variables.find(e.Name); v != nil && u.states[v].stated != nil {
			return u.states[v].stated
		}
	case *ast.Map:
		if m := u.maps[e.Name]; m != nil && m.stated != nil && !m.stated.Kind.IsAggregation() {
			return m.stated
		}
	case *ast.Cast:
		if e.Type.Tag == "typeof" {
			return t // as typeof said it
		}
	case *ast.Unary:
		if e.Op == "&" && t.Kind == types.Pointer {
			return types.PointerTo(u.stated(e.X, t.Elem), t.User)
		}
	case *ast.TupleIndex:
		if a := u.Meaning[e]; a != nil {
			return u.stated(a, t)
		}
		if base := u.stated(e.X, u.Types[e.X]); e.N < len(base.Fields()) {
			return base.Fields()[e.N].Type
		}
	case *ast.Field:
		if base := u.Types[e.X]; base != nil && base.Kind == types.Record {
			if f, ok := u.stated(e.X, base).Field(e.Name); ok {
				return f.Type
			}
		}
	case *ast.Cond:
		if a, b := e.A, e.B; !u.isConst(x) {
			if a == nil {
				a = e.C
			}
			return u.statedEither(a, b, t)
		}
	case *ast.IfExpr:
		if e.Then != nil && e.Else != nil && !u.isConst(x) {
			return u.statedEither(e.Then.Value, e.Else.Value, t)
		}
	case *ast.BlockExpr:
		if e.Body != nil && e.Body.Value != nil {
			return u.stated(e.Body.Value, t)
		}
	case *ast.Comptime:
		return u.stated(e.X, t)
	}
	return u.statedValue(x, t)
}

// statedValue is the stated type of what has no parts: the smallest one for what is written out.
func (u *unitChecker) statedValue(x ast.Expr, t *types.Type) *types.Type {
	n, constant := u.Consts[x]
	text, isText := u.Strings[x]
	switch {
	case constant && t.Kind == types.Int && t.Signed && u.isWrittenOut(x):
		size := 1
		for size < 8 && fold.Fit(n, types.IntType(size, true)) != n {
			size *= 2
		}
		if n >= 0 {
			return types.WeakInts[size]
		}
		return types.IntType(size, true)
	case t.Kind == types.Buffer:
		return &types.Type{Kind: types.Buffer, Size: 4 + t.Len, Len: t.Len}
	case t.Kind == types.String && isText:
		return u.exactString(len(text) + 1)
	case t.Kind == types.String:
		if c, ok := x.(*ast.Call); ok && calls(x, builtin.FuncStr) && len(c.Args) > 1 {
			if n, ok := u.Consts[c.Args[1]]; ok {
				return u.exactString(int(n) + 1)
			}
		}
		return u.exactString(t.Size)
	}
	return t
}

func (u *unitChecker) statedAll(xs []ast.Expr) []*types.Type {
	out := make([]*types.Type, len(xs))
	for i, x := range xs {
		out[i] = u.stated(x, u.Types[x])
	}
	return out
}

// statedEither is the stated type of a value that is one of two; t is the type
// of the value. A branch that a constant rules out was not checked.
func (u *unitChecker) statedEither(a, b ast.Expr, t *types.Type) *types.Type {
	ta, tb := u.Types[a], u.Types[b]
	switch {
	case ta == nil && tb == nil:
		return t
	case ta == nil:
		return u.stated(b, tb)
	case tb == nil:
		return u.stated(a, ta)
	}
	if both, ok := types.Unify(u.stated(a, ta), u.stated(b, tb)); ok {
		return both
	}
	return t
}

// state records that a place is given a value of some stated type.
func (u *unitChecker) state(place **types.Type, t *types.Type) {
	if !u.quiet || t == nil || t.Kind == types.Invalid {
		return
	}
	now, ok := types.Unify(*place, t)
	if ok && !types.Same(now, *place) {
		*place = now
		u.changed = true
	}
}

// stateVar is state for a variable; one with a declared type keeps it, but
// string says nothing of a size.
func (u variables) stateVar(v *Var, t *types.Type) {
	if st := u.states[v]; !st.declared || st.unsized && t.Kind == types.String {
		u.state(&st.stated, t)
	}
}

// statedName is the stated type of a type that is written out, and t its
// type as values have it.
func (u *unitChecker) statedName(x *ast.TypeExpr, t *types.Type) *types.Type {
	switch {
	case x.Tag == "typeof" && x.TypeOf != nil && len(x.Post) == 0 && u.raw[x.TypeOf] == nil:
		return u.stated(x.TypeOf, u.Types[x.TypeOf])
	case t.Kind == types.String && x.Name == "string":
		return &types.Type{Kind: types.String, Size: stringLen(x, t)}
	}
	return t
}

// storable is the type of values of a stated type.
func storable(t *types.Type) *types.Type {
	switch {
	case types.IsWeak(t):
		return types.IntType(t.Size, true)
	case t.Kind == types.String:
		return types.StringType(t.Size)
	case t.Kind == types.Buffer:
		return types.BufferType(t.Len)
	case t.Kind == types.Tuple, t.Kind == types.Record:
		return types.MapFields(t, storable)
	}
	return t
}

func (u *unitChecker) exactString(size int) *types.Type {
	return &types.Type{Kind: types.String, Size: min(size, u.info.Config.MaxStrlen)}
}

// isWrittenOut reports whether a number is made of literals only.
func (u *Unit) isWrittenOut(x ast.Expr) bool { return u.operandsOf(x).literals }

// statedSize is sizeof a stated type: tuples are packed as the stated types of
// their parts allow.
func statedSize(t *types.Type) int {
	size, _ := statedLayout(t)
	return size
}

func statedLayout(t *types.Type) (size, align int) {
	switch t.Kind {
	case types.String, types.Buffer:
		return t.Size, 1
	case types.Tuple, types.Record:
		align = 1
		for _, f := range t.Fields() {
			s, a := statedLayout(f.Type)
			size = (size+a-1)&^(a-1) + s
			align = max(align, a)
		}
		return (size + align - 1) &^ (align - 1), align
	}
	return t.Size, t.Align()
}
