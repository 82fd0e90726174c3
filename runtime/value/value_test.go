package value

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"testing"

	"fst/compiler/types"
)

func num(n uint64, size int) []byte {
	b := binary.NativeEndian.AppendUint64(nil, n)
	return b[:size]
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		typ  *types.Type
		data []byte
		want any
	}{
		{types.I8, []byte{0xff}, int64(-1)},
		{types.U8, []byte{0xff}, uint64(255)},
		{types.I32, num(1<<32-5, 4), int64(-5)},
		{types.U64, num(1<<64-1, 8), uint64(1<<64 - 1)},
		{types.BoolType, []byte{1}, true},
		{types.U64, nil, uint64(0)},
		{types.StringType(8), []byte("ab\x00cdefg"), "ab"},
		{types.ArrayOf(types.CharType, 4), []byte("abcd"), "abcd"},
		{types.ArrayOf(types.U8, 2), []byte{1, 2}, []any{uint64(1), uint64(2)}},
		{types.BufferType(6), append(num(3, 4), "abcxxx"...), []byte("abc")},
		{&types.Type{Kind: types.Inet, Size: 20}, append([]byte{4, 0, 0, 0, 1, 2, 3, 4}, make([]byte, 12)...), netip.MustParseAddr("1.2.3.4")},
		{&types.Type{Kind: types.Avg, Size: 16, Agg: types.Agg{Signed: true}}, append(num(^uint64(6), 8), num(2, 8)...), int64(-3)},
	}
	for _, c := range tests {
		if got := Of(c.typ, c.data).Any(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %x: %v, want %v", c.typ, c.data, got, c.want)
		}
	}
}

func TestBitfieldsAndAnonymousMembers(t *testing.T) {
	inner := types.NewStruct(types.Union, "", 4, []types.Field{{Name: "y", Type: types.U32}})
	s := types.NewStruct(types.Struct, "s", 8, []types.Field{
		{Name: "a", Type: types.U32, BitSize: 3, BitOffset: 0},
		{Name: "b", Type: types.I32, BitSize: 5, BitOffset: 3},
		{Type: inner, Offset: 4},
	})
	data := append(num(5|0x1f<<3, 4), num(9, 4)...)
	want := map[string]any{"a": uint64(5), "b": int64(-1), "y": uint64(9)}
	if got := Of(s, data).Any(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDataLoc(t *testing.T) {
	s := types.NewStruct(types.Struct, "s", 16, []types.Field{{Name: "name", Type: types.ArrayOf(types.CharType, 0), Offset: 8, DataLoc: true}})
	data := append(append(make([]byte, 8), num(4<<16|12, 4)...), "abc\x00"...)
	if got := Of(s, data).Any(); !reflect.DeepEqual(got, map[string]any{"name": "abc"}) {
		t.Errorf("got %v", got)
	}
}

// TestShortDataNeverPanics decodes every kind from too few bytes.
func TestShortDataNeverPanics(t *testing.T) {
	for k := types.Int; k <= types.Quantile; k++ {
		typ := &types.Type{Kind: k, Size: 24, Len: 3, Elem: types.U64, Agg: types.Agg{Step: 1}}
		for n := range 24 {
			v := Of(typ, make([]byte, n))
			v.Any()
			Compare(v, v)
		}
	}
}

func TestSort(t *testing.T) {
	pair := types.TupleType([]*types.Type{types.I64, types.StringType(8)})
	key := func(n int64, s string) []byte {
		return append(num(uint64(n), 8), append([]byte(s), make([]byte, 8-len(s))...)...)
	}
	str := func(s string) []byte { return append([]byte(s), make([]byte, 8-len(s))...) }
	hist := &types.Type{Kind: types.Hist, Size: 16}
	tests := []struct {
		name     string
		key, val *types.Type
		want     []Entry
	}{
		{"signed value, ties by key", types.I64, types.I64, []Entry{{num(9, 8), num(^uint64(0), 8)}, {num(1, 8), num(3, 8)}, {num(2, 8), num(3, 8)}}},
		{"narrow value", types.I64, types.I8, []Entry{{num(9, 8), []byte{0xfe}}, {num(1, 8), []byte{3}}}},
		{"unsigned value", types.I64, types.U64, []Entry{{num(1, 8), num(3, 8)}, {num(2, 8), num(1<<63, 8)}}},
		{"min", types.I64, &types.Type{Kind: types.Min, Size: 16, Agg: types.Agg{Signed: true}},
			[]Entry{{num(1, 8), append(num(^uint64(2), 8), num(1, 8)...)}, {num(2, 8), append(num(9, 8), num(1, 8)...)}}},
		{"stats by average", types.I64, &types.Type{Kind: types.Stats, Size: 16},
			[]Entry{{num(1, 8), append(num(10, 8), num(5, 8)...)}, {num(2, 8), append(num(9, 8), num(1, 8)...)}}},
		{"hist by total", types.I64, hist, []Entry{{num(7, 8), append(num(1, 8), num(1, 8)...)}, {num(2, 8), append(num(0, 8), num(5, 8)...)}}},
		{"string value: by signed key", types.I64, types.StringType(8), []Entry{{num(^uint64(0), 8), str("z")}, {num(0, 8), str("a")}, {num(5, 8), str("b")}}},
		{"string key", types.StringType(8), types.StringType(8), []Entry{{str(""), str("z")}, {str("A"), str("y")}, {str("B"), str("x")}, {str("a"), str("w")}}},
		{"tuple key", pair, types.BoolType, []Entry{{key(-1, "z"), []byte{1}}, {key(2, "a"), []byte{0}}, {key(2, "b"), []byte{1}}}},
		{"bool key", types.BoolType, types.StringType(8), []Entry{{[]byte{0}, str("z")}, {[]byte{1}, str("a")}}},
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range tests {
		for range 5 {
			got := append([]Entry{}, c.want...)
			rng.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
			Sort(c.key, c.val, got)
			for i := range got {
				if !bytes.Equal(got[i].Key, c.want[i].Key) {
					t.Errorf("%s: key %d is %x, want %x", c.name, i, got[i].Key, c.want[i].Key)
				}
			}
		}
	}
}
