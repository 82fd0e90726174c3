package render

import (
	"math"
	"net"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

func native(t *types.Type, data []byte) any {
	obj := &object.Object{ProbeNames: []string{"kprobe:f", "kprobe:g"}}
	return decode(NewDecoder(obj), obj, value.Of(t, data))
}

func decode(d *Decoder, obj *object.Object, v value.Value) any {
	d.p.show(named(obj, &event.Record{Message: &object.Message{Fields: []object.MessageField{{Type: v.Type}}}, Data: v.Data}))
	return d.native(v)
}

func TestNative(t *testing.T) {
	hist := make([]byte, 8*types.HistBuckets(0))
	hist[0], hist[8*4] = 2, 3
	for _, c := range []struct {
		v    operand
		want any
	}{
		{integer(types.I8, -1), int64(-1)},
		{integer(types.U8, 255), uint64(255)},
		{integer(types.I32, -5), int64(-5)},
		{u64(1<<64 - 1), uint64(1<<64 - 1)},
		{boolean(true), true},
		{operand{typ: types.U64}, uint64(0)},
		{operand{typ: types.StringType(8), data: []byte("ab\x00cdefg")}, "ab"},
		{operand{typ: types.ArrayOf(types.CharType, 4), data: []byte("abcd")}, "abcd"},
		{array(types.U8, 1, 2), []any{uint64(1), uint64(2)}},
		{buffer("abc"), []byte("abc")},
		{tuple(i64(1), str("a")), []any{int64(1), "a"}},
		{record(i64(1).as("a")), Fields{{"a", "", int64(1)}}},
		{kind(types.Inet, 20, []byte{4, 0, 0, 0, 1, 2, 3, 4}), netip.MustParseAddr("1.2.3.4")},
		{kind(types.MAC, 8, []byte{1, 2, 3, 4, 5, 6}), net.HardwareAddr{1, 2, 3, 4, 5, 6}},
		{kind(types.Timestamp, 8, num(61e9)), time.Date(2026, 11, 21, 4, 1, 1, 0, time.UTC)},
		{kind(types.ProbeName, 8, num(1)), "kprobe:g"},
		{name(types.Errno, 2), "No such file or directory"},
		{kind(types.KSym, 8, num(0x1005)), Place{0x1005, "vfs_read", 5, ""}},
		{kind(types.USym, 16, append(num(0x4004), num(7)...)), Place{0x4004, "main", 4, "/bin/prog"}},
		{kstack(1, "", 127), []Place{{0x1001, "vfs_read", 1, ""}, {0x2061, "ksys_read", 97, ""}}},
		{kstack(-14, "", 127), []Place{}},
		{ustack(2, 7, ""), []Place{{0x4000, "main", 0, "/bin/prog"}, {0x55d77e4b3139, "", 0, ""}}},
		{operand{typ: &types.Type{Kind: types.Avg, Size: 16, Agg: types.Agg{Signed: true}}, data: append(num(-7), num(2)...)}, int64(-3)},
		{operand{typ: &types.Type{Kind: types.Stats, Size: 16}, data: append(num(7), num(2)...)}, Stats{2, uint64(3), uint64(7)}},
		{operand{typ: &types.Type{Kind: types.Hist, Size: len(hist)}, data: hist}, []Bucket{{math.MinInt64, -1, 2}, {0, 0, 0}, {1, 1, 0}, {2, 3, 0}, {4, 7, 3}}},
	} {
		if got := native(c.v.typ, c.v.data); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %x: %#v, want %#v", c.v.typ, c.v.data, got, c.want)
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
	data := append(num(5 | 0x1f<<3)[:4], num(9)[:4]...)
	want := Fields{{"a", "", uint64(5)}, {"b", "", int64(-1)}, {"y", "", uint64(9)}}
	if got := native(s, data); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDataLoc(t *testing.T) {
	s := types.NewStruct(types.Struct, "s", 16, []types.Field{{Name: "name", Type: types.ArrayOf(types.CharType, 0), Offset: 8, DataLoc: true}})
	data := append(append(make([]byte, 8), num(4<<16 | 12)[:4]...), "abc\x00"...)
	if got := native(s, data); !reflect.DeepEqual(got, Fields{{"name", "", "abc"}}) {
		t.Errorf("got %v", got)
	}
}

// TestShortDataNeverPanics decodes every kind from too few bytes.
func TestShortDataNeverPanics(t *testing.T) {
	text := NewDecoder(&object.Object{})
	for k := types.Int; k <= types.Quantile; k++ {
		typ := &types.Type{Kind: k, Size: 24, Len: 3, Elem: types.U64, Agg: types.Agg{Step: 1}}
		for n := range 24 {
			v := value.Of(typ, make([]byte, n))
			decode(text, &object.Object{}, v)
			value.Compare(v, v)
		}
	}
}
