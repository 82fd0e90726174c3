package types

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Aggregations exist only as values of maps. Their records are in aggregations; the call that makes one is
// a record of compiler/builtin.
const (
	Count Kind = firstAggregation + iota
	Sum
	Avg
	Min
	Max
	Stats
	Hist
	LHist
	TSeries
	Quantile
	Top
)

// Agg holds the parameters of an aggregation.
type Agg struct {
	K              int   // hist: 2^K buckets for each power of two
	Min, Max, Step int64 // lhist
	Interval       int64 // tseries: ns
	Slots          int   // tseries
	Func           Kind  // tseries: Sum, Avg, Min or Max of a slot, or 0 for the last value
	Signed         bool  // of the argument of sum, avg, min, max, stats
	N              int   // top: how many keys are shown
	Elem           *Type // of the values that it keeps, or nil
	// Divisor is what a total of sum, avg, stats and tseries is divided by when it is
	// read: sum(took / 1ms) adds nanoseconds. 0 and 1 do not divide.
	Divisor int64
}

// Equal reports whether two aggregations of one kind have the same parameters. same compares what they keep.
func (a Agg) Equal(b Agg, same func(a, b *Type) bool) bool {
	x, y := a.Elem, b.Elem
	a.Elem, b.Elem = nil, nil
	return a == b && (x == y || same(x, y))
}

// Shape is what an aggregation is to who shows it.
type Shape uint8

const (
	Single Shape = iota // one number
	Totals              // count, average and total
	// Nothing is shown of the others while they have seen nothing.
	Buckets   // how many values fell between which bounds
	Quantiles // the same, shown as percentiles
	Series    // a number for each interval
	Ranking   // the most frequent keys, with their numbers
)

// Aggregation is what a kind of aggregation is in memory: in the maps of the kernel for each CPU, and here. All
// values that one function is given have one type, and so one size.
type Aggregation struct {
	Name  string
	Shape Shape
	// Size is how many bytes a value takes, a multiple of 8.
	Size func(a *Agg) int
	// Merge adds to dst what src has seen on another CPU, in another interval or on another machine. All bytes
	// of a value that has seen nothing are 0.
	Merge func(dst, src []byte, a *Agg)
	// Number is a value as one number; nil if it is several.
	Number func(v []byte, a *Agg) uint64
	// Weight is what the elements of a map are ordered by; nil if that is their keys.
	Weight func(v []byte, a *Agg) uint64
	// Counts is the word that tells how much a value has seen, or -1: it has then seen nothing if it is all 0.
	Counts int
	// AddsUp: a later value less an earlier one is what came in between, word by word.
	AddsUp bool
	// Adds reports whether it adds up the numbers that it is given, so that their common divisor can wait.
	Adds func(a *Agg) bool
	// Grows reports whether its number never becomes less; nil if it may.
	Grows func(a *Agg) bool
	// HasSign: its type is that of its numbers, with their sign.
	HasSign bool
	// Mend: a program changes a part of a value in several steps, so that a reading may find it in between. Mend
	// puts such parts of another reading into v, which may be v itself, and reports whether there are still some.
	// Nil if any reading does.
	Mend func(v, again []byte, a *Agg) (torn bool)
	// MapType is what JSON calls a map of it.
	MapType string
}

