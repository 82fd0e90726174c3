package value

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"fst/compiler/types"
)

func num(n uint64, size int) []byte {
	b := binary.NativeEndian.AppendUint64(nil, n)
	return b[:size]
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
