package maps

import (
	"encoding/binary"

	"fst/compiler/types"
)

func u64(b []byte, i int) uint64      { return binary.NativeEndian.Uint64(b[8*i:]) }
func put64(b []byte, i int, v uint64) { binary.NativeEndian.PutUint64(b[8*i:], v) }

// merge puts the values of all CPUs, stride bytes apart, into dst (the size of
// one value, zeroed). t is nil for a map that the runtime does not decode.
func merge(dst, vals []byte, stride int, t *types.Type) {
	size := len(dst)
	if len(vals) < 2*stride {
		copy(dst, vals)
		return
	}
	var agg *types.Aggregation
	if t != nil {
		agg = t.Kind.Aggregation()
	}
	for off := 0; off+size <= len(vals); off += stride {
		switch src := vals[off : off+size]; {
		case agg != nil:
			agg.Merge(dst, src, &t.Agg)
		case !isZero(src): // no aggregation: the first CPU that has anything
			copy(dst, src)
			return
		}
	}
}

func isZero(val []byte) bool {
	for _, b := range val {
		if b != 0 {
			return false
		}
	}
	return true
}
