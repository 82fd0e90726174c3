package check

import (
	"strings"

	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/format"
	"fst/lang/source"
)

// operators are all operators except comparisons.
type operators struct{ *unitChecker }

// unary checks ! ~ - + * &.
func (u operators) unary(x *ast.Unary) *types.Type {
	switch x.Op {
	case "&":
		return u.addressOf(x)
	case "*":
		return u.deref(x)
	case "!":
		t := u.cond(x.X)
		if t.Kind == types.Invalid {
			return types.BoolType
		}
		if n, ok := u.Consts[x.X]; ok {
			u.Consts[x] = b2i(n == 0)
		}
		return types.BoolType
	}
	t := u.integer(x.X, "the operand of "+x.Op)
	if t.Kind == types.Invalid {
		return invalid
	}
	if t.Kind == types.Bool && x.Op != "+" {
		return wrong(u.errorf(x.Span, "%s takes a number, not bool", x.Op).Hintf("write !x for the opposite"))
	}
	n, constant := u.Consts[x.X]
	switch x.Op {
	case "-":
		if _, literal := x.X.(*ast.IntLit); literal && uint64(n) > 1<<63 {
			return wrong(u.errorf(x.Span, "-%d does not fit in 64 bits", uint64(n)).Hintf("the smallest number is -9223372036854775808"))
		}
		if constant {
			u.Consts[x] = -n
		}
		return types.I64
	case "~":
		if constant {
			u.Consts[x] = ^n
			return types.U64 // as the reference has it
		}
		return types.IntType(8, t.Signed)
	}
	u.copyConst(x, x.X)
	return types.IntType(8, t.Signed)
}

// addressOf is &x: of a variable, a map's value, or a member.
func (u operators) addressOf(x *ast.Unary) *types.Type {
	switch inner := x.X.(type) {
	case *ast.Var, *ast.Field, *ast.Index:
		t := u.expr(inner)
		if raw := u.raw[inner]; raw != nil {
			t = raw
		}
		if t.Kind == types.Invalid {
			return invalid
		}
		return types.PointerTo(t, u.userMem[inner])
	case *ast.Map:
		t := u.access.mapValue(inner)
		if t.Kind == types.Invalid {
			return invalid
		}
		u.Types[inner] = t
		return types.PointerTo(t, false)
	case *ast.Unary:
		if inner.Op == "*" {
			u.expr(inner)
			return u.Types[inner.X]
		}
	}
	u.expr(x.X)
	return wrong(u.errorf(x.Span, "only a variable, a map's value or a member has an address").Hintf("assign it to a $variable first: $x = ...; &$x"))
}

// deref is *p. Addresses that are plain numbers read as uint64.
func (u operators) deref(x *ast.Unary) *types.Type {
	var t *types.Type
	if c, ok := x.X.(*ast.Cast); ok {
		t = u.casts.castToRead(c)
	}
	if t == nil {
		t = u.value(x.X)
	}
	switch {
	case t.Kind == types.Invalid:
		return invalid
	case t.Kind == types.Int && t.Size == 8:
		u.userMem[x] = u.IsUser()
		return types.U64
	case t.Kind != types.Pointer:
		d := u.origin(u.errorf(x.Span, "%s is not a pointer", types.Describe(t)), x.X)
		switch {
		case t.IsInteger():
			d.Hintf("cast it first: *(uint64 *)x")
		case t.Kind == types.Struct, t.Kind == types.Union, t.Kind == types.Record:
			d.Hintf("it is the value itself: leave the * out")
		case t.Kind == types.Array:
			d.Hintf("write %s[0] for its first element", format.Expr(x.X))
		default:
			d.Hintf("* reads what a pointer points to: leave it out here")
		}
		return invalid
	case t.Elem == types.WordType:
		return u.loaded(x, types.U64, t.User)
	case types.IsVoid(t.Elem):
		return wrong(u.errorf(x.Span, "a void pointer does not say what it points to").Hintf("cast it first: *(uint64 *)x"))
	}
	return u.loaded(x, t.Elem, t.User)
}

// loaded is the type of a value of declared type t that is read from memory:
// arrays of char are strings, pointers in the memory of a process point into
// it, also those of a struct that is copied.
func (u operators) loaded(x ast.Expr, t *types.Type, user bool) *types.Type {
	u.userMem[x] = user
	switch {
	case t.Kind == types.Invalid && (t.Name == "float" || strings.HasSuffix(t.Name, "double")):
		u.noFloats(x.Pos())
		return invalid
	case t.Kind == types.Invalid || t.Kind == types.None:
		return wrong(u.errorf(x.Pos(), "values of this type can't be read").Hintf("take its address with & and cast it"))
	case t.IsCharArray():
		u.raw[x] = t
		n := t.Size
		if n == 0 {
			n = u.info.Config.MaxStrlen
		}
		return types.StringType(n)
	case user:
		return t.OfUser()
	}
	return t
}