var aggregations = map[Kind]*Aggregation{
	// u64 n
	Count: {Name: "count", Size: words(1), Merge: add, Number: first, Weight: first, Counts: -1, AddsUp: true, Grows: always},
	// i64 total, u64 n
	Sum: {Name: "sum", Size: words(2), Merge: add, Number: total, Weight: total, Counts: 1, AddsUp: true, Adds: always, HasSign: true,
		Grows: func(a *Agg) bool { return !a.Signed }},
	Avg: {Name: "avg", Size: words(2), Merge: add, Number: average, Weight: average, Counts: 1, AddsUp: true, Adds: always, HasSign: true, MapType: "stats"},
	Stats: {Name: "stats", Shape: Totals, Size: words(2), Merge: add, Weight: average, Counts: 1, AddsUp: true, Adds: always, HasSign: true,
		MapType: "stats"},
	// i64 value, u64 n
	Min: {Name: "min", Size: words(2), Merge: extreme(-1), Number: first, Weight: first, Counts: 1, HasSign: true},
	Max: {Name: "max", Size: words(2), Merge: extreme(1), Number: first, Weight: first, Counts: 1, HasSign: true},
	// u64 bucket[HistBuckets(K)]
	Hist: {Name: "hist", Shape: Buckets, Size: func(a *Agg) int { return 8 * HistBuckets(a.K) }, Merge: add, Weight: all, Counts: -1, AddsUp: true,
		MapType: "hist"},
	// u64 bucket[LHistBuckets()]
	LHist: {Name: "lhist", Shape: Buckets, Size: func(a *Agg) int { return 8 * a.LHistBuckets() }, Merge: add, Weight: all, Counts: -1, AddsUp: true,
		MapType: "hist"},
	// as hist with K = QuantileK, then u64 max (see QuantileBias)
	Quantile: {Name: "quantile", Shape: Quantiles, Size: func(*Agg) int { return QuantileMax + 8 }, Merge: mergeQuantile,
		Weight: func(v []byte, a *Agg) uint64 { return all(v[:min(len(v), QuantileMax)], a) }, Counts: -1, MapType: "quantile"},
	// Slots × { u64 epoch, i64 value, u64 n }
	TSeries: {Name: "tseries", Shape: Series, Size: func(a *Agg) int { return slotSize * a.Slots }, Merge: mergeSeries, Counts: -1,
		Adds: func(a *Agg) bool { return a.Func == Sum || a.Func == Avg }, MapType: "tseries"},
	// see RankingLayout
	Top: {Name: "top", Shape: Ranking, Size: func(a *Agg) int { return a.Ranking().size() }, Merge: mergeRankings, Mend: mendRanking,
		Weight: func(v []byte, _ *Agg) uint64 { return word(v, 0) + word(v, 1) }, Counts: 1, MapType: "top"},
}

// Aggregation is the record of a kind, nil if values of that kind are no aggregations.
func (k Kind) Aggregation() *Aggregation { return aggregations[k] }

// IsAggregation reports whether values of kind k are kept per CPU and merged
// when read.
func (k Kind) IsAggregation() bool { return k >= firstAggregation }

// IsChart reports whether k is an aggregation of more than one number.
func (k Kind) IsChart() bool { return k.IsAggregation() && aggregations[k].Number == nil }

// IsNumber reports whether values of kind k are one number to compute with: integers, and aggregations that are one.
func (k Kind) IsNumber() bool { return k == Int || k.IsAggregation() && !k.IsChart() }

// Has reports whether values of kind k are aggregations of a shape.
func (k Kind) Has(s Shape) bool { return k.IsAggregation() && aggregations[k].Shape == s }

// AddsUp reports whether a later value of an aggregation less an earlier one is
// what came in between.
func (k Kind) AddsUp() bool { return k.IsAggregation() && aggregations[k].AddsUp }

// AggregationType makes the type of a map's value from its parameters.
func AggregationType(kind Kind, agg Agg) *Type {
	return &Type{Kind: kind, Agg: agg, Signed: agg.Signed, Size: aggregations[kind].Size(&agg)}
}

// IsEmpty reports whether a value has seen nothing.
func (r *Aggregation) IsEmpty(v []byte) bool {
	if r.Counts >= 0 {
		return word(v, r.Counts) == 0
	}
	return !slices.ContainsFunc(v, func(b byte) bool { return b != 0 })
}

// HistBuckets is the number of buckets of hist(n, k): every index that the
// formula of irbuild.HistIndex gives for a signed 64-bit n.
func HistBuckets(k int) int {
	// The largest n is 2^63-1: L = 62-k.
	l := 62 - k
	return ((l + 1) << k) + (1 << k) + 1
}

// LHistBuckets is the number of buckets of lhist.
func (a *Agg) LHistBuckets() int { return int((a.Max-a.Min)/max(a.Step, 1)) + 2 }

// QuantileK is the fineness of quantile's histogram: a relative error of at
// most 1/16.
const QuantileK = 4

// QuantileMax is where a quantile's value has its largest number, and
// QuantileBias what is added to it: 0 is then less than every number.
var QuantileMax = 8 * HistBuckets(QuantileK)

const QuantileBias = 1 << 63

func words(n int) func(*Agg) int { return func(*Agg) int { return 8 * n } }

// word is the i-th u64 of a value; beyond its end there are zeros.
func word(b []byte, i int) uint64 {
	if len(b) < 8*i+8 {
		return 0
	}
	return binary.NativeEndian.Uint64(b[8*i:])
}

func setWord(b []byte, i int, n uint64) { binary.NativeEndian.PutUint64(b[8*i:], n) }

func always(*Agg) bool { return true }

func first(v []byte, _ *Agg) uint64 { return word(v, 0) }

