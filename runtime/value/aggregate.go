package value

import (
	"cmp"
	"slices"

	"fst/compiler/types"
)

// Totals are the numbers of an avg or stats. If Signed, Average and Total are
// to be read as int64.
type Totals struct {
	Count, Average, Total uint64
	Signed                bool
}

// Totals returns the numbers of an avg, stats or sum.
func (v Value) Totals() Totals {
	t := Totals{Signed: v.Type.Agg.Signed}
	t.Total, t.Average, t.Count = totals(v)
	return t
}

// totals reads { i64 total, u64 n }. What is divided is divided toward zero.
func totals(v Value) (total, avg, n uint64) {
	total, n = v.word(0, 8), v.word(8, 8)
	agg := v.Type.Agg
	avg = quotient(total, n, agg.Signed)
	return quotient(total, uint64(agg.Divisor), agg.Signed), quotient(avg, uint64(agg.Divisor), agg.Signed), n
}

// quotient is total / n, or total if n is 0.
func quotient(total, n uint64, signed bool) uint64 {
	switch {
	case n <= 1:
		return total
	case signed:
		return uint64(int64(total) / int64(n))
	}
	return total / n
}

// Slot is an interval of a tseries that has data.
type Slot struct {
	Epoch int64 // start of the interval divided by its length
	Value int64
}

// Series returns the slots of a tseries that have data, oldest first.
func (v Value) Series() []Slot {
	var slots []Slot
	for off := 0; off+24 <= len(v.Data); off += 24 {
		n := v.word(off+16, 8)
		if n == 0 {
			continue
		}
		s := Slot{Epoch: int64(v.word(off, 8)), Value: int64(v.word(off+8, 8))}
		if v.Type.Agg.Func == types.Avg {
			s.Value /= int64(n)
		}
		s.Value /= max(v.Type.Agg.Divisor, 1)
		slots = append(slots, s)
	}
	slices.SortFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return slots
}
