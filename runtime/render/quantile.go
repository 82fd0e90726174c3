package render

import (
	"strconv"

	"fst/runtime/value"
)

// quantileShares are the percentiles shown, as parts of 1000.
var quantileShares = []struct {
	name  string
	share uint64
}{{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}, {"max", 1000}}

// quantileValues are the numbers of a quantile as shown.
func (d divisor) quantileValues(h value.Histogram) (values [5]int64) {
	for i, q := range quantileShares {
		values[i] = int64(d.quotient(uint64(h.Quantile(q.share, 1000)), true))
	}
	return values
}

// quantiles appends "p50 12 p90 30 p99 88 p99.9 120 max 131"; widths are the
// columns of the numbers, or nil.
func (d divisor) quantiles(b []byte, h value.Histogram, widths []int) []byte {
	for i, n := range d.quantileValues(h) {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, quantileShares[i].name...), ' ')
		text := strconv.AppendInt(nil, n, 10)
		if widths != nil {
			b = padTo(b, len(b)+widths[i]-len(text))
		}
		b = append(b, text...)
	}
	return b
}
