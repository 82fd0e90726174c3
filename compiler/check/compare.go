package check

import (
	"fmt"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
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
	tx, ty = u.casts.asContainer(x.X, tx, ty), u.casts.asContainer(x.Y, ty, tx)
	if tx.IsInteger() || ty.IsInteger() {
		tx, ty = u.casts.asNumber(x.X, tx), u.casts.asNumber(x.Y, ty)
	}
	if tx.Kind != ty.Kind && (types.AsText(tx).Kind == types.AsText(ty).Kind || tx.Kind == types.String && isBytes(ty) || isBytes(tx) && ty.Kind == types.String) {
		tx, ty = u.casts.asText(x.X, tx), u.casts.asText(x.Y, ty)
	}
	a, aText := u.Strings[x.X]
	b, bText := u.Strings[x.Y]
	if aText && bText {
		u.Consts[x] = b2i(holds(x.Op, a, b))
		return
	}
	if (x.Op == "==" || x.Op == "!=") && (isWord(x.X, tx) && isZero(x.Y) || isWord(x.Y, ty) && isZero(x.X)) {
		u.Consts[x] = b2i(x.Op == "!=")
		return
	}
	numX, numY := tx.IsInteger() || tx.Kind == types.Pointer, ty.IsInteger() || ty.Kind == types.Pointer
	if numX && numY {
		n, ok1 := u.Consts[x.X]
		m, ok2 := u.Consts[x.Y]
		if ok1 && ok2 {
			u.Consts[x] = b2i(foldCompare(x.Op, n, m, u.SignedCompare(x)))
		} else if !u.negatedFirst(x, ty) && !u.positiveError(x) {
			u.settledCompare(x, tx, ty)
		}
		return
	}
	if x.Op != "==" && x.Op != "!=" {
		bad := tx
		if numX {
			bad = ty
		}
		d := u.errorf(x.Span, "%s compares integers and pointers, not %s", x.Op, types.Describe(bad))
		if bad.Kind == types.String {
			d.Hintf("strings are compared with == and !=")
		}
		u.origin(d, x.X, x.Y)
		return
	}
	u.longText(x, tx, ty)
	u.pattern(x)
	if !comparable(tx, ty) {
		d := u.errorf(x.Span, "%s and %s can't be compared", types.Describe(tx), types.Describe(ty))
		if h := compareHint(tx, ty); h != "" {
			d.Hintf("%s", h)
		}
		for i, side := range []ast.Expr{x.X, x.Y} {
			if lit, ok := side.(*ast.StringLit); ok && (tx.IsInteger() || ty.IsInteger()) {
				if _, err := strconv.ParseInt(lit.Value, 0, 64); err == nil {
					d.Hintf("a number has no quotes: %s", lit.Value)
				} else if _, _, ok := u.constant(lit.Value); ok {
					d.Hintf("a constant has no quotes: %s", lit.Value)
				} else if id, ok := []ast.Expr{x.Y, x.X}[i].(*ast.Ident); ok {
					if v, ok := builtin.VarByName(id.Name); ok && v.NotText != "" {
						d.Hintf("%s is a number: %s", id.Name, v.NotText)
					}
				}
			}
			if lit, ok := side.(*ast.IntLit); ok && (tx.Kind == types.String || ty.Kind == types.String) {
				d.Hintf(`a string is written in quotes: "%s"`, format.Expr(lit))
			}
			if id, ok := side.(*ast.Ident); ok && strings.HasPrefix(id.Name, "arg") && (tx.Kind == types.String || ty.Kind == types.String) {
				d.Hintf("str(%s) reads the string at that address", id.Name)
			}
		}
		u.origin(d, x.X, x.Y)
	}
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

// opHint is what to do about an operand that is no number.
func opHint(op string, t *types.Type) string {
	if t.Kind == types.String && op == "+" {
		return "str_concat(a, b) joins strings"
	}
	if t.Kind == types.String && op == "%" {
		return `printf("... %s ...", x) puts values into a text`
	}
	return asNumber(t)
}

func compareHint(a, b *types.Type) string {
	for _, t := range []*types.Type{a, b} {
		if t.Kind == types.Struct || t.Kind == types.Union {
			return "compare one of its members: x.NAME"
		}
	}
	if b.Kind == types.String {
		a, b = b, a
	}
	if a.Kind == types.String {
		switch {
		case b.Kind == types.Pointer:
			return "read the string: str(p) == \"...\""
		case b.IsInteger():
			return "put quotes round a string, and none round a number"
		case b.Kind.IsContainer():
			return "the name must be a constant: a text in quotes, or str($1)"
		case b.Kind == types.Username:
			return "compare uid with a number"
		case b.Kind == types.ProbeName:
			return "write a clause for each probe"
		case b.Kind == types.KSym, b.Kind == types.Func:
			return "names are looked up after the event; compare the address with kaddr(\"name\")"
		}
	}
	if a.Kind == types.Tuple && b.Kind == types.Tuple {
		return tupleHint(a, b)
	}
	return ""
}

// tupleHint says how two tuples differ.
func tupleHint(a, b *types.Type) string {
	fa, fb := a.Fields(), b.Fields()
	if len(fa) != len(fb) {
		return fmt.Sprintf("one has %s, the other %d", diag.Plural(len(fa), "part"), len(fb))
	}
	for i := range fa {
		if _, ok := types.Unify(fa[i].Type, fb[i].Type); !ok {
			return fmt.Sprintf("part .%d is %s here and %s there", i, types.Describe(fa[i].Type), types.Describe(fb[i].Type))
		}
	}
	return ""
}
