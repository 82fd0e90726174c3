package render

import (
	"strconv"

	"fst/compiler/types"
	"fst/runtime/value"
)

const barWidth = 52

// isChart reports whether values are shown as rows below their name.
func isChart(k types.Kind) bool {
	return k == types.Hist || k == types.LHist || k == types.TSeries
}

// chart appends the rows of a single hist, lhist or tseries.
func (p *printer) chart(b []byte, v value.Value) []byte {
	if v.Type.Kind == types.TSeries {
		slots := v.Series()
		return p.series(b, v.Type.Agg, slots, lastEpoch(slots))
	}
	return p.rows(b, v.Histogram())
}

// rows appends a histogram: label, count, bar.
func (p *printer) rows(b []byte, h value.Histogram) []byte {
	first, end := h.Range()
	var largest uint64
	for i := first; i < end; i++ {
		h.Counts[i] = p.bucket(h, i)
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
func (p *printer) bucket(h value.Histogram, i int) uint64 {
	if h.Linear {
		return h.Counts[i]
	}
	return p.quotient(h.Counts[i], false)
}

// barLength is computed in single precision, as bpftrace does, so that bars
// do not differ by one.
func barLength(count, largest uint64) int {
	if largest == 0 {
		return 0
	}
	share := float32(count) / float32(largest)
	return int(share * barWidth)
}

func padTo(b []byte, n int) []byte {
	for len(b) < n {
		b = append(b, ' ')
	}
	return b
}

func appendRight(b []byte, width int, n uint64) []byte {
	var digits [20]byte
	text := strconv.AppendUint(digits[:0], n, 10)
	b = padTo(b, len(b)+width-len(text))
	return append(b, text...)
}
