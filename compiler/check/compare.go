package check

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/format"
)

// comparisons are comparisons, and the warnings about them.
type comparisons struct{ *unitChecker }

// compare checks == != < <= > >=.
func (u comparisons) compare(x *ast.Binary) {
	if u.negatedText(x) {
		return
	}
	tx := u.value(x.X)
	if tx.Kind == types.String {
		u.wantText = x.Y
	}
	ty := u.value(x.Y)
	if tx.Kind == types.Invalid || ty.Kind == types.Invalid {
		return
	}
	tx, ty = u.alike(x, tx, ty)
	a, aText := u.Strings[x.X]
	b, bText := u.Strings[x.Y]
	equality := x.Op == "==" || x.Op == "!="
	switch {
	case aText && bText:
		u.Consts[x] = b2i(fold.Holds(x.Op, a, b))
	case equality && (isWord(x.X, tx) && isZero(x.Y) || isWord(x.Y, ty) && isZero(x.X)):
		u.Consts[x] = b2i(x.Op == "!=")
	case isNumber(tx) && isNumber(ty):
		u.compareNumbers(x, tx, ty)
	case !equality:
		bad := tx
		if isNumber(tx) {
			bad = ty
		}
		d := u.errorf(x.Span, "%s compares integers and pointers, not %s", x.Op, types.Describe(bad))
		if bad.Kind == types.String {
			d.Hintf("strings are compared with == and !=")
		}
		u.origin(d, x.X, x.Y)
	default:
		u.longText(x, tx, ty)
		u.pattern(x)
		if !comparable(tx, ty) {
			d := u.errorf(x.Span, "%s and %s can't be compared", types.Describe(tx), types.Describe(ty))
			d.Hint = cmp.Or(u.sideHint(x.Y, x.X, ty, tx), u.sideHint(x.X, x.Y, tx, ty), compareHint(tx, ty))
			u.origin(d, x.X, x.Y)
		}
	}
}

// alike converts the sides of a comparison where one can stand for what the other is, and returns their types.
func (u comparisons) alike(x *ast.Binary, tx, ty *types.Type) (*types.Type, *types.Type) {
	tx, ty = u.casts.asContainer(x.X, tx, ty), u.casts.asContainer(x.Y, ty, tx)
	if tx.IsInteger() || ty.IsInteger() {
		tx, ty = u.casts.asNumber(x.X, tx), u.casts.asNumber(x.Y, ty)
	}
	if tx.Kind != ty.Kind && (types.AsText(tx).Kind == types.AsText(ty).Kind || tx.Kind == types.String && isBytes(ty) || isBytes(tx) && ty.Kind == types.String) {
		tx, ty = u.casts.asText(x.X, tx), u.casts.asText(x.Y, ty)
	}
	return tx, ty
}

func isNumber(t *types.Type) bool { return t.IsInteger() || t.Kind == types.Pointer }

func (u comparisons) compareNumbers(x *ast.Binary, tx, ty *types.Type) {
	n, ok1 := u.Consts[x.X]
	m, ok2 := u.Consts[x.Y]
	if ok1 && ok2 {
		u.Consts[x] = b2i(fold.Compare(x.Op, n, m, u.SignedCompare(x)))
	} else if !u.negatedFirst(x, ty) && !u.positiveError(x) {
		u.settledCompare(x, tx, ty)
	}
}

// sideHint is what to do about a side of a comparison, of type t, that the other one can't be compared with, or "".
func (u comparisons) sideHint(side, other ast.Expr, t, to *types.Type) string {
	number, text := t.IsInteger() || to.IsInteger(), t.Kind == types.String || to.Kind == types.String
	switch side := side.(type) {
	case *ast.StringLit:
		if !number {
			return ""
		}
		if _, err := strconv.ParseInt(side.Value, 0, 64); err == nil {
			return "a number has no quotes: " + side.Value
		}
		if _, _, ok := u.constant(side.Value); ok {
			return "a constant has no quotes: " + side.Value
		}
		if id, ok := other.(*ast.Ident); ok {
			if v, ok := builtin.VarByName(id.Name); ok && v.NotText != "" {
				return fmt.Sprintf("%s is a number: %s", id.Name, v.NotText)
			}
		}
	case *ast.IntLit:
		if text {
			return fmt.Sprintf(`a string is written in quotes: "%s"`, format.Expr(side))
		}
	case *ast.Ident:
		if text && strings.HasPrefix(side.Name, "arg") {
			return "str(" + side.Name + ") reads the string at that address"
		}
	}
	return ""
}

// comparable reports whether == takes two types that are not numbers.
func comparable(tx, ty *types.Type) bool {
	if tx.Kind != ty.Kind {
		return false
	}
	switch tx.Kind {
	case types.String, types.Buffer:
		return true
	case types.Tuple, types.Record:
		// Elements that differ in size are compared one by one.
		_, ok := types.Unify(tx, ty)
		return ok
	case types.Timestamp, types.CgroupPath, types.None:
		return false
	}
	return tx.Size == ty.Size
}
