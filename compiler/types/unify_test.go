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
