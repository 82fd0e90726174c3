package render

import (
	"strconv"
	"time"

	"fst/compiler/types"
	"fst/runtime/value"
)

// seriesWidth is the number of columns of a tseries chart, both edges
// included.
const seriesWidth = 53

// seriesStart is the wall clock of an epoch: epochs count intervals of the
// TAI clock.
func (p *printer) seriesStart(agg types.Agg, epoch int64) time.Time {
	return time.Unix(0, epoch*agg.Interval).Add(-p.names.Clock.TAIOffset())
}

// shownSlots are the slots within the newest agg.Slots epochs up to last, or up to the newest if there are newer ones.
func shownSlots(v value.Value, last int64) []value.Slot {
	slots := v.Series()
	for n := len(slots); n > 0 && slots[0].Epoch <= max(last, slots[n-1].Epoch)-int64(v.Type.Agg.Slots); n-- {
		slots = slots[1:]
	}
	return slots
}

// series appends the chart of a tseries up to the epoch last.
func (p *printer) series(b []byte, v value.Value, last int64) []byte {
	agg, slots := v.Type.Agg, shownSlots(v, last)
	if len(slots) == 0 {
		return append(b, "<no data>\n"...)
	}
	last = max(last, slots[len(slots)-1].Epoch)
	lo, hi := slots[0].Value, slots[0].Value
	for _, s := range slots {
		lo, hi = min(lo, s.Value), max(hi, s.Value)
	}
	if lo == hi {
		lo, hi = lo-1, hi+1
	}
	first := slots[0].Epoch
	digits, unit := clockDigits(agg.Interval, first == last)
	margin := len("hh:mm:ss")
	if digits > 0 {
		margin += 1 + digits
	}

	b = appendScale(b, margin, lo, hi)
	start := len(b)
	b = append(append(b, "hh:mm:ss"...), unit...)
	if unit == ".μs" {
		start++ // μ takes two bytes and one column
	}
	b = appendFrame(padTo(b, start+margin+1), '|')
	for epoch := first; epoch <= last; epoch++ {
		t := p.seriesStart(agg, epoch).In(p.loc)
		b = append(appendClock(b, t, digits), ' ')
		start := len(b)
		b = padTo(append(b, '|'), start+seriesWidth-1)
		b = append(b, '|')
		if lo < 0 && hi > 0 {
			b[start+column(-lo, hi-lo, seriesWidth)] = '.'
		}
		b = append(b, ' ')
		if len(slots) == 0 || slots[0].Epoch != epoch {
			b = append(b, "-\n"...)
			continue
		}
		v := slots[0].Value
		slots = slots[1:]
		b[start+column(v-lo, hi-lo, seriesWidth-1)] = '*'
		b = append(strconv.AppendInt(b, v, 10), '\n')
	}
	b = appendFrame(padTo(b, len(b)+margin+1), 'v')
	return appendScale(b, margin, lo, hi)
}

// column is where n of span lies, computed in single precision.
func column(n, span int64, width int) int {
	at := float32(width) * float32(uint64(n)) / float32(uint64(span))
	return min(int(at), seriesWidth-1)
}

func appendScale(b []byte, margin int, lo, hi int64) []byte {
	b = padTo(b, len(b)+margin+1)
	start := len(b)
	b = padTo(strconv.AppendInt(b, lo, 10), start+21)
	text := strconv.AppendInt(nil, hi, 10)
	b = padTo(b, len(b)+32-len(text))
	return append(append(b, text...), '\n')
}

func appendFrame(b []byte, edge byte) []byte {
	b = append(b, edge)
	for range seriesWidth - 2 {
		b = append(b, '_')
	}
	return append(b, edge, '\n')
}

// clockDigits is how many digits of a second tell rows apart.
func clockDigits(interval int64, oneRow bool) (digits int, unit string) {
	switch {
	case oneRow:
		return 9, ".ns"
	case interval >= int64(time.Second):
		return 0, ""
	case interval >= int64(time.Millisecond):
		return 3, ".ms"
	case interval >= int64(time.Microsecond):
		return 6, ".μs"
	}
	return 9, ".ns"
}

func appendClock(b []byte, t time.Time, digits int) []byte {
	b = t.AppendFormat(b, "15:04:05")
	if digits == 0 {
		return b
	}
	ns := uint64(t.Nanosecond())
	for i := digits; i < 9; i++ {
		ns /= 10
	}
	return appendZeros(append(b, '.'), ns, digits)
}

func appendZeros(b []byte, n uint64, digits int) []byte {
	var text [20]byte
	t := strconv.AppendUint(text[:0], n, 10)
	for i := len(t); i < digits; i++ {
		b = append(b, '0')
	}
	return append(b, t...)
}