func total(v []byte, a *Agg) uint64 { return a.quotient(word(v, 0), uint64(a.Divisor)) }

// average is that of a total, divided toward zero.
func average(v []byte, a *Agg) uint64 {
	return a.quotient(a.quotient(word(v, 0), word(v, 1)), uint64(a.Divisor))
}

// quotient is total / n, or total if n is 0.
func (a *Agg) quotient(total, n uint64) uint64 {
	switch {
	case n <= 1:
		return total
	case a.Signed:
		return uint64(int64(total) / int64(n))
	}
	return total / n
}

// CountAverageTotal are the numbers of stats.
func (a *Agg) CountAverageTotal(v []byte) (n, avg, sum uint64) {
	return word(v, 1), average(v, a), total(v, a)
}

// all is how many values the buckets have.
func all(v []byte, _ *Agg) (n uint64) {
	for i := range len(v) / 8 {
		n += word(v, i)
	}
	return n
}

// add merges values whose numbers add up.
func add(dst, src []byte, _ *Agg) {
	for i := range len(dst) / 8 {
		setWord(dst, i, word(dst, i)+word(src, i))
	}
}

// extreme merges minima (-1) or maxima (1).
func extreme(sign int) func(dst, src []byte, a *Agg) {
	return func(dst, src []byte, a *Agg) {
		if n := word(src, 1); n > 0 {
			if word(dst, 1) == 0 || a.compare(word(src, 0), word(dst, 0)) == sign {
				setWord(dst, 0, word(src, 0))
			}
			setWord(dst, 1, word(dst, 1)+n)
		}
	}
}

func (a *Agg) compare(x, y uint64) int {
	if a.Signed {
		return cmp.Compare(int64(x), int64(y))
	}
	return cmp.Compare(x, y)
}

// mergeQuantile adds the buckets; of the maxima the larger one stays.
func mergeQuantile(dst, src []byte, a *Agg) {
	add(dst[:QuantileMax], src, a)
	last := QuantileMax / 8
	setWord(dst, last, max(word(dst, last), word(src, last)))
}

const slotSize = 24

// Slot is an interval of a tseries that has data.
type Slot struct {
	Epoch    int64 // start of the interval divided by its length
	value, n uint64
}

// Value is what is shown of the slot.
func (s Slot) Value(a *Agg) int64 {
	n := int64(s.value)
	if a.Func == Avg {
		n /= int64(s.n)
	}
	return n / max(a.Divisor, 1)
}

