package check

import (
	"strings"

	"fst/compiler/types"
	"fst/lang/ast"
)

// expr checks an expression and records its type, which is Invalid after an
// error (or, while types are inferred, if it is not known yet).
func (u *unitChecker) expr(x ast.Expr) *types.Type {
	if x == nil {
		return invalid
	}
	delete(u.Meaning, x)
	t := u.exprType(x)
	if t == nil {
		t = invalid
	}
	u.Types[x] = t
	return t
}

// exprs checks expressions, for what is wrong with each.
func (u *unitChecker) exprs(xs []ast.Expr) {
	for _, x := range xs {
		u.expr(x)
	}
}

// value checks an expression that must have a value.
func (u *unitChecker) value(x ast.Expr) *types.Type {
	t := u.expr(x)
	if _, isType := x.(*ast.TypeArg); isType && t.Kind != types.Invalid {
		u.errorf(x.Pos(), "a type has no value").Hintf("sizeof() is its size, and typeinfo(TYPE).full_type its name; a cast is written (TYPE)x")
		u.Types[x] = invalid
		return invalid
	}
	if t.Kind == types.None {
		what := "this"
		if c, ok := x.(*ast.Call); ok {
			what = c.Name + "()"
		}
		d := u.errorf(x.Pos(), "%s has no value", what).Hintf("write it alone, as a statement")
		if b, ok := x.(*ast.BlockExpr); ok && b.Body != nil && len(b.Body.Stmts) > 0 {
			last := b.Body.Stmts[len(b.Body.Stmts)-1]
			if _, ok := last.(*ast.ExprStmt); ok {
				d.Hintf("a macro has the value of its last expression, which no ';' follows")
				d.Notef(last.Pos(), "this is its last statement")
			}
		}
		if what == "time()" {
			d.Hintf(`let it stand alone; strftime("%%H:%%M:%%S", nsecs) is the time as a text`)
		}
		u.Types[x] = invalid
		return invalid
	}
	return t
}

// integer checks an expression that must be an integer, bool or enum.
func (u *unitChecker) integer(x ast.Expr, what string) *types.Type {
	t := u.value(x)
	if t.Kind != types.Invalid && !t.IsInteger() {
		d := u.origin(u.errorf(x.Pos(), "%s must be an integer, not %s", what, types.Describe(t)), x)
		d.Hint = asNumber(t)
		return invalid
	}
	return t
}

func (u *unitChecker) exprType(x ast.Expr) *types.Type {
	switch x := x.(type) {
	case *ast.IntLit:
		u.Consts[x] = int64(x.Value)
		if x.Unsigned || x.Value > 1<<63-1 {
			return types.U64
		}
		return types.I64
	case *ast.BoolLit:
		u.Consts[x] = b2i(x.Value)
		return types.BoolType
	case *ast.StringLit:
		return u.stringLit(x)
	case *ast.Ident:
		return u.names.ident(x)
	case *ast.Var:
		return u.variables.variable(x)
	case *ast.Map:
		return u.access.mapValue(x)
	case *ast.Param:
		return u.param(x)
	case *ast.Call:
		return u.calls.call(x)
	case *ast.TypeArg:
		return u.resolveType(x.Type, u)
	case *ast.Unary:
		return u.operators.unary(x)
	case *ast.IncDec:
		return u.operators.incDec(x)
	case *ast.Binary:
		return u.operators.binary(x)
	case *ast.Cond:
		return u.ternary(x)
	case *ast.Field:
		return u.members.field(x)
	case *ast.TupleIndex:
		return u.members.tupleIndex(x)
	case *ast.Index:
		return u.members.index(x)
	case *ast.Cast:
		return u.casts.cast(x)
	case *ast.Tuple:
		return u.tuple(x)
	case *ast.Record:
		return u.record(x)
	case *ast.SizeOf:
		return u.typeRefs.sizeOf(x)
	case *ast.OffsetOf:
		return u.typeRefs.offsetOf(x)
	case *ast.IfExpr:
		return u.flow.ifExpr(x)
	case *ast.BlockExpr:
		return u.flow.blockValue(x.Body, x)
	case *ast.Refused:
		if x.Message == "" {
			u.unexpanded(x)
			return invalid
		}
		return wrong(u.errorf(x.Span, "%s", x.Message).Hintf("%s", x.Hint))
	case *ast.Comptime:
		t := u.expr(x.X)
		u.copyConst(x, x.X)
		if t.Kind != types.Invalid && !u.isConst(x.X) {
			if u.holdsWrong(x.X) {
				return invalid
			}
			return wrong(u.errorf(x.Span, "this is not a constant").Hintf("comptime takes literals, sizeof, exists() and the like"))
		}
		return t
	}
	return wrong(u.errorf(x.Pos(), "this can't be used as a value"))
}

