package value

import (
	"math"
	"math/bits"

	"fst/compiler/types"
)

// HistIndex is the bucket of n in hist(n, k): 2^k buckets for each power of
// two, one for all negative numbers.
func HistIndex(n int64, k int) int {
	switch {
	case n < 0:
		return 0
	case n < 1<<k:
		return int(n) + 1
	}
	l := bits.Len64(uint64(n)) - 1 - k
	return (l+1)<<k + int(n>>l)&(1<<k-1) + 1
}

// Bounds are the numbers that fall in a bucket, both ends included. A bucket
// without a limit on a side has the smallest or largest int64 there.
type Bounds struct{ Lo, Hi int64 }

// HistBounds is the inverse of HistIndex.
func HistBounds(index, k int) Bounds {
	if index <= 0 {
		return Bounds{math.MinInt64, -1}
	}
	lo, _ := histLow(index-1, k)
	hi, _ := histLow(index, k)
	return Bounds{int64(lo), int64(hi - 1)}
}

// histLow is the smallest number of the bucket with label number v, and the
// power of two by which its sub-buckets are wide.
func histLow(v, k int) (low uint64, power int) {
	if v < 2<<k {
		return uint64(v), 0
	}
	power = v>>k - 1
	return uint64(1<<k+v&(1<<k-1)) << power, power
}

// LHistIndex is the bucket of n in lhist(n, min, max, step).
func LHistIndex(n, lo, hi, step int64) int {
	switch {
	case n < lo:
		return 0
	case n > hi:
		return 1 + int((hi-lo)/step)
	}
	return 1 + int((n-lo)/step)
}

// LHistBounds is the inverse of LHistIndex.
func LHistBounds(index int, lo, hi, step int64) Bounds {
	last := (hi - lo) / step
	switch i := int64(index) - 1; {
	case i < 0:
		return Bounds{math.MinInt64, lo - 1}
	case i >= last:
		return Bounds{lo + last*step, math.MaxInt64}
	default:
		return Bounds{lo + i*step, lo + (i+1)*step - 1}
	}
}

// Histogram is a hist, lhist or quantile.
type Histogram struct {
	Linear bool
	Agg    types.Agg // K, or Min, Max and Step
	Counts []uint64  // by bucket index
	// Max is the largest number of a quantile, exactly; not known of others.
	Max int64
}

// Histogram reads the buckets of a hist, lhist or quantile.
func (v Value) Histogram() Histogram {
	h := Histogram{Linear: v.Type.Agg.Step > 0, Agg: v.Type.Agg, Counts: make([]uint64, len(v.Data)/8)}
	h.Max = math.MaxInt64
	if v.Type.Kind.Has(types.Quantiles) {
		h.Agg.K = types.QuantileK
		h.Counts = h.Counts[:min(len(h.Counts), types.HistBuckets(types.QuantileK))]
		h.Max = int64(v.word(types.QuantileMax, 8) - types.QuantileBias)
	}
	for i := range h.Counts {
		h.Counts[i] = v.word(i*8, 8)
	}
	return h
}

// Bounds of the bucket with an index.
func (h Histogram) Bounds(index int) Bounds {
	if h.Linear {
		return LHistBounds(index, h.Agg.Min, h.Agg.Max, h.Agg.Step)
	}
	return HistBounds(index, h.Agg.K)
}

// Total is the number of values counted.
func (h Histogram) Total() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Range is the half-open range of bucket indexes from the first to the last
// that counted something; empty (0, 0) if none did.
func (h Histogram) Range() (first, end int) {
	for i, c := range h.Counts {
		if c == 0 {
			continue
		}
		if end == 0 {
			first = i
		}
		end = i + 1
	}
	return first, end
}

// Quantile returns the largest number that falls in the bucket below or in
// which a share num/den of all values lie: for a hist with k, at most 1/2^k
// above the true one, and of a quantile never above its largest.
func (h Histogram) Quantile(num, den uint64) int64 {
	total := h.Total()
	if total == 0 {
		return 0
	}
	// rank = ceil(total*num/den), without overflow.
	hi, lo := bits.Mul64(total, num)
	rank, rem := bits.Div64(hi, lo, den)
	if rem > 0 || rank == 0 {
		rank++
	}
	var seen uint64
	for i, c := range h.Counts {
		if seen += c; seen >= rank {
			return min(h.Bounds(i).Hi, h.Max)
		}
	}
	return 0
}

// Label is the bucket's text in a chart: "[0]", "[2, 4)", "[512K, 1M)",
// "(..., 0)", "[30, ...)".
func (h Histogram) Label(index int) string {
	return string(h.AppendLabel(nil, index))
}

// AppendLabel appends Label to b.
func (h Histogram) AppendLabel(b []byte, index int) []byte {
	if h.Linear {
		return h.appendLinearLabel(b, index)
	}
	if index <= 0 {
		return append(b, "(..., 0)"...)
	}
	v, k := index-1, h.Agg.K
	b = append(b, '[')
	b = appendHistBound(b, v, k)
	if v < 2<<k {
		return append(b, ']')
	}
	b = append(b, ", "...)
	b = appendHistBound(b, v+1, k)
	return append(b, ')')
}
