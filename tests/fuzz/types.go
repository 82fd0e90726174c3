package main

import (
	"fmt"
	"slices"
	"strings"
)

// kind is a class of values of the generator.
type kind int

const (
	kInt kind = iota
	kBool
	kString
	kTuple
	kRecord
	kArray
	kEnum
	kInet // ntop()
	kBuf  // buf()
	kStruct
)

// typ is a type of the generator: it knows of a value what the text that makes
// one must know.
type typ struct {
	kind   kind
	size   int // of kInt: bytes
	signed bool
	elems  []*typ
	names  []string // of kRecord and kStruct
	bits   string   // of kStruct: the names of members that are fields of bits
	n      int      // of kArray: elements, of type elems[0]; of kBuf: bytes
}

var (
	tBool   = &typ{kind: kBool}
	tString = &typ{kind: kString}
	tEnum   = &typ{kind: kEnum}
	tInet   = &typ{kind: kInet}
	tInt64  = &typ{kind: kInt, size: 8, signed: true}
	tUint64 = &typ{kind: kInt, size: 8}
)

// String is the type as a cast or let spells it; tuples and records have no
// spelling.
func (t *typ) String() string {
	switch t.kind {
	case kInt:
		if t.signed {
			return fmt.Sprintf("int%d", 8*t.size)
		}
		return fmt.Sprintf("uint%d", 8*t.size)
	case kBool:
		return "bool"
	case kString:
		return "string"
	case kArray:
		return fmt.Sprintf("%s[%d]", t.elems[0], t.n)
	case kEnum:
		return "enum " + enumName
	}
	return "?"
}

// same reports whether values of two types fit the same place.
func same(a, b *typ) bool {
	if a.kind != b.kind || a.size != b.size || a.signed != b.signed || a.n != b.n || len(a.elems) != len(b.elems) ||
		strings.Join(a.names, ",") != strings.Join(b.names, ",") {
		return false
	}
	for i := range a.elems {
		if !same(a.elems[i], b.elems[i]) {
			return false
		}
	}
	return true
}

// hasArray reports whether there are arrays in values of a type.
func hasArray(t *typ) bool { return t.kind == kArray || slices.ContainsFunc(t.elems, hasArray) }

// intType is a random integer type.
func (g *generator) intType() *typ {
	if g.Intn(3) == 0 {
		return tInt64
	}
	return &typ{kind: kInt, size: []int{1, 2, 4, 8}[g.Intn(4)], signed: g.Intn(2) == 0}
}

// scalarType is a random type of one word.
func (g *generator) scalarType() *typ {
	switch n := g.Intn(8); {
	case n == 0:
		return tBool
	case n == 1 && !g.common: // bpftrace forgets enums in tuples that widen
		return tEnum
	}
	return g.intType()
}

// variableType is a random type of what stands alone.
func (g *generator) variableType() *typ {
	if g.Intn(14) == 0 {
		return tEnum
	}
	return g.typeOf(2)
}

// keyType is a random type of a key.
func (g *generator) keyType() *typ { return g.typeOf(1 + b2i(g.Intn(4) == 0)) }

// typeOf is a random type, nested at most depth times.
func (g *generator) typeOf(depth int) *typ {
	switch n := g.Intn(12); {
	case n < 5:
		return g.intType()
	case n < 8:
		return tString
	case n == 8 && depth > 0:
		t := &typ{kind: kTuple}
		for range 1 + g.Intn(3) {
			t.elems = append(t.elems, g.typeOf(depth-1))
		}
		return t
	case n == 9 && depth > 0:
		t := &typ{kind: kRecord}
		for i := range 1 + g.Intn(3) {
			e := g.typeOf(depth - 1)
			if g.common && e.kind != kInt { // bpftrace cannot widen records
				e = tInt64
			}
			t.elems = append(t.elems, e)
			t.names = append(t.names, string(rune('a'+i)))
		}
		return t
	case n == 11 && g.Intn(3) == 0:
		if g.Intn(2) == 0 {
			return tInet
		}
		return &typ{kind: kBuf, n: 1 + g.Intn(8)}
	case n == 10:
		size := []int{1, 2, 4}[g.Intn(3)]
		whole := []int{8, 8, 4, 2}[g.Intn(4-b2i(g.common))] // bpftrace's printf shows others for two bytes
		return &typ{kind: kArray, elems: []*typ{{kind: kInt, size: min(size, whole/2), signed: g.Intn(2) == 0}}, n: whole / min(size, whole/2)}
	}
	return g.scalarType()
}
