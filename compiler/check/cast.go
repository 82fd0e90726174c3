package check

import (
	"fmt"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// casts are conversions, written out or implied.
type casts struct{ *unitChecker }

// cast is (type)x.
func (u casts) cast(x *ast.Cast) *types.Type {
	from := u.value(x.X)
	if raw := u.raw[x.X]; raw != nil && from.Kind != types.Invalid {
		from = raw
	}
	to := u.resolveType(x.Type, u.unitChecker)
	if to.Kind == types.Invalid || from.Kind == types.Invalid {
		return invalid
	}
	switch {
	case to.IsInteger():
		return u.castInt(x, u.asNumber(x.X, from), to)
	case to.Kind == types.Pointer:
		return u.castPointer(x, from, to)
	case to.Kind == types.Array:
		return u.castArray(x, from, to)
	case to.Kind == types.String:
		if from.Kind == types.String || from.IsCharArray() || from.Kind.IsText() {
			if stringLen(x.Type, to) < 1 {
				return wrong(u.errorf(x.Span, "a string needs room for its end: string[0] has none").Hintf("string[N] holds N-1 characters"))
			}
			if s, ok := u.Strings[x.X]; ok {
				if len(s) >= to.Size || len(s) >= stringLen(x.Type, to) {
					return wrong(u.errorf(x.Span, "this string has %d characters and does not fit %s", len(s), castName(x.Type, to)).Hintf("strings can only grow"))
				}
				u.Strings[x] = s
			}
			return to
		}
	case to.Kind == types.Buffer:
		if from.Kind == types.Buffer {
			if from.Len > to.Len {
				return wrong(u.errorf(x.Span, "%s does not fit %s", from, to).Hintf("buffers can only grow"))
			}
			return to
		}
	case to.Kind == types.Inet:
		if from.Kind == types.Inet {
			return to
		}
	case to.Kind == types.Tuple || to.Kind == types.Record:
		if types.CastsTo(from, to) {
			return to
		}
	case to.Kind == types.Struct || to.Kind == types.Union:
		if types.Equal(from, to) {
			return to
		}
		return wrong(u.errorf(x.Span, "%s can't be cast to %s", types.Describe(from), to).Hintf("cast a pointer: *(%s *)x", to))
	}
	d := u.errorf(x.Span, "%s can't be cast to %s", types.Describe(from), to)
	if to.Kind == types.String && from.IsScalar() {
		d.Hintf("str() reads the text at an address")
	}
	return invalid
}

// standFor makes an expression stand for another one in this unit. The tree stays
// as it is: in the clause's other units it may mean something else. It returns the
// type of the other one.
func (u casts) standFor(x, other ast.Expr) *types.Type {
	t := u.value(other)
	u.Meaning[x], u.Types[x] = other, t
	delete(u.Consts, x)
	delete(u.Strings, x)
	delete(u.raw, x)
	delete(u.userMem, x)
	u.copyConst(x, other)
	return t
}

// itself is an expression as a part of the one that it stands for.
func itself(x ast.Expr) ast.Expr {
	return ast.Copy(x, func(n ast.Node) ast.Node { return n }).(ast.Expr)
}

// castToRead makes *(uint32)p of older scripts, in which an address was a number
// of any size, *(uint32 *)p. It returns the type of the address, or nil for all
// other casts.
func (u casts) castToRead(x *ast.Cast) *types.Type {
	if x.Type.Tag == "typeof" || len(x.Type.Post) > 0 {
		return nil
	}
	if t, ok := u.typeRefs.typeExists(x.Type); !ok || t.Kind != types.Int || t.Size >= 8 {
		return nil
	}
	to := *x.Type
	to.Post = []ast.TypePost{{Pointer: true}}
	return u.standFor(x, &ast.Cast{At: x.At, Type: &to, X: x.X})
}

// asNumber makes x.counter of an expression whose value is a struct of nothing
// but a number, such as atomic_t and kuid_t, where a number is needed: members
// turn from the one into the other from kernel to kernel. It returns the type of
// the expression then, and t for all others.
func (u casts) asNumber(x ast.Expr, t *types.Type) *types.Type {
	if t.Kind != types.Struct || !onlyNumber(t) {
		return t
	}
	number := itself(x)
	for t.Kind == types.Struct {
		f := t.Fields()[0]
		number = &ast.Field{At: ast.At{Span: x.Pos()}, X: number, Name: f.Name, NameSpan: x.Pos()}
		t = f.Type
	}
	return u.standFor(x, number)
}

// asText makes a text of an expression whose value is the name of a number or an array
// of bytes, where a text is needed. It returns the type of the expression then, and t
// for all others.
func (u casts) asText(x ast.Expr, t *types.Type) *types.Type {
	at := ast.At{Span: x.Pos()}
	switch {
	case t.Kind.IsText():
		size := types.TextOf(t.Kind).Size
		return u.standFor(x, &ast.Cast{At: at, Type: &ast.TypeExpr{At: at, Name: "string", Post: []ast.TypePost{{Len: size}}}, X: itself(x)})
	case isBytes(t):
		return u.standFor(x, &ast.Call{At: at, Name: builtin.FuncStr.Name, NameSpan: at.Span, Args: []ast.Expr{itself(x)}})
	}
	return t
}

// isBytes reports whether t is an array of bytes, which may be a text that was not
// declared char: d_iname of struct dentry.
func isBytes(t *types.Type) bool {
	return t.Kind == types.Array && t.Elem.Kind == types.Int && t.Elem.Size == 1 && !t.Elem.Char
}

// onlyNumber reports whether a struct consists of one number, however deep.
func onlyNumber(t *types.Type) bool {
	for t.Kind == types.Struct && len(t.Fields()) == 1 {
		t = t.Fields()[0].Type
	}
	return t.IsInteger()
}

// stringLen is N of string[N] as it was written.
func stringLen(x *ast.TypeExpr, t *types.Type) int {
	if len(x.Post) > 0 && !x.Post[0].Pointer && x.Post[0].Len >= 0 {
		return x.Post[0].Len
	}
	return t.Size
}

func castName(x *ast.TypeExpr, t *types.Type) string {
	if x.Name == "string" && len(x.Post) > 0 {
		return (&types.Type{Kind: types.String, Size: stringLen(x, t)}).String()
	}
	return t.String()
}

func (u casts) castInt(x *ast.Cast, from, to *types.Type) *types.Type {
	switch {
	case from.IsScalar():
		n, ok := u.Consts[x.X]
		if !ok {
			return to
		}
		if to.Kind == types.Enum && !hasEnumerator(to, n) && len(to.Enumerators()) > 0 {
			return wrong(u.errorf(x.Span, "%s has no value %d", to, n).Hintf("%s", enumerators(to)))
		}
		u.Consts[x] = fold.Fit(n, to)
		return to
	case from.Kind == types.Array || from.Kind == types.Buffer || from.Kind == types.Inet:
		size := from.Size
		if from.Kind == types.Buffer {
			size = from.Len
		}
		if size > 8 {
			return wrong(u.errorf(x.Span, "%s has more than 8 bytes, so it can't be cast to %s", types.Describe(from), to).Hintf("take an element: x[0]"))
		}
		if bytes, ok := u.Strings[x.X]; ok && from.Kind == types.Array {
			n := int64(0)
			for i := len(bytes) - 1; i >= 0; i-- {
				n = n<<8 | int64(bytes[i])
			}
			u.Consts[x] = fold.Fit(n, to)
		}
		return to
	}
	d := u.errorf(x.Span, "%s can't be cast to %s", types.Describe(from), to)
	if d.Hint = asNumber(from); from.Kind == types.String {
		d.Hintf("strings are not converted to numbers")
	}
	return invalid
}

// enumerators says which values an enum has.
func enumerators(t *types.Type) string {
	const most = 6
	var list []string
	for i, e := range t.Enumerators() {
		if i == most {
			list = append(list, "...")
			break
		}
		list = append(list, fmt.Sprintf("%s (%d)", e.Name, e.Value))
	}
	return "its values are " + strings.Join(list, ", ")
}

func hasEnumerator(t *types.Type, n int64) bool {
	return slices.ContainsFunc(t.Enumerators(), func(e types.Enumerator) bool { return e.Value == n })
}

// castPointer makes a pointer of a number or another pointer. Numbers in
// probes of user programs are addresses of the process.
func (u casts) castPointer(x *ast.Cast, from, to *types.Type) *types.Type {
	user := false
	switch {
	case from.Kind == types.Pointer:
		user = from.User
	case from.IsInteger():
		user = u.IsUser() && !isKernelPointer(x.X)
	case from.Kind == types.Array:
		if from.Size <= 8 && !u.inMemory(x.X) {
			break
		}
		// An array decays to the address of its first element, as in C.
		user = u.userMem[x.X]
		if from.Len != 0 && !u.inMemory(x.X) {
			return wrong(u.errorf(x.Span, "%s can't be cast to %s", types.Describe(from), to))
		}
	case from.IsScalar():
	default:
		d := u.errorf(x.Span, "%s can't be cast to %s", types.Describe(from), to)
		if from.Kind == types.Struct || from.Kind == types.Union {
			d.Hintf("take its address: (%s)&x", to)
		} else {
			d.Hintf("only numbers and pointers are addresses")
		}
		return invalid
	}
	u.copyConst(x, x.X)
	delete(u.Strings, x)
	return types.PointerTo(to.Elem, user)
}

func isKernelPointer(x ast.Expr) bool {
	return Names(x, builtin.VarCurtask) || calls(x, builtin.FuncKaddr)
}

// inMemory reports whether an expression is a place in memory.
func (u casts) inMemory(x ast.Expr) bool {
	_, ok := u.userMem[x]
	return ok
}

// castArray reads a number or a small value as an array.
func (u casts) castArray(x *ast.Cast, from, to *types.Type) *types.Type {
	size := from.Size
	switch {
	case from.Kind == types.Buffer:
		size = from.Len
	case from.Kind == types.String && to.Elem.Kind == types.Int && to.Elem.Size == 1:
		if s, ok := u.Strings[x.X]; ok {
			size = len(s) + 1 // its characters and the NUL
		}
	case from.IsInteger(), from.Kind == types.Array:
		size = statedSize(u.stated(x.X, from))
	default:
		return wrong(u.errorf(x.Span, "%s can't be cast to %s", types.Describe(from), to).Hintf("only numbers, arrays and buf() are read as arrays"))
	}
	if to.Elem.Size == 0 {
		return wrong(u.errorf(x.Span, "an array of %s has no size", strings.Replace(to.Elem.String(), "none", "void", 1)).Hintf("bytes are uint8: (uint8[%d])x", size))
	}
	if to.Len < 0 {
		if size%to.Elem.Size != 0 {
			return wrong(u.errorf(x.Span, "the %d bytes of %s are not a whole number of %s", size, types.Describe(from), to.Elem).
				Hintf("take %d bytes, or convert it to bytes: (uint8[])x", max(1, size/to.Elem.Size)*to.Elem.Size))
		}
		return types.ArrayOf(to.Elem, size/to.Elem.Size)
	}
	if to.Size != from.Size && to.Size != size && !(from.IsInteger() && to.Size <= 8 && to.Size > 0) {
		d := u.errorf(x.Span, "%s has %d bytes, but %s has %d", types.Describe(from), size, to, to.Size)
		if n := size / max(to.Elem.Size, 1); n > 0 && n*to.Elem.Size == size {
			d.Hintf("it holds %s: (%s[])x", diag.Plural(n, "element"), to.Elem)
		} else {
			d.Hintf("as bytes it is (uint8[%d])x", size)
		}
		return invalid
	}
	return to
}

// asContainer has a constant text that is compared with the name of a container stand for the number of that name.
func (u casts) asContainer(x ast.Expr, t, other *types.Type) *types.Type {
	name, constant := u.Strings[x]
	if !other.Kind.IsContainer() || !constant {
		return t
	}
	n := types.NameNumber(name)
	u.standFor(x, &ast.IntLit{At: ast.At{Span: x.Pos()}, Value: n})
	u.Types[x] = other
	return other
}
