package value

import "fst/compiler/types"

// Totals are the numbers of a stats. If Signed, Average and Total are
// to be read as int64.
type Totals struct {
	Count, Average, Total uint64
	Signed                bool
}

// Totals returns the numbers of a stats.
func (v Value) Totals() Totals {
	t := Totals{Signed: v.Type.Agg.Signed}
	t.Count, t.Average, t.Total = v.Type.Agg.CountAverageTotal(v.Data)
	return t
}

// Slot is an interval of a tseries that has data.
type Slot struct {
	Epoch int64 // start of the interval divided by its length
	Value int64
}

// Series returns the slots of a tseries that have data, oldest first.
func (v Value) Series() []Slot {
	var slots []Slot
	for _, s := range types.SlotsOf(v.Data) {
		slots = append(slots, Slot{s.Epoch, s.Value(&v.Type.Agg)})
	}
	return slots
}