// unexpanded checks the arguments of a call that expansion has reported. What it
// would have stored into them is not known.
func (u *unitChecker) unexpanded(x *ast.Refused) {
	for _, a := range x.Args {
		switch a := a.(type) {
		case *ast.Var:
			if v := u.variables.find(a.Name); v == nil {
				u.variables.assignTo(a, invalid, invalid, a)
			}
		case *ast.Map:
			u.mapOf(a.Name).unknown()
		}
	}
	u.calls.args(x.Args)
}

// holdsWrong reports whether a part of an expression is wrong, which was reported.
func (u *unitChecker) holdsWrong(x ast.Expr) bool {
	return ast.Any(x, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		return ok && u.Types[e] != nil && u.Types[e].Kind == types.Invalid
	})
}

// stringLit is a literal as a value. Like all strings it ends before its first NUL; what takes bytes (buf, memcmp)
// has all that is written, and so have formats.
func (u *unitChecker) stringLit(x *ast.StringLit) *types.Type {
	u.Strings[x], _, _ = strings.Cut(x.Value, "\x00")
	if most := u.info.Config.MaxStrlen - 1; len(x.Value) > most {
		return wrong(u.errorf(x.Span, "this string has %d characters; at most %d are allowed", len(x.Value), most).
			Hintf("raise the limit: config = { max_strlen = %d }", len(x.Value)+1))
	}
	return types.StringType(len(x.Value) + 1)
}

// copyConst gives x the constant value of another expression, if it has one.
func (u *unitChecker) copyConst(x, from ast.Expr) {
	if n, ok := u.Consts[from]; ok {
		u.Consts[x] = n
	}
	if s, ok := u.Strings[from]; ok {
		u.Strings[x] = s
	}
}

func (u *unitChecker) isConst(x ast.Expr) bool {
	_, num := u.Consts[x]
	_, str := u.Strings[x]
	return num || str
}

// ternary checks "c ? a : b" and "c ?: b".
func (u *unitChecker) ternary(x *ast.Cond) *types.Type {
	if x.A == nil {
		tc := u.cond(x.C)
		tb := u.value(x.B)
		if n, ok := u.Consts[x.C]; ok {
			if n != 0 {
				u.copyConst(x, x.C)
				return tc
			}
			u.copyConst(x, x.B)
			return tb
		}
		return u.either(x, x.C, tc, x.B, tb)
	}
	u.cond(x.C)
	if taken, known := u.staticCond(x.C); known {
		branch := x.B
		if taken {
			branch = x.A
		}
		t := u.expr(branch)
		u.copyConst(x, branch)
		return t
	}
	ta, tb := u.expr(x.A), u.expr(x.B)
	t := u.either(x, x.A, ta, x.B, tb)
	if n, ok := u.Consts[x.C]; ok {
		if n != 0 {
			u.copyConst(x, x.A)
		} else {
			u.copyConst(x, x.B)
		}
	}
	return t
}

