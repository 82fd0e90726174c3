package maps

import (
	"cmp"
	"encoding/binary"
	"slices"

	"fst/compiler/types"
)

func u64(b []byte, i int) uint64          { return binary.NativeEndian.Uint64(b[8*i:]) }
func put64(b []byte, i int, v uint64)     { binary.NativeEndian.PutUint64(b[8*i:], v) }
func add64(dst []byte, i int, src []byte) { put64(dst, i, u64(dst, i)+u64(src, i)) }

// merge puts the values of all CPUs, stride bytes apart, into dst (the size of
// one value, zeroed). t is nil for a map that the runtime does not decode.
func merge(dst, vals []byte, stride int, t *types.Type) {
	size := len(dst)
	if len(vals) < 2*stride {
		copy(dst, vals)
		return
	}
	how := types.Replace
	if t != nil {
		how = t.Kind.Merge()
	}
	switch how {
	case types.Slots:
		mergeSeries(dst, vals, stride, t.Agg)
		return
	case types.Replace:
		// Not an aggregation: the first CPU that has anything.
		for ; len(vals) >= size; vals = vals[min(stride, len(vals)):] {
			if slices.ContainsFunc(vals[:size], func(b byte) bool { return b != 0 }) {
				copy(dst, vals)
				return
			}
			if len(vals) <= stride {
				return
			}
		}
		return
	}
	for off := 0; off+size <= len(vals); off += stride {
		src := vals[off : off+size]
		switch how {
		case types.Least, types.Most:
			if n := u64(src, 1); n > 0 {
				if u64(dst, 1) == 0 || better(how == types.Least, t.Agg.Signed, u64(src, 0), u64(dst, 0)) {
					put64(dst, 0, u64(src, 0))
				}
				add64(dst, 1, src)
			}
		case types.Sketch:
			last := types.QuantileMax / 8
			for i := range last {
				add64(dst, i, src)
			}
			put64(dst, last, max(u64(dst, last), u64(src, last)))
		case types.Add:
			for i := range size / 8 {
				add64(dst, i, src)
			}
		}
	}
}

// better reports whether a replaces b as the minimum (or maximum).
func better(minimum, signed bool, a, b uint64) bool {
	c := cmp.Compare(a, b)
	if signed {
		c = cmp.Compare(int64(a), int64(b))
	}
	if minimum {
		return c < 0
	}
	return c > 0
}

// seriesSlot is {epoch, value, n} of a tseries.
type seriesSlot struct{ epoch, value, n uint64 }

// mergeSeries merges the slots of the same epoch, keeps the newest and puts
// them in order of time.
func mergeSeries(dst, vals []byte, stride int, agg types.Agg) {
	byEpoch := map[uint64]int{}
	var slots []seriesSlot
	const slotSize = 24
	for off := 0; off+len(dst) <= len(vals); off += stride {
		for v := vals[off : off+len(dst)]; len(v) >= slotSize; v = v[slotSize:] {
			s := seriesSlot{u64(v, 0), u64(v, 1), u64(v, 2)}
			if s.n == 0 {
				continue
			}
			i, ok := byEpoch[s.epoch]
			if !ok {
				byEpoch[s.epoch] = len(slots)
				slots = append(slots, s)
				continue
			}
			old := &slots[i]
			switch agg.Func {
			case types.Min, types.Max:
				if better(agg.Func == types.Min, agg.Signed, s.value, old.value) {
					old.value = s.value
				}
			case types.Sum, types.Avg:
				old.value += s.value
			default: // the last value: any CPU's
				old.value = s.value
			}
			old.n += s.n
		}
	}
	slices.SortFunc(slots, func(a, b seriesSlot) int { return cmp.Compare(a.epoch, b.epoch) })
	if room := len(dst) / slotSize; len(slots) > room {
		slots = slots[len(slots)-room:]
	}
	for i, s := range slots {
		put64(dst, 3*i, s.epoch)
		put64(dst, 3*i+1, s.value)
		put64(dst, 3*i+2, s.n)
	}
}

// isEmpty reports whether an aggregation has seen nothing.
func isEmpty(val []byte, t *types.Type) bool {
	switch t.Kind {
	case types.Sum, types.Avg, types.Stats, types.Min, types.Max:
		return u64(val, 1) == 0
	}
	// count: n; histograms: all buckets; tseries: all slots.
	for _, b := range val {
		if b != 0 {
			return false
		}
	}
	return true
}
