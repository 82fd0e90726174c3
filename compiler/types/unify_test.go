package types_test

import (
	"testing"

	"fst/compiler/builtin"
	"fst/compiler/types"
)

// TestUnify gives a place two values, in either order.
func TestUnify(t *testing.T) {
	i8, u8, u32, i64, u64 := types.IntType(1, true), types.U8, types.U32, types.I64, types.U64
	short, long := types.StringType(8), types.StringType(32)
	file := types.NewStruct(types.Struct, "file", 8, nil)
	toFile, toVoid := types.PointerTo(file, false), types.PointerTo(types.NoneType, false)
	tuple := func(list ...*types.Type) *types.Type { return types.TupleType(list) }
	record := func(names []string, list ...*types.Type) *types.Type { return types.RecordType(names, list) }
	agg := func(k types.Kind, a types.Agg) *types.Type { return types.AggregationType(k, a) }
	for _, c := range []struct{ a, b, want *types.Type }{
		{&types.Type{Kind: types.Invalid}, u32, u32},
		{u32, u32, u32},
		{i8, i64, i64},
		{u8, u64, u64},
		{u32, i8, i64}, // signs differ
		{i64, u64, i64},
		{types.WeakInt, u32, u64}, // a constant takes the sign of the other
		{types.WeakInt, i8, i64},
		{types.WeakInt, types.WeakInt, types.WeakInt},
		{types.WeakInts[1], types.WeakInts[4], types.WeakInts[4]},
		{types.BoolType, types.WeakInt, u64},
		{short, long, long},
		{types.BufferType(4), types.BufferType(16), types.BufferType(16)},
		{builtin.ErrnoType, short, types.TextOf(types.Errno)}, // a name beside a text
		{builtin.ErrnoType, builtin.SignalType, types.TextOf(types.Errno)},
		{builtin.KSymType, builtin.KFuncType, builtin.KSymType},
		{toFile, types.WeakInt, toFile}, // a null pointer
		{toFile, toVoid, toFile},
		{toVoid, u64, toVoid},
		{types.PointerTo(u8, false), types.PointerTo(u64, false), types.PointerTo(u64, false)},
		{tuple(types.WeakInt, short), tuple(u64, long), tuple(u64, long)},
		{record([]string{"a", "b"}, u64, short), record([]string{"a", "b"}, u64, long), record([]string{"a", "b"}, u64, long)},
		{agg(types.Sum, types.Agg{}), agg(types.Sum, types.Agg{Signed: true}), agg(types.Sum, types.Agg{Signed: true})},

		{u64, short, nil},
		{toFile, u64, nil},
		{toFile, types.PointerTo(types.NewStruct(types.Struct, "page", 8, nil), false), nil},
		{tuple(u64), tuple(u64, u64), nil},
		{tuple(u64, short), tuple(u64, u64), nil},
		{record([]string{"a"}, u64), record([]string{"b"}, u64), nil},
		{agg(types.Sum, types.Agg{}), agg(types.Max, types.Agg{}), nil},
		{agg(types.Count, types.Agg{}), u64, nil},
		{agg(types.LHist, types.Agg{Max: 10, Step: 1}), agg(types.LHist, types.Agg{Max: 20, Step: 1}), nil},
		{builtin.StackType(false, "perf", 5), builtin.StackType(true, "perf", 5), nil},
		{builtin.StackType(true, "perf", 5), builtin.StackType(true, "perf", 6), nil},
	} {
		for _, p := range [][2]*types.Type{{c.a, c.b}, {c.b, c.a}} {
			got, ok := types.Unify(p[0], p[1])
			switch {
			case ok != (c.want != nil):
				t.Errorf("%s and %s: %t", p[0], p[1], ok)
			case ok && (!types.Equal(got, c.want) || types.IsWeak(got) != types.IsWeak(c.want)):
				t.Errorf("%s and %s are %s, want %s", p[0], p[1], got, c.want)
			}
		}
	}
}

// TestUnifyAggregations: two clauses that aggregate to one map agree on its layout, or are refused.
func TestUnifyAggregations(t *testing.T) {
	agg := func(k types.Kind, a types.Agg) *types.Type { return types.AggregationType(k, a) }
	for _, c := range []struct {
		kind       types.Kind
		a, b, want types.Agg
		ok         bool
	}{
		{types.Sum, types.Agg{Signed: true}, types.Agg{}, types.Agg{Signed: true}, true},
		{types.Avg, types.Agg{}, types.Agg{}, types.Agg{}, true},
		{types.Hist, types.Agg{K: 2}, types.Agg{K: 2}, types.Agg{K: 2}, true},
		{types.Hist, types.Agg{K: 2}, types.Agg{K: 3}, types.Agg{}, false},
		{types.LHist, types.Agg{Min: 0, Max: 10, Step: 2}, types.Agg{Min: 0, Max: 10, Step: 1}, types.Agg{}, false},
		// What divides by different numbers adds in the smallest that both divide.
		{types.Sum, types.Agg{Divisor: 1000}, types.Agg{}, types.Agg{Divisor: 1000}, true},
		{types.Sum, types.Agg{Divisor: 4}, types.Agg{Divisor: 6}, types.Agg{Divisor: 12}, true},
		{types.Sum, types.Agg{Divisor: 1 << 62}, types.Agg{Divisor: 3}, types.Agg{}, false}, // 3 << 62 is no int64
		{types.Avg, types.Agg{Divisor: 1000, Signed: true}, types.Agg{Divisor: 1000000}, types.Agg{Divisor: 1000000, Signed: true}, true},
		// The parts of keys that top() keeps.
		{types.Top, types.Agg{Elem: types.StringType(8)}, types.Agg{Elem: types.StringType(32)}, types.Agg{Elem: types.StringType(32)}, true},
		{types.Top, types.Agg{Elem: types.StringType(8)}, types.Agg{Elem: types.U64}, types.Agg{}, false},
	} {
		for _, p := range [][2]*types.Type{{agg(c.kind, c.a), agg(c.kind, c.b)}, {agg(c.kind, c.b), agg(c.kind, c.a)}} {
			got, ok := types.Unify(p[0], p[1])
			if ok != c.ok || ok && !types.Equal(got, agg(c.kind, c.want)) {
				t.Errorf("%s of %+v and %+v: %s with %+v, %t; want %+v, %t", p[0], p[0].Agg, p[1].Agg, got, agg(c.kind, c.want).Agg, ok, c.want, c.ok)
			}
		}
	}
}

