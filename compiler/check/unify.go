package check

import (
	"fst/compiler/types"
)

// weakInt is the type under which a constant that is not negative is stored:
// an int64 that becomes unsigned as soon as something unsigned is stored in
// the same place. It equals types.I64 but for its identity.
var weakInt = &types.Type{Kind: types.Int, Size: 8, Signed: true}

// weakInts are such types by their size; those of less than 8 bytes are only
// stated.
var weakInts = map[int]*types.Type{
	1: {Kind: types.Int, Size: 1, Signed: true}, 2: {Kind: types.Int, Size: 2, Signed: true}, 4: {Kind: types.Int, Size: 4, Signed: true},
	8: weakInt,
}

func isWeak(t *types.Type) bool { return t.Kind == types.Int && weakInts[t.Size] == t }

// unify gives the type of a place (a variable, a map's key or value, the
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
func unify(a, b *types.Type) (*types.Type, bool) {
	switch {
	case a == nil || a.Kind == types.Invalid:
		return b, true
	case b == nil || b.Kind == types.Invalid:
		return a, true
	case a == b:
		return a, true
	case a.IsInteger() && b.IsInteger():
		return unifyInts(a, b), true
	case a.Kind == types.Pointer && isWeak(b):
		return a, true
	case b.Kind == types.Pointer && isWeak(a):
		return b, true
	case a.Kind == types.Pointer && isVoid(a.Elem) && isU64(b):
		return a, true // arg0 and args.skbaddr are the same address
	case b.Kind == types.Pointer && isVoid(b.Elem) && isU64(a):
		return b, true
	case a.Kind.IsAggregation() || b.Kind.IsAggregation():
		return unifyAggregations(a, b)
	case a.Kind != b.Kind:
		if a.Kind == types.KSym && b.Kind == types.Func && !b.User {
			return a, true
		}
		if b.Kind == types.KSym && a.Kind == types.Func && !a.User {
			return b, true
		}
		if x, y := asText(a), asText(b); x.Kind == types.String && y.Kind == types.String {
			return unify(x, y)
		}
		return nil, false
	}
	switch a.Kind {
	case types.String:
		if b.Size > a.Size {
			return b, true
		}
		return a, true
	case types.Buffer:
		if b.Len > a.Len {
			return b, true
		}
		return a, true
	case types.Pointer:
		if isVoid(a.Elem) {
			return b, true
		}
		switch {
		case isVoid(b.Elem), a.String() == b.String():
			return a, true
		case a.Elem.Kind == types.Int && b.Elem.Kind == types.Int:
			if b.Elem.Size > a.Elem.Size || b.Elem.Size == a.Elem.Size && b.Elem.Signed {
				return b, true // the variable pointed to became this
			}
			return a, true
		}
		return nil, false
	case types.Tuple, types.Record:
		return unifyFields(a, b)
	case types.KStack, types.UStack:
		// Each kind has its own table of stacks.
		return a, a.Kind == b.Kind && a.Stack == b.Stack
	}
	return a, types.Equal(a, b)
}

// asText is the type of the text that a value is, if it is the name of a number,
// and t for all others.
func asText(t *types.Type) *types.Type {
	if t.Kind.IsText() {
		return types.TextOf(t.Kind)
	}
	return t
}

// isU64 reports whether values of the type are unsigned numbers as wide as addresses.
func isU64(t *types.Type) bool { return t.Kind == types.Int && t.Size == 8 && !t.Signed }

func isVoid(t *types.Type) bool { return t == nil || t.Kind == types.None || t.Kind == types.Invalid }

func unifyInts(a, b *types.Type) *types.Type {
	if types.Equal(a, b) && a.Kind == b.Kind && !isWeak(a) && !isWeak(b) {
		if a.Char != b.Char {
			return types.IntType(a.Size, a.Signed)
		}
		return a
	}
	switch {
	case isWeak(a) && isWeak(b):
		return weakInts[max(a.Size, b.Size)]
	case isWeak(a):
		return types.IntType(max(a.Size, b.Size), b.Signed && b.Kind != types.Bool)
	case isWeak(b):
		return types.IntType(max(a.Size, b.Size), a.Signed && a.Kind != types.Bool)
	case a.Signed == b.Signed:
		return types.IntType(max(a.Size, b.Size), a.Signed)
	}
	return types.I64
}

func unifyFields(a, b *types.Type) (*types.Type, bool) {
	fa, fb := a.Fields(), b.Fields()
	if len(fa) != len(fb) {
		return nil, false
	}
	elems, names := make([]*types.Type, len(fa)), make([]string, len(fa))
	same := true
	for i := range fa {
		other, known := fb[i], true
		if a.Kind == types.Record {
			other, known = b.Field(fa[i].Name)
		}
		t, ok := unify(fa[i].Type, other.Type)
		if !ok || !known {
			return nil, false
		}
		same = same && t == fa[i].Type
		elems[i], names[i] = t, fa[i].Name
	}
	switch {
	case same:
		return a, true
	case a.Kind == types.Record:
		return types.RecordType(names, elems), true
	}
	return types.TupleType(elems), true
}

func unifyAggregations(a, b *types.Type) (*types.Type, bool) {
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
		elem, ok := unify(x.Elem, y.Elem)
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
	return types.AggregationType(a.Kind, x), true
}

// wide is the type under which a map keeps a value or key: integers take 8
// bytes, so that all of a map's numbers print and sort alike.
func wide(t *types.Type) *types.Type {
	switch {
	case isWeak(t):
		return weakInt
	case t.Kind == types.Int:
		return types.IntType(8, t.Signed)
	case t.Kind != types.Tuple && t.Kind != types.Record:
		return t
	}
	return mapFields(t, wide)
}

// mapFields applies f to the element types of a tuple or record.
func mapFields(t *types.Type, f func(*types.Type) *types.Type) *types.Type {
	fields := t.Fields()
	elems, names := make([]*types.Type, len(fields)), make([]string, len(fields))
	same := true
	for i, fd := range fields {
		elems[i], names[i] = f(fd.Type), fd.Name
		same = same && elems[i] == fd.Type
	}
	switch {
	case same:
		return t
	case t.Kind == types.Record:
		return types.RecordType(names, elems)
	}
	return types.TupleType(elems)
}

// readType is what reading a map's value gives: a number for the aggregations
// that are one.
func readType(value *types.Type) *types.Type {
	if r := value.Kind.Aggregation(); r != nil && r.Number != nil {
		return types.IntType(8, value.Agg.Signed)
	}
	return value
}

// contains reports whether a value of type t has a part of which is holds.
func contains(t *types.Type, is func(*types.Type) bool) bool {
	if is(t) {
		return true
	}
	if t.Kind == types.Tuple || t.Kind == types.Record {
		for _, f := range t.Fields() {
			if contains(f.Type, is) {
				return true
			}
		}
	}
	return false
}
