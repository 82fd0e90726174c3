package value

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"fst/compiler/types"
)

// TestEncode reads back what was laid out.
func TestEncode(t *testing.T) {
	encoded := func(typ *types.Type, v any) Value {
		t.Helper()
		b, err := Encode(typ, v)
		if err != nil || len(b) != typ.Size {
			t.Fatalf("%v as %s: %x, %v", v, typ, b, err)
		}
		return Of(typ, b)
	}
	if n := encoded(types.I32, int8(-5)).Int(); n != -5 {
		t.Error(n)
	}
	if n := encoded(types.U64, uint64(1<<64-1)).Uint(); n != 1<<64-1 {
		t.Error(n)
	}
	if !encoded(&types.Type{Kind: types.Bool, Size: 1}, true).Bool() {
		t.Error("true is false")
	}
	if s := encoded(types.StringType(8), "abcdefg").Bytes(); string(s) != "abcdefg" {
		t.Errorf("%q", s)
	}
	if s := encoded(&types.Type{Kind: types.Buffer, Len: 4, Size: 8}, []byte("a\x00b")).Bytes(); string(s) != "a\x00b" {
		t.Errorf("%q", s)
	}
	for _, text := range []string{"10.1.2.3", "fe80::1"} {
		if ip := encoded(&types.Type{Kind: types.Inet, Size: 20}, netip.MustParseAddr(text)).IP(); ip.String() != text {
			t.Error(ip)
		}
	}
	mac := net.HardwareAddr{1, 2, 3, 4, 5, 6}
	if got := encoded(&types.Type{Kind: types.MAC, Size: 8}, mac).MAC(); got.String() != mac.String() {
		t.Error(got)
	}
	pair := types.TupleType([]*types.Type{types.U32, types.StringType(8)})
	var parts []string
	for _, f := range encoded(pair, []any{7, "x"}).Fields() {
		if f.IsText() {
			parts = append(parts, string(f.Bytes()))
		} else {
			parts = append(parts, strings.Repeat("|", int(f.Uint())))
		}
	}
	if strings.Join(parts, " ") != "||||||| x" {
		t.Error(parts)
	}
	for _, wrong := range []struct {
		typ  *types.Type
		v    any
		want string
	}{
		{types.U8, 256, "256 does not fit"}, {types.I8, -129, "does not fit"}, {types.U64, -1, "a int is no"}, {types.I64, uint64(1 << 63), "is no"},
		{types.I64, "1", "a string is no"}, {types.StringType(8), "abcdefgh", "longer"}, {types.StringType(8), 1, "a int is no"},
		{pair, []any{1}, "1 values are not the 2"}, {pair, 1, "a int is no"}, {&types.Type{Kind: types.Count, Size: 8}, 1, "can't be written"},
		{&types.Type{Kind: types.Inet, Size: 20}, "10.1.2.3", "a string is no"}, {types.U64, nil, "is no"},
	} {
		if b, err := Encode(wrong.typ, wrong.v); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%v as %s: %x, %v, want %q", wrong.v, wrong.typ, b, err, wrong.want)
		}
	}
}