// TestOfMaps: what a map keeps of a value, and what reading it gives.
func TestOfMaps(t *testing.T) {
	i8, u32, text := types.IntType(1, true), types.U32, types.StringType(16)
	pair := func(list ...*types.Type) *types.Type { return types.TupleType(list) }
	for _, c := range []struct{ from, wide *types.Type }{
		{i8, types.I64}, {u32, types.U64}, {types.U64, types.U64}, {text, text}, {types.BoolType, types.BoolType},
		{pair(i8, pair(u32, text)), pair(types.I64, pair(types.U64, text))},
		{types.RecordType([]string{"n", "s"}, []*types.Type{u32, text}), types.RecordType([]string{"n", "s"}, []*types.Type{types.U64, text})},
	} {
		if got := types.Wide(c.from); !types.Equal(got, c.wide) {
			t.Errorf("%s is kept as %s, want %s", c.from, got, c.wide)
		}
	}
	if got := types.Wide(types.WeakInts[1]); !types.IsWeak(got) || got.Size != 8 {
		t.Errorf("a constant is kept as %s, which no other value makes unsigned", got)
	}
	if all := pair(types.U64, text); types.Wide(all) != all {
		t.Error("what is wide already is made anew")
	}
	for kind, want := range map[types.Kind]*types.Type{types.Count: types.I64, types.Avg: types.I64, types.Hist: nil, types.Top: nil} {
		value := types.AggregationType(kind, types.Agg{Signed: true, N: 1, Elem: text})
		if got := types.ReadType(value); want != nil && !types.Equal(got, want) || want == nil && got != value {
			t.Errorf("reading %s gives %s", value, got)
		}
	}
}

// TestParts: questions about all parts of a type.
func TestParts(t *testing.T) {
	short, long := types.StringType(8), types.StringType(300)
	in := types.TupleType([]*types.Type{types.U64, types.RecordType([]string{"a", "b"}, []*types.Type{long, types.WeakInt})})
	if !types.Contains(in, func(t *types.Type) bool { return t == long }) || types.Contains(in, func(t *types.Type) bool { return t == short }) {
		t.Error("Contains")
	}
	want := types.TupleType([]*types.Type{types.U64, types.RecordType([]string{"a", "b"}, []*types.Type{types.StringType(64), types.WeakInt})})
	if got := types.ShrinkStrings(in, 64); !types.Equal(got, want) {
		t.Errorf("%s without long strings is %s", in, got)
	}
	if got := types.ShrinkStrings(in, 304); got != in {
		t.Errorf("%s has strings of 304 bytes, and became %s", in, got)
	}
	strong := types.TupleType([]*types.Type{types.U64, types.RecordType([]string{"a", "b"}, []*types.Type{long, types.I64})})
	void, file := types.PointerTo(types.NoneType, false), types.PointerTo(types.NewStruct(types.Struct, "file", 8, nil), false)
	for _, c := range []struct {
		a, b *types.Type
		same bool
	}{{in, in, true}, {in, want, false}, {in, strong, false}, {types.WeakInt, types.I64, false}, {void, file, false}, {nil, file, false},
		{types.StringType(8), short, true}} {
		if types.Same(c.a, c.b) != c.same || types.Same(c.b, c.a) != c.same {
			t.Errorf("%s and %s are the same: %t", c.a, c.b, !c.same)
		}
	}
}

// TestCastsTo: which tuples and records are stored as others.
func TestCastsTo(t *testing.T) {
	tuple := func(list ...*types.Type) *types.Type { return types.TupleType(list) }
	record := func(names []string, list ...*types.Type) *types.Type { return types.RecordType(names, list) }
	short, long := types.StringType(8), types.StringType(32)
	for _, c := range []struct {
		from, to *types.Type
		ok       bool
	}{
		{tuple(types.U8, short), tuple(types.U64, long), true},
		{tuple(types.U64, short), tuple(types.U8, short), true}, // a cast may take bits away
		{tuple(types.U64, long), tuple(types.U64, short), false},
		{tuple(types.U64), tuple(types.U64, types.U64), false},
		{tuple(types.U64, types.U64), tuple(types.U64, short), false},
		{record([]string{"a"}, types.U8), record([]string{"a"}, types.I64), true},
		{record([]string{"a"}, types.U8), record([]string{"b"}, types.I64), false},
		{record([]string{"a"}, types.U8), tuple(types.U8), false},
		{tuple(tuple(types.U8), short), tuple(tuple(types.I64), long), true},
	} {
		if types.CastsTo(c.from, c.to) != c.ok {
			t.Errorf("%s can be stored as %s: %t", c.from, c.to, !c.ok)
		}
	}
}