// incDec checks ++ and --, which widen what they change.
func (u operators) incDec(x *ast.IncDec) *types.Type {
	return u.change(x.X, x.Op, x.Span, x.X, func(old *types.Type) *types.Type {
		switch {
		case old.Kind == types.Invalid, old.Kind == types.Pointer:
			return old
		case !old.IsInteger():
			u.origin(u.errorf(x.Span, "%s needs an integer, not %s", x.Op, types.Describe(old)), x.X).Hint = asNumber(old)
			return invalid
		}
		return combined(x.Op[:1], old, types.WeakInt)
	})
}

// change checks what gives a variable or a map a new value made of its old one, and returns the
// type of the place then. result is the type of the new value; value is where that is written.
func (u operators) change(place ast.Expr, op string, at source.Span, value ast.Node, result func(old *types.Type) *types.Type) *types.Type {
	switch x := place.(type) {
	case *ast.Var:
		old := u.variables.variable(x)
		u.Types[x] = old
		if t := result(old); t.Kind != types.Invalid {
			u.variables.assignTo(x, t, t, value)
			return plainInt(u.Types[x])
		}
	case *ast.Map:
		m := u.mapOf(x.Name)
		m.assigned = true
		u.access.place(m, x) // where the keys are wrong, the value still has its type
		u.Types[x] = valueType(m)
		if t := result(u.access.plainValue(m, x, at, op)); t.Kind != types.Invalid {
			u.access.noteValue(m, value, t, t)
			u.Types[x] = valueType(m)
			return plainInt(valueType(m))
		}
	}
	return invalid
}

// combined is the type of a number made of two by an operator: that of a place which takes it.
// A constant takes the sign of what it is combined with.
func combined(op string, old, t *types.Type) *types.Type {
	switch {
	case op == "-":
		return types.I64
	case t == types.WeakInt && old == types.WeakInt:
		return types.WeakInt
	case t == types.WeakInt:
		return types.IntType(8, old.Signed)
	case old == types.WeakInt:
		return types.IntType(8, t.Signed)
	case op == "<<" || op == ">>":
		return types.IntType(8, old.Signed)
	}
	return types.IntType(8, old.Signed || t.Signed)
}

// plainInt hides the identity of types.WeakInt from what reads a place.
func plainInt(t *types.Type) *types.Type {
	if t == types.WeakInt {
		return types.I64
	}
	return t
}

// binary checks an operator with two operands.
func (u operators) binary(x *ast.Binary) *types.Type {
	switch x.Op {
	case "&&", "||":
		return u.logical(x)
	case "==", "!=", "<", "<=", ">", ">=":
		u.comparisons.compare(x)
		return types.BoolType
	}
	tx, ty := u.value(x.X), u.value(x.Y)
	if tx.Kind == types.Invalid || ty.Kind == types.Invalid || u.isPower(x) {
		return invalid
	}
	tx, ty = u.casts.asNumber(x.X, tx), u.casts.asNumber(x.Y, ty)
	u.comparisons.comparedFirst(x)
	if tx.Kind == types.Pointer || ty.Kind == types.Pointer {
		return u.pointerMath(x, tx, ty)
	}
	if t := u.restOfWord(x); t != nil {
		return t
	}
	if a, b, ok := u.literals(x); ok && x.Op == "+" {
		u.Strings[x] = a + b
		return types.StringType(len(a) + len(b) + 1)
	}
	for i, t := range []*types.Type{tx, ty} {
		if !t.IsInteger() {
			at := x.X
			if i == 1 {
				at = x.Y
			}
			d := u.origin(u.errorf(at.Pos(), "the operands of %s must be integers, not %s", x.Op, types.Describe(t)), at)
			d.Hint = opHint(x.Op, t)
			if x.Op == "+" && tx.Kind == types.String && ty.Kind == types.String {
				d.Hintf("write str_concat(%s, %s)", format.Expr(x.X), format.Expr(x.Y))
			}
			return invalid
		}
	}
	return u.arithmetic(x, tx, ty)
}

// isPower reports x ** y, the power of other languages: *y without a blank, where y is no pointer.
func (u *unitChecker) isPower(x *ast.Binary) bool {
	y, ok := x.Y.(*ast.Unary)
	if !ok || x.Op != "*" || y.Op != "*" || y.Span.Start != x.OpSpan.End || u.Types[y.X].Kind == types.Pointer {
		return false
	}
	u.errorf(source.Span{Start: x.OpSpan.Start, End: x.OpSpan.End + 1}, "there is no operator **").Hintf("write x * x for the square of x; a * *p is a product with what p points to")
	return true
}