// either is the type of a value that is one of two.
func (u *unitChecker) either(x ast.Node, a ast.Expr, ta *types.Type, b ast.Expr, tb *types.Type) *types.Type {
	if ta.Kind == types.Invalid || tb.Kind == types.Invalid {
		if u.quiet && ta.Kind != types.Invalid {
			return ta
		}
		return tb
	}
	if ta.Kind == types.None && tb.Kind == types.None {
		return types.NoneType
	}
	t, ok := types.Unify(u.stored(a, ta), u.stored(b, tb))
	if !ok {
		if c, isCond := x.(*ast.Cond); isCond && u.Types[c.C].Kind == types.Invalid {
			return invalid // it may be a constant, which needs one of them only
		}
		d := u.errorf(x.Pos(), "the two alternatives have different types: %s and %s", types.Describe(ta), types.Describe(tb))
		if ta.Kind == types.String || tb.Kind == types.String {
			d.Hintf("both must be strings, or both numbers")
		}
		return wrong(d.Notef(a.Pos(), "this is %s", types.Describe(ta)).Notef(b.Pos(), "this is %s", types.Describe(tb)))
	}
	return t
}

func (u flow) ifExpr(x *ast.IfExpr) *types.Type {
	u.cond(x.Cond)
	if taken, known := u.staticCond(x.Cond); known {
		if taken {
			return u.blockValue(x.Then, x)
		}
		return u.blockValue(x.Else, x)
	}
	ta, tb := u.blockValue(x.Then, nil), u.blockValue(x.Else, nil)
	return u.either(x, x.Then.Value, ta, x.Else.Value, tb)
}

// blockValue checks a block whose value is used. as, if not nil, takes over
// the value if it is constant and nothing else happens in the block.
func (u flow) blockValue(b *ast.Block, as ast.Expr) *types.Type {
	u.push(b)
	u.stmts(b.Stmts)
	t := types.NoneType
	if b.Value != nil {
		t = u.expr(b.Value)
		if as != nil && len(b.Stmts) == 0 {
			u.copyConst(as, b.Value)
		}
	}
	u.pop()
	return t
}

// tuple lays out (a, b): numbers take 8 bytes, as in keys, so that tuples of
// the same shape compare byte by byte.
func (u *unitChecker) tuple(x *ast.Tuple) *types.Type {
	elems, ok := u.elements(x.Elems)
	if !ok {
		return invalid
	}
	return types.TupleType(elems)
}

func (u *unitChecker) record(x *ast.Record) *types.Type {
	elems, ok := u.elements(x.Values)
	if !ok || len(elems) != len(x.Names) {
		return invalid
	}
	return types.RecordType(x.Names, elems)
}

// mostElements is how many bytes a tuple or a record can have: one of two tuples, each of two tuples, is soon
// larger than any memory.
const mostElements = 1 << 20

func (u *unitChecker) elements(xs []ast.Expr) ([]*types.Type, bool) {
	ok := true
	elems := make([]*types.Type, len(xs))
	size := 0
	for i, e := range xs {
		t := u.value(e)
		ok = ok && t.Kind != types.Invalid
		elems[i] = types.Wide(t)
		size += t.Size
	}
	if size > mostElements {
		u.errorf(xs[0].Pos().To(xs[len(xs)-1].Pos()), "these values have %d bytes; a tuple or a record has at most %d", size, mostElements).
			Hintf("keep the parts in maps or variables of their own")
		return nil, false
	}
	return elems, ok
}

// cond checks a condition.
func (u *unitChecker) cond(x ast.Expr) *types.Type {
	t := u.value(x)
	switch {
	case t.Kind == types.Invalid, t.IsInteger(), t.Kind == types.Pointer:
	case isWord(x, t):
		u.Consts[x] = 1
	case t.Kind == types.String:
		u.origin(u.errorf(x.Pos(), "a string is not a condition").Hintf(`compare it: x != ""`), x)
	default:
		d := u.origin(u.errorf(x.Pos(), "a condition must be an integer, bool or pointer, not %s", types.Describe(t)), x)
		d.Hint = asNumber(t)
	}
	return t
}
