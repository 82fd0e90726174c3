package types

import "math"

// WeakInt is the type under which a constant that is not negative is stored:
// an int64 that becomes unsigned as soon as something unsigned is stored in
// the same place. It equals I64 but for its identity.
var WeakInt = &Type{Kind: Int, Size: 8, Signed: true}

// WeakInts are such types by their size; those of less than 8 bytes are only
// stated.
var WeakInts = map[int]*Type{
	1: {Kind: Int, Size: 1, Signed: true}, 2: {Kind: Int, Size: 2, Signed: true}, 4: {Kind: Int, Size: 4, Signed: true},
	8: WeakInt,
}

// IsWeak reports whether t is one of them.
func IsWeak(t *Type) bool { return t.Kind == Int && WeakInts[t.Size] == t }

// Unify gives the type of a place (a variable, a map's key or value, the
// result of a ternary) that holds values of both types:
//
//   - integers widen; where signs differ the result is int64;
//   - strings and buffers take the larger size;
//   - a name beside a string, or beside one of another kind, is a string;
//   - tuples go element by element, records by the names of their fields;
//   - a null or void pointer takes the other pointer's type, and one to integers
//     that of the larger ones; a number of 64 bits beside a void pointer is one;
//   - aggregations must be the same, parameters included.
//
// Everything else must be equal.
func Unify(a, b *Type) (*Type, bool) {
	switch {
	case a == nil || a.Kind == Invalid:
		return b, true
	case b == nil || b.Kind == Invalid:
		return a, true
	case a == b:
		return a, true
	case a.IsInteger() && b.IsInteger():
		return unifyInts(a, b), true
	case a.Kind == Pointer && IsWeak(b):
		return a, true
	case b.Kind == Pointer && IsWeak(a):
		return b, true
	case a.Kind == Pointer && IsVoid(a.Elem) && isU64(b):
		return a, true // arg0 and args.skbaddr are the same address
	case b.Kind == Pointer && IsVoid(b.Elem) && isU64(a):
		return b, true
	case a.Kind.IsAggregation() || b.Kind.IsAggregation():
		return unifyAggregations(a, b)
	case a.Kind != b.Kind:
		if a.Kind == KSym && b.Kind == Func && !b.User {
			return a, true
		}
		if b.Kind == KSym && a.Kind == Func && !a.User {
			return b, true
		}
		if x, y := AsText(a), AsText(b); x.Kind == String && y.Kind == String {
			return Unify(x, y)
		}
		return nil, false
	}
	switch a.Kind {
	case String:
		if b.Size > a.Size {
			return b, true
		}
		return a, true
	case Buffer:
		if b.Len > a.Len {
			return b, true
		}
		return a, true
	case Pointer:
		if IsVoid(a.Elem) {
			return b, true
		}
		switch {
		case IsVoid(b.Elem), a.String() == b.String():
			return a, true
		case a.Elem.Kind == Int && b.Elem.Kind == Int:
			if b.Elem.Size > a.Elem.Size || b.Elem.Size == a.Elem.Size && b.Elem.Signed {
				return b, true // the variable pointed to became this
			}
			return a, true
		}
		return nil, false
	case Tuple, Record:
		return unifyFields(a, b)
	case KStack, UStack:
		// Each kind has its own table of stacks.
		return a, a.Kind == b.Kind && a.Stack == b.Stack
	}
	return a, Equal(a, b)
}

// AsText is the type of the text that a value is, if it is the name of a number,
// and t for all others.
func AsText(t *Type) *Type {
	if t.Kind.IsText() {
		return TextOf(t.Kind)
	}
	return t
}

// isU64 reports whether values of the type are unsigned numbers as wide as addresses.
func isU64(t *Type) bool { return t.Kind == Int && t.Size == 8 && !t.Signed }

// IsVoid reports whether nothing is known of what a pointer to t points to.
func IsVoid(t *Type) bool { return t == nil || t.Kind == None || t.Kind == Invalid }

func unifyInts(a, b *Type) *Type {
	if Equal(a, b) && a.Kind == b.Kind && !IsWeak(a) && !IsWeak(b) {
		if a.Char != b.Char {
			return IntType(a.Size, a.Signed)
		}
		return a
	}
	switch {
	case IsWeak(a) && IsWeak(b):
		return WeakInts[max(a.Size, b.Size)]
	case IsWeak(a):
		return IntType(max(a.Size, b.Size), b.Signed && b.Kind != Bool)
	case IsWeak(b):
		return IntType(max(a.Size, b.Size), a.Signed && a.Kind != Bool)
	case a.Signed == b.Signed:
		return IntType(max(a.Size, b.Size), a.Signed)
	}
	return I64
}