// restOfWord is "text" + n, and $1 + n where the word is no number: what stands
// behind its first n characters, as if they were pointers. It is nil for all else.
func (u operators) restOfWord(x *ast.Binary) *types.Type {
	_, isParam := x.X.(*ast.Param)
	_, isLit := x.X.(*ast.StringLit)
	word, isText := u.Strings[x.X]
	n, isConst := u.Consts[x.Y]
	if !isParam && !isLit || !isText || !isConst || x.Op != "+" {
		return nil
	}
	if n < 0 || n > int64(len(word)) {
		return wrong(u.errorf(x.Y.Pos(), "%q has %d characters", word, len(word)))
	}
	u.Strings[x] = word[n:]
	return types.StringType(min(len(word[n:])+1, u.info.Config.MaxStrlen))
}

// literals are the operands of "a" + "b": texts that are written out, or chosen
// while compiling, are joined.
func (u operators) literals(x *ast.Binary) (a, b string, ok bool) {
	text := func(x ast.Expr) (string, bool) {
		switch x.(type) {
		case *ast.StringLit, *ast.Binary, *ast.Cond:
			s, ok := u.Strings[x]
			return s, ok
		}
		return "", false
	}
	a, ok1 := text(x.X)
	b, ok2 := text(x.Y)
	return a, b, ok1 && ok2
}

// arithmetic is the type of an operation on integers, and its value if both
// operands are constant. A constant that is not negative takes the sign of
// the other operand.
func (u operators) arithmetic(x *ast.Binary, tx, ty *types.Type) *types.Type {
	a, aConst := u.Consts[x.X]
	b, bConst := u.Consts[x.Y]
	sx, sy := tx.Signed, ty.Signed
	shift := x.Op == "<<" || x.Op == ">>"
	if !shift && x.Op != "-" {
		if u.stored(x.X, tx) == types.WeakInt && !sy && !bConst {
			u.Types[x.X], sx = types.U64, false
		}
		if u.stored(x.Y, ty) == types.WeakInt && !sx {
			if !aConst {
				u.Types[x.Y] = types.U64
			}
			sy = false
		}
	}
	signed := sx || sy
	if shift {
		signed = sx
	}
	if (x.Op == "/" || x.Op == "%") && bConst && b == 0 {
		return wrong(u.errorf(x.Y.Pos(), "division by zero").Hintf("this is always 0: divide by another number"))
	}
	logic := tx.Kind == types.Bool && ty.Kind == types.Bool && (x.Op == "&" || x.Op == "|" || x.Op == "^")
	if aConst && bConst && u.isWrittenOut(x) && !logic {
		n, t := fold.Exact(x.Op, a, tx.Signed, b, ty.Signed)
		if t == nil {
			d := u.errorf(x.Span, "the result does not fit in 64 bits")
			if shift {
				d.Hintf("a number has 64 bits: shift it by 63 at most")
			} else {
				d.Hintf("numbers go from -9223372036854775808 to 18446744073709551615")
			}
			return invalid
		}
		u.Consts[x] = n
		return t
	}
	if aConst && bConst {
		if n, ok := fold.Int(x.Op, a, b, signed); ok {
			u.Consts[x] = n
		}
	}
	if logic {
		return types.BoolType
	}
	return types.IntType(8, signed || x.Op == "-")
}

// pointerMath is p + n, n + p, p - n and p - q.
func (u operators) pointerMath(x *ast.Binary, tx, ty *types.Type) *types.Type {
	switch {
	case x.Op == "-" && tx.Kind == types.Pointer && ty.Kind == types.Pointer:
		return types.I64
	case (x.Op == "+" || x.Op == "-") && tx.Kind == types.Pointer && ty.IsInteger():
		return tx
	case x.Op == "+" && ty.Kind == types.Pointer && tx.IsInteger():
		return ty
	}
	return wrong(u.origin(u.errorf(x.Span, "%s can't be used with %s and %s", x.Op, types.Describe(tx), types.Describe(ty)).Hintf("cast the pointer: (uint64)p"), x.X, x.Y))
}

// logical is && and ||. What a compile-time condition rules out is not
// checked.
func (u operators) logical(x *ast.Binary) *types.Type {
	u.cond(x.X)
	a, aConst := u.Consts[x.X]
	decides := aConst && (a != 0) == (x.Op == "||")
	if decides {
		u.Consts[x] = b2i(a != 0)
		if isStatic(x.X) {
			return types.BoolType
		}
	}
	u.cond(x.Y)
	b, bConst := u.Consts[x.Y]
	if bConst && !decides && (aConst || (b != 0) == (x.Op == "||") && isStatic(x.Y) && hasNoEffect(x.X)) {
		u.Consts[x] = b2i(b != 0)
	}
	return types.BoolType
}

// isWord reports whether x is a parameter that is a text. One that was not given
// is 0, so scripts ask for "$1 == 0" or "$1" to know whether there is one.
func isWord(x ast.Expr, t *types.Type) bool {
	_, ok := x.(*ast.Param)
	return ok && t.Kind == types.String
}

func isZero(x ast.Expr) bool {
	lit, ok := x.(*ast.IntLit)
	return ok && lit.Value == 0
}
