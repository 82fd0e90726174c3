package value

import (
	"math"
	"strconv"
)

// appendHistBound writes the lower bound of label number v. The suffix
// follows from the bucket's own power of two, not from the number, so with
// k = 1 a row reads [1024, 1536) and the next [1536, 2K).
func appendHistBound(b []byte, v, k int) []byte {
	low, power := histLow(v, k)
	d := power / 10
	b = strconv.AppendUint(b, low>>(10*d), 10)
	if d > 0 {
		b = append(b, "KMGTPE"[d-1])
	}
	return b
}

func (h Histogram) appendLinearLabel(b []byte, index int) []byte {
	bound := h.Bounds(index)
	switch {
	case bound.Lo == math.MinInt64:
		b = append(b, "(..., "...)
		return append(h.appendLinearBound(b, bound.Hi+1), ')')
	case bound.Hi == math.MaxInt64:
		b = h.appendLinearBound(append(b, '['), bound.Lo)
		return append(b, ", ...)"...)
	case bound.Lo == bound.Hi:
		return append(h.appendLinearBound(append(b, '['), bound.Lo), ']')
	}
	b = h.appendLinearBound(append(b, '['), bound.Lo)
	b = h.appendLinearBound(append(b, ", "...), bound.Hi+1)
	return append(b, ')')
}

func (h Histogram) appendLinearBound(b []byte, n int64) []byte {
	suffix := ""
	if h.Agg.Step%1024 == 0 && n != 0 {
		switch {
		case n%(1<<20) == 0:
			n, suffix = n>>20, "M"
		case n%(1<<10) == 0:
			n, suffix = n>>10, "K"
		}
	}
	return append(strconv.AppendInt(b, n, 10), suffix...)
}