// SlotsOf are the slots of a tseries that have data, oldest first.
func SlotsOf(v []byte) (slots []Slot) {
	for ; len(v) >= slotSize; v = v[slotSize:] {
		if s := (Slot{int64(word(v, 0)), word(v, 1), word(v, 2)}); s.n != 0 {
			slots = append(slots, s)
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return slots
}

// mergeSeries merges the slots of the same epoch, keeps the newest and puts
// them in order of time.
func mergeSeries(dst, src []byte, a *Agg) {
	var slots []Slot
	for _, s := range SlotsOf(slices.Concat(dst, src)) {
		i := len(slots) - 1
		if i < 0 || slots[i].Epoch != s.Epoch {
			slots = append(slots, s)
			continue
		}
		old := &slots[i]
		old.n += s.n
		switch sign := a.compare(s.value, old.value); {
		case a.Func == Sum || a.Func == Avg:
			old.value += s.value
		case a.Func == Min && sign < 0, a.Func == Max && sign > 0, a.Func == Invalid: // the last value: any CPU's
			old.value = s.value
		}
	}
	clear(dst)
	for i, s := range slots[max(0, len(slots)-len(dst)/slotSize):] {
		setWord(dst, 3*i, uint64(s.Epoch))
		setWord(dst, 3*i+1, s.value)
		setWord(dst, 3*i+2, s.n)
	}
}

// RankingLayout is how the keys of top() lie in memory:
//
//	u64 missed, u64 seen
//	Sets × { u64 after, RankingWays × { u64 count, u64 error, key }, u64 before }
//
// seen events were counted and missed were not: they came while another one was being counted on the CPU. A key belongs
// to one set, by its hash. A set counts by the algorithm Space-Saving (Metwally et al., 2005): a key that it does not
// have takes the first free slot or, if there is none, that of the least count, which it goes on from; error is that
// count. So a key that a set has occurred count times at most and count - error times at least, and any
// other at most as often as the least count of the set says, or never if a slot is free. A free slot has the count 0.
//
// before and after are how often a slot of the set was given to another key: before is stored first, and after last.
// A reading, which goes upwards, has met no such change if both are the same.
type RankingLayout struct {
	Sets    int // a power of two
	KeySize int // a multiple of 8
}

const (
	// RankingWays is how many slots a set has: so many keys are counted exactly in any case.
	RankingWays = 16
	// MostRanking is the largest value: what the kernel allocates for each CPU.
	MostRanking   = 32 << 10
	rankingHeader = 16
	wordsOfSlot   = 2
)

// Ranking is the layout for the parameters of top. There are four slots for each key that is shown, or two where more
// would be too large.
func (a *Agg) Ranking() RankingLayout {
	l := RankingLayout{1, (a.Elem.Size + 7) &^ 7}
	for l.Sets*RankingWays < 4*a.N {
		l.Sets *= 2
	}
	for l.size() > MostRanking && l.Sets > 1 {
		l.Sets /= 2
	}
	return l
}

// Slots is how many keys there is room for.
func (l RankingLayout) Slots() int { return l.Sets * RankingWays }

// SlotSize and SetSize are distances between two slots and two sets.
func (l RankingLayout) SlotSize() int { return 8*wordsOfSlot + l.KeySize }
func (l RankingLayout) SetSize() int  { return 16 + RankingWays*l.SlotSize() }

func (l RankingLayout) size() int { return rankingHeader + l.Sets*l.SetSize() }

// sets are those of a value.
func (l RankingLayout) sets(v []byte) (list [][]byte) {
	for off := rankingHeader; off+l.SetSize() <= len(v); off += l.SetSize() {
		list = append(list, v[off:off+l.SetSize()])
	}
	return list
}

// Ranked is a key of top(): it occurred Count times at most, and Count - Error times at least.
type Ranked struct {
	Key          []byte
	Count, Error uint64
}

// ranked are the keys of a set, and how often any other key occurred at most.
func (l RankingLayout) ranked(set []byte) (list []Ranked, others uint64) {
	others = math.MaxUint64
	for i := range RankingWays {
		slot := set[8+i*l.SlotSize():]
		r := Ranked{slot[8*wordsOfSlot : l.SlotSize()], word(slot, 0), word(slot, 1)}
		if r.Count > 0 {
			list = append(list, r)
		}
		others = min(others, r.Count)
	}
	return list, others
}

// RankedOf are the keys that top() has.
func (a *Agg) RankedOf(v []byte) (list []Ranked) {
	for _, set := range a.Ranking().sets(v) {
		some, _ := a.Ranking().ranked(set)
		for _, r := range some {
			list = append(list, Ranked{r.Key, r.Count + word(v, 0), r.Error + word(v, 0)})
		}
	}
	return list
}

// mergeRankings adds up, set by set, what is known of each key: of one that is missing on a side, how often it
// occurred there at most. The largest stay (Agarwal et al., Mergeable Summaries, 2012).
func mergeRankings(dst, src []byte, a *Agg) {
	add(dst[:rankingHeader], src, a)
	l := a.Ranking()
	from := l.sets(src)
	for i, set := range l.sets(dst) {
		mine, othersHere := l.ranked(set)
		theirs, othersThere := l.ranked(from[i])
		at := map[string]int{}
		var all []Ranked
		for _, r := range mine {
			at[string(r.Key)] = len(all)
			all = append(all, Ranked{slices.Clone(r.Key), r.Count + othersThere, r.Error + othersThere})
		}
		for _, r := range theirs {
			if i, both := at[string(r.Key)]; both {
				all[i].Count += r.Count - othersThere
				all[i].Error += r.Error - othersThere
			} else {
				all = append(all, Ranked{r.Key, r.Count + othersHere, r.Error + othersHere})
			}
		}
		slices.SortStableFunc(all, func(a, b Ranked) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Error, b.Error))
		})
		clear(set)
		for j, r := range all[:min(len(all), RankingWays)] {
			slot := set[8+j*l.SlotSize():]
			setWord(slot, 0, r.Count)
			setWord(slot, 1, r.Error)
			copy(slot[8*wordsOfSlot:], r.Key)
		}
	}
}

// mendRanking is Aggregation.Mend.
func mendRanking(v, again []byte, a *Agg) (torn bool) {
	l := a.Ranking()
	changed := func(set []byte) bool { return word(set, 0) != word(set, l.SetSize()/8-1) }
	other := l.sets(again)
	for i, set := range l.sets(v) {
		if changed(set) && !changed(other[i]) {
			copy(set, other[i])
		}
		torn = torn || changed(set)
	}
	return torn
}
