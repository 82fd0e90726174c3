package render

import (
	"strconv"

	"fst/compiler/types"
	"fst/runtime/value"
)

// divisor divides numbers that are shown: print's third argument. 0 and 1 change nothing.
type divisor int64

func (d divisor) number(b []byte, v value.Value) []byte {
	return appendNumber(b, d.scaled(v), v.Signed())
}

// scaled is the number of v, divided by what print was given for it.
func (d divisor) scaled(v value.Value) uint64 {
	if v.Type.Kind == types.Pointer {
		return v.Uint()
	}
	return d.quotient(v.Uint(), v.Signed())
}

func (d divisor) quotient(n uint64, signed bool) uint64 {
	switch {
	case d == 0 || d == 1:
		return n
	case signed:
		return uint64(int64(n) / int64(d))
	}
	return n / uint64(d)
}

// totals are the numbers of a stats, its average divided as scaled does.
func (d divisor) totals(v value.Value) value.Totals {
	t := v.Totals()
	t.Average = d.quotient(t.Average, t.Signed)
	return t
}

func (d divisor) stats(b []byte, v value.Value) []byte {
	t := d.totals(v)
	b = append(b, "{ .count = "...)
	b = strconv.AppendUint(b, t.Count, 10)
	b = append(b, ", .average = "...)
	b = appendNumber(b, t.Average, t.Signed)
	b = append(b, ", .total = "...)
	b = appendNumber(b, t.Total, t.Signed)
	return append(b, " }"...)
}

// rows appends a histogram: label, count, bar.
func (d divisor) rows(b []byte, h value.Histogram) []byte {
	first, end := h.Range()
	var largest uint64
	for i := first; i < end; i++ {
		h.Counts[i] = d.bucket(h, i)
		largest = max(largest, h.Counts[i])
	}
	for i := first; i < end; i++ {
		start := len(b)
		b = padTo(h.AppendLabel(b, i), start+16)
		b = appendRight(b, 8, h.Counts[i])
		b = append(b, " |"...)
		start = len(b)
		for range barLength(h.Counts[i], largest) {
			b = append(b, '@')
		}
		b = append(padTo(b, start+barWidth), "|\n"...)
	}
	return b
}

// bucket is a count as it is shown: print's divisor applies to hist alone.
func (d divisor) bucket(h value.Histogram, i int) uint64 {
	if h.Linear {
		return h.Counts[i]
	}
	return d.quotient(h.Counts[i], false)
}