func unifyFields(a, b *Type) (*Type, bool) {
	fa, fb := a.Fields(), b.Fields()
	if len(fa) != len(fb) {
		return nil, false
	}
	elems, names := make([]*Type, len(fa)), make([]string, len(fa))
	same := true
	for i := range fa {
		other, known := fb[i], true
		if a.Kind == Record {
			other, known = b.Field(fa[i].Name)
		}
		t, ok := Unify(fa[i].Type, other.Type)
		if !ok || !known {
			return nil, false
		}
		same = same && t == fa[i].Type
		elems[i], names[i] = t, fa[i].Name
	}
	switch {
	case same:
		return a, true
	case a.Kind == Record:
		return RecordType(names, elems), true
	}
	return TupleType(elems), true
}

func unifyAggregations(a, b *Type) (*Type, bool) {
	if a.Kind != b.Kind {
		return nil, false
	}
	x, y := a.Agg, b.Agg
	signed := x.Signed || y.Signed
	x.Signed, y.Signed = signed, signed
	if x.Divisor != y.Divisor {
		n, ok := commonDivisor(x.Divisor, y.Divisor)
		if !ok {
			return nil, false
		}
		x.Divisor, y.Divisor = n, n
	}
	if x.Elem != nil && y.Elem != nil {
		elem, ok := Unify(x.Elem, y.Elem)
		if !ok {
			return nil, false
		}
		x.Elem, y.Elem = elem, elem
	}
	switch {
	case x != y:
		return nil, false
	case x == a.Agg:
		return a, true
	case x == b.Agg:
		return b, true
	}
	return AggregationType(a.Kind, x), true
}

// Wide is the type under which a map keeps a value or key: integers take 8
// bytes, so that all of a map's numbers print and sort alike.
func Wide(t *Type) *Type {
	switch {
	case IsWeak(t):
		return WeakInt
	case t.Kind == Int:
		return IntType(8, t.Signed)
	case t.Kind != Tuple && t.Kind != Record:
		return t
	}
	return MapFields(t, Wide)
}

// MapFields applies f to the element types of a tuple or record.
func MapFields(t *Type, f func(*Type) *Type) *Type {
	fields := t.Fields()
	elems, names := make([]*Type, len(fields)), make([]string, len(fields))
	same := true
	for i, fd := range fields {
		elems[i], names[i] = f(fd.Type), fd.Name
		same = same && elems[i] == fd.Type
	}
	switch {
	case same:
		return t
	case t.Kind == Record:
		return RecordType(names, elems)
	}
	return TupleType(elems)
}

// ReadType is what reading a map's value gives: a number for the aggregations
// that are one.
func ReadType(value *Type) *Type {
	if r := value.Kind.Aggregation(); r != nil && r.Number != nil {
		return IntType(8, value.Agg.Signed)
	}
	return value
}

// Contains reports whether a value of type t has a part of which is holds.
func Contains(t *Type, is func(*Type) bool) bool {
	if is(t) {
		return true
	}
	if t.Kind == Tuple || t.Kind == Record {
		for _, f := range t.Fields() {
			if Contains(f.Type, is) {
				return true
			}
		}
	}
	return false
}

// Same is Equal, but tells weak integers from others, also within
// tuples.
func Same(a, b *Type) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || !Equal(a, b) || IsWeak(a) != IsWeak(b) || !a.Agg.Equal(b.Agg, Same) {
		return false
	}
	if a.Kind == Pointer && IsVoid(a.Elem) != IsVoid(b.Elem) {
		return false
	}
	if a.Kind == Tuple || a.Kind == Record {
		fa, fb := a.Fields(), b.Fields()
		for i := range fa {
			if !Same(fa[i].Type, fb[i].Type) {
				return false
			}
		}
	}
	return true
}

// ShrinkStrings is t with no text that takes more than limit bytes.
func ShrinkStrings(t *Type, limit int) *Type {
	switch t.Kind {
	case String:
		if t.Size > limit {
			return StringType(limit)
		}
	case Tuple, Record:
		return MapFields(t, func(t *Type) *Type { return ShrinkStrings(t, limit) })
	}
	return t
}

// CastsTo reports whether the parts of a tuple or record can be stored as
// those of another type.
func CastsTo(from, to *Type) bool {
	switch {
	case from.IsInteger() && to.IsInteger():
		return true
	case from.Kind != to.Kind:
		return false
	case from.Kind != Tuple && from.Kind != Record:
		t, ok := Unify(from, to)
		return ok && Equal(t, to)
	}
	a, b := from.Fields(), to.Fields()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !CastsTo(a[i].Type, b[i].Type) {
			return false
		}
	}
	return true
}

// commonDivisor is a divisor that two divisors of a map's values divide: each
// clause multiplies what it adds by what is missing.
func commonDivisor(a, b int64) (n int64, ok bool) {
	a, b = max(a, 1), max(b, 1)
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if a/x > math.MaxInt64/b {
		return 0, false
	}
	return a / x * b, true
}
