package maps

import (
	"encoding/binary"

	"fst/compiler/object"
)

// isAggregation reports whether the map's values are aggregations.
func isAggregation(spec *object.Map) bool {
	return spec.Value != nil && spec.Value.Kind.IsAggregation()
}

// isSet reports whether an array's or task storage's value counts as there.
func isSet(spec *object.Map, val []byte) bool {
	switch {
	case spec.Present >= 0 && spec.Present+8 <= len(val):
		return binary.NativeEndian.Uint64(val[spec.Present:]) != 0
	case isAggregation(spec):
		return !spec.Value.Kind.Aggregation().IsEmpty(val)
	}
	return !isZero(val)
}

// zeroed is val with zeros, but for the mark that it is there; val has the values of
// all CPUs, stride bytes apart.
func zeroed(spec *object.Map, val []byte, stride int) []byte {
	zero := make([]byte, len(val))
	if p := spec.Present; p >= 0 {
		for off := 0; off < len(val); off += stride {
			copy(zero[off+p:off+p+8], val[off+p:])
		}
	}
	return zero
}
