package types

import (
	"slices"
	"testing"
)

// TestLayout: elements lie at their natural alignment, in a size that is a
// multiple of the largest.
func TestLayout(t *testing.T) {
	inner := TupleType([]*Type{U8, U32})
	for _, test := range []struct {
		elems   []*Type
		offsets []int
		size    int
		text    string
	}{
		{nil, nil, 0, "()"},
		{[]*Type{U8}, []int{0}, 1, "(uint8)"},
		{[]*Type{U8, I64, U16}, []int{0, 8, 16}, 24, "(uint8, int64, uint16)"},
		{[]*Type{U8, inner, U8}, []int{0, 4, 12}, 16, "(uint8, (uint8, uint32), uint8)"},
		{[]*Type{BoolType, StringType(5), U32}, []int{0, 8, 16}, 24, "(bool, string[8], uint32)"},
		{[]*Type{U8, ArrayOf(U16, 3), BufferType(5)}, []int{0, 2, 8}, 24, "(uint8, uint16[3], buffer[5])"},
	} {
		tuple := TupleType(test.elems)
		var offsets []int
		for _, f := range tuple.Fields() {
			offsets = append(offsets, f.Offset)
		}
		if !slices.Equal(offsets, test.offsets) || tuple.Size != test.size || tuple.String() != test.text {
			t.Errorf("%s has %v and %d bytes, not %v and %d (%s)", tuple, offsets, tuple.Size, test.offsets, test.size, test.text)
		}
	}
	r := RecordType([]string{"a", "b"}, []*Type{U8, U32})
	if f, ok := r.Field("b"); !ok || f.Offset != 4 || r.String() != "(a = uint8, b = uint32)" {
		t.Error(r, f, ok)
	}
}

// TestBits: a bitfield is read from the smallest word of its own size or more
// that holds it whole.
func TestBits(t *testing.T) {
	for _, test := range []struct {
		t         *Type
		off, bits int
		offset    int
		bitOffset int
		size      int
	}{
		{U32, 0, 3, 0, 0, 4},
		{U32, 35, 5, 4, 3, 4},
		{U8, 6, 2, 0, 6, 1},
		{U8, 6, 4, 0, 6, 2},     // over the end of its byte
		{U16, 30, 10, 0, 30, 8}, // over the end of a word of 4
		{I32, 60, 8, 7, 4, 8},   // over the end of a word of 8: from its first byte
	} {
		f := Field{Type: test.t}.Bits(test.off, test.bits)
		if f.Offset != test.offset || f.BitOffset != test.bitOffset || f.Type.Size != test.size || f.BitSize != test.bits ||
			f.Type.Signed != test.t.Signed {
			t.Errorf("%d bits at bit %d of %s: %d bits at bit %d of the %s at %d", test.bits, test.off, test.t, f.BitSize, f.BitOffset, f.Type, f.Offset)
		}
	}
}

// TestAnonymous finds members through structs without a name.
func TestAnonymous(t *testing.T) {
	inner := NewStruct(Union, "", 8, []Field{{Name: "x", Type: U64}, {Name: "y", Type: U32}})
	s := NewStruct(Struct, "s", 24, []Field{{Name: "a", Type: U64}, {Type: inner, Offset: 8}, {Name: "x", Type: U8, Offset: 16}})
	if f, ok := s.Field("y"); !ok || f.Offset != 8 {
		t.Error(f, ok)
	}
	if f, ok := s.Field("x"); !ok || f.Offset != 8 {
		t.Error("the first x is not found", f, ok)
	}
	if got := s.FieldNames(); !slices.Equal(got, []string{"a", "x", "y", "x"}) {
		t.Error(got)
	}
}

// TestEqual also compares types that refer to themselves.
func TestEqual(t *testing.T) {
	list := func() *Type {
		var s *Type
		s = LazyStruct(Struct, "list_head", 16, func() ([]Field, []Enumerator) {
			return []Field{{Name: "next", Type: PointerTo(s, false)}, {Name: "prev", Type: PointerTo(s, false), Offset: 8}}, nil
		})
		return s
	}
	a, b := list(), list()
	if !Equal(a, b) || !Equal(a.Fields()[0].Type, b.Fields()[1].Type) {
		t.Error("equal lists differ")
	}
	different := []*Type{U32, I32, U64, BoolType, StringType(8), StringType(16), PointerTo(U8, false), PointerTo(U16, false), a,
		EnumType("list_head", 16, false, nil), TupleType([]*Type{U8, U8}), TupleType([]*Type{U8, U8, U8}), TupleType([]*Type{U16}),
		RecordType([]string{"a"}, []*Type{U16}), RecordType([]string{"b"}, []*Type{U16}), ArrayOf(U8, 4), ArrayOf(U16, 2), BufferType(4), nil}
	for i, x := range different {
		for j, y := range different {
			if Equal(x, y) != (i == j) {
				t.Errorf("Equal(%s, %s) is %v", x, y, Equal(x, y))
			}
		}
	}
}

func TestBitsType(t *testing.T) {
	flags := BitsType(EnumType("req_flag_bits", 4, false, []Enumerator{{"__REQ_SYNC", 3}, {"__REQ_META", 4}, {"__REQ_NR", 64}}))
	if got := flags.Enumerators(); !slices.Equal(got, []Enumerator{{"sync", 8}, {"meta", 16}}) {
		t.Error(got)
	}
	if BitsType(EnumType("none", 4, false, nil)).Enumerators() != nil {
		t.Error("names from nowhere")
	}
}

func TestHistBuckets(t *testing.T) {
	// One for negative numbers, one for 0, one for each power of two up to 2^62.
	if n := HistBuckets(0); n != 65 {
		t.Error(n)
	}
	for k := 1; k <= 5; k++ {
		if HistBuckets(k) <= HistBuckets(k-1) {
			t.Error("a finer histogram has fewer buckets", k)
		}
	}
}
