package render

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"

	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// display is how the sinks show aggregations of one shape. What of it is nil, no sink asks for. last is the
// newest epoch of the map that the value is in, or 0.
type display struct {
	// text is that of a value. It is below its name, if it is several lines.
	text  func(p *printer, b []byte, v value.Value, last int64) []byte
	below bool
	// all is the text of a whole map, whose elements are more than their texts.
	all  func(l liner, b []byte, r event.Elements) []byte
	json func(w jsonWriter, b []byte, v value.Value, last int64) []byte
	// columns are the parts of a line of CSV, and cells those lines. In Influx the fields of one point are
	// fields, and a value of several points has points.
	columns func(t *types.Type) []heading
	cells   func(c *CSV, start int, v value.Value, last int64)
	fields  func(in *Influx, name string, v value.Value)
	points  func(in *Influx, name string, r event.Elements, i int)
	native  func(d *Decoder, v value.Value) any
	// weight is the number of a line of Folded.
	weight func(p *printer, v value.Value) uint64
}

// heading is that of a part of a value, which may have the value's unit.
type heading struct {
	name    string
	hasUnit bool
	divided bool // print() divides it, if told so
}

// unit is what a part of a value counts, which print() was told to divide by div.
func (h heading) unit(of types.Unit, div int64) types.Unit {
	switch {
	case !h.hasUnit:
		return types.Unit{}
	case h.divided:
		return dividedUnit(of, div)
	}
	return of
}

var displays map[types.Shape]*display

func init() {
	totals := func(p *printer, v value.Value) uint64 {
		t := p.div.totals(v)
		return positive(t.Total, t.Signed)
	}
	total := func(p *printer, v value.Value) uint64 { return v.Histogram().Total() }
	displays = map[types.Shape]*display{
		types.Single: {
			text: func(p *printer, b []byte, v value.Value, _ int64) []byte { return p.div.number(b, v) },
			json: func(w jsonWriter, b []byte, v value.Value, _ int64) []byte {
				return appendJSONNumber(b, w.p.div.scaled(v), v.Signed())
			},
			columns: func(*types.Type) []heading { return []heading{{"", true, true}} },
			cells:   func(c *CSV, _ int, v value.Value, _ int64) { c.number(c.p.div.scaled(v), v.Signed()) },
			fields:  func(in *Influx, name string, v value.Value) { in.number(name, in.p.div.scaled(v), v.Signed()) },
			native:  func(d *Decoder, v value.Value) any { return d.number(v) },
			weight:  func(p *printer, v value.Value) uint64 { return positive(p.div.scaled(v), v.Signed()) },
		},
		types.Totals: {
			text: func(p *printer, b []byte, v value.Value, _ int64) []byte { return p.div.stats(b, v) },
			json: jsonParts, columns: partColumns, cells: partCells, fields: partFields, native: nativeStats, weight: totals,
		},
		types.Quantiles: {
			text: func(p *printer, b []byte, v value.Value, _ int64) []byte {
				return p.div.quantiles(b, v.Histogram(), nil)
			},
			all:  liner.quantileMap,
			json: jsonParts, columns: partColumns, cells: partCells, fields: partFields, native: nativeQuantiles, weight: total,
		},
		types.Buckets: {
			text:  func(p *printer, b []byte, v value.Value, _ int64) []byte { return p.div.rows(b, v.Histogram()) },
			below: true, json: jsonBuckets,
			columns: func(*types.Type) []heading {
				return []heading{{name: "lo", hasUnit: true}, {name: "hi", hasUnit: true}, {name: "count"}}
			},
			cells: bucketCells, fields: bucketFields, native: nativeBuckets, weight: total,
		},
		types.Series: {
			text: (*printer).series, below: true, json: jsonSeries,
			columns: func(*types.Type) []heading { return []heading{{name: "start"}, {name: "", hasUnit: true}} },
			cells:   slotCells, points: slotPoints, native: nativeSeries,
			weight: func(*printer, value.Value) uint64 { return 0 },
		},
		types.Ranking: {
			text: (*printer).ranking, below: true, json: jsonRanking,
			columns: func(*types.Type) []heading {
				return []heading{{name: "key", hasUnit: true}, {name: "count"}, {name: "error"}}
			},
			cells: rankedCells, points: rankedPoints, native: nativeRanking,
			weight: func(_ *printer, v value.Value) uint64 { return v.Type.Kind.Aggregation().Weight(v.Data, &v.Type.Agg) },
		},
	}
}

// displayOf is how an aggregation is shown, nil for values that are none.
func displayOf(t *types.Type) *display {
	if agg := t.Kind.Aggregation(); agg != nil {
		return displays[agg.Shape]
	}
	return nil
}

// positive is n, or 0 if it is negative.
func positive(n uint64, signed bool) uint64 {
	if signed && n > math.MaxInt64 {
		return 0
	}
	return n
}

// part is one of the numbers of a value that is several.
type part struct {
	name   string
	n      uint64
	signed bool
}

// parts are the numbers of stats and of a quantile, how many values there were first.
func (d divisor) parts(v value.Value) []part {
	if v.Type.Kind.Has(types.Totals) {
		t := d.totals(v)
		return []part{{"count", t.Count, false}, {"average", t.Average, t.Signed}, {"total", t.Total, t.Signed}}
	}
	h := v.Histogram()
	list := []part{{"count", h.Total(), false}}
	for i, n := range d.quantileValues(h) {
		list = append(list, part{quantileShares[i].name, uint64(n), true})
	}
	return list
}

func jsonParts(w jsonWriter, b []byte, v value.Value, _ int64) []byte {
	b = append(b, '{')
	first := true
	for _, part := range w.p.div.parts(v) {
		b = appendJSONNumber(appendMember(b, &first, part.name), part.n, part.signed)
	}
	return append(b, '}')
}

func partColumns(t *types.Type) (list []heading) {
	for i, part := range divisor(0).parts(value.Of(t, make([]byte, t.Size))) {
		list = append(list, heading{part.name, i > 0, part.name != "total"})
	}
	return list
}

func partCells(c *CSV, _ int, v value.Value, _ int64) {
	for _, part := range c.p.div.parts(v) {
		c.number(part.n, part.signed)
	}
}

func partFields(in *Influx, name string, v value.Value) {
	for _, part := range in.p.div.parts(v) {
		in.number(joined(name, part.name), part.n, part.signed)
	}
}

func nativeStats(_ *Decoder, v value.Value) any {
	s := v.Totals()
	if s.Signed {
		return Stats{s.Count, int64(s.Average), int64(s.Total)}
	}
	return Stats{s.Count, s.Average, s.Total}
}

func nativeQuantiles(d *Decoder, v value.Value) any {
	h := v.Histogram()
	q := d.p.div.quantileValues(h)
	return Quantiles{h.Total(), q[0], q[1], q[2], q[3], q[4]}
}

// jsonBuckets appends the buckets that a chart would show, with both bounds
// included; a bucket without a bound on a side leaves it out.
func jsonBuckets(w jsonWriter, b []byte, v value.Value, _ int64) []byte {
	h := v.Histogram()
	from, end := h.Range()
	b = append(b, '[')
	for i := from; i < end; i++ {
		if i > from {
			b = append(b, ',')
		}
		b = append(b, '{')
		bound, first := h.Bounds(i), true
		if bound.Lo != math.MinInt64 {
			b = appendJSONNumber(appendMember(b, &first, "min"), uint64(bound.Lo), true)
		}
		if bound.Hi != math.MaxInt64 || !h.Linear {
			b = appendJSONNumber(appendMember(b, &first, "max"), uint64(bound.Hi), true)
		}
		b = append(appendJSONNumber(appendMember(b, &first, "count"), w.p.div.bucket(h, i), false), '}')
	}
	return append(b, ']')
}

func bucketCells(c *CSV, start int, v value.Value, _ int64) {
	h := v.Histogram()
	from, end := h.Range()
	before := bytes.Clone(c.buf[start:])
	c.buf = c.buf[:start]
	for i := from; i < end; i++ {
		c.buf = append(c.buf, before...)
		bound := h.Bounds(i)
		if bound.Lo != math.MinInt64 {
			c.buf = strconv.AppendInt(c.buf, bound.Lo, 10)
		}
		c.buf = append(c.buf, ',')
		if bound.Hi != math.MaxInt64 || !h.Linear {
			c.buf = strconv.AppendInt(c.buf, bound.Hi, 10)
		}
		c.buf = strconv.AppendUint(append(c.buf, ','), c.p.div.bucket(h, i), 10)
		c.buf = append(c.buf, lineEnd...)
	}
}

func bucketFields(in *Influx, name string, v value.Value) {
	h := v.Histogram()
	first, end := h.Range()
	for i := first; i < end; i++ {
		bound := "below"
		if lo := h.Bounds(i).Lo; lo != math.MinInt64 {
			bound = "ge_" + strconv.FormatInt(lo, 10)
		}
		in.number(joined(name, bound), in.p.div.bucket(h, i), false)
	}
	in.number(joined(name, "count"), h.Total(), false)
}

func nativeBuckets(_ *Decoder, v value.Value) any {
	h := v.Histogram()
	first, end := h.Range()
	list := make([]Bucket, 0, end-first)
	for i := first; i < end; i++ {
		b := h.Bounds(i)
		list = append(list, Bucket{b.Lo, b.Hi, h.Counts[i]})
	}
	return list
}

func jsonSeries(w jsonWriter, b []byte, v value.Value, last int64) []byte {
	b = append(b, '[')
	for i, s := range shownSlots(v, last) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"interval_start":"`...)
		b = w.p.seriesStart(v.Type.Agg, s.Epoch).UTC().AppendFormat(b, "2006-01-02 15:04:05.000000000")
		b = append(b, `","value":`...)
		b = append(appendJSONNumber(b, uint64(s.Value), true), '}')
	}
	return append(b, ']')
}

func slotCells(c *CSV, start int, v value.Value, last int64) {
	before := bytes.Clone(c.buf[start:])
	c.buf = c.buf[:start]
	for _, s := range shownSlots(v, last) {
		c.buf = csvTime(append(c.buf, before...), c.p.seriesStart(v.Type.Agg, s.Epoch).In(c.p.loc))
		c.buf = append(strconv.AppendInt(c.buf, s.Value, 10), lineEnd...)
	}
}

func slotPoints(in *Influx, name string, r event.Elements, i int) {
	v := r.Value(i)
	for _, slot := range shownSlots(v, r.Last) {
		in.key(r, i)
		in.number(name, uint64(slot.Value), true)
		in.point(in.p.seriesStart(v.Type.Agg, slot.Epoch))
	}
}

func nativeSeries(d *Decoder, v value.Value) any {
	list := []Slot{}
	for _, s := range shownSlots(v, 0) {
		list = append(list, Slot{d.p.seriesStart(v.Type.Agg, s.Epoch), s.Value})
	}
	return list
}

// rankedKey is a key of top() with its numbers.
type rankedKey struct {
	types.Ranked
	key value.Value
}

// rankingOf are the keys that are shown, by how often they occurred at least.
func rankingOf(v value.Value) (list []rankedKey) {
	agg := &v.Type.Agg
	for _, r := range agg.RankedOf(v.Data) {
		list = append(list, rankedKey{r, value.Of(agg.Elem, r.Key)})
	}
	slices.SortStableFunc(list, func(a, b rankedKey) int {
		return cmp.Or(cmp.Compare(b.Count-b.Error, a.Count-a.Error), cmp.Compare(b.Count, a.Count), value.Compare(a.key, b.key))
	})
	return list[:min(len(list), agg.N)]
}

// undivided calls f with numbers that are not divided: keys are none of those that print divides.
func (d *divisor) undivided(f func()) {
	before := *d
	*d = 0
	f()
	*d = before
}

// ranking appends a line for each key.
func (p *printer) ranking(b []byte, v value.Value, _ int64) []byte {
	b = append(b, "   COUNT    ERROR  KEY\n"...)
	p.div.undivided(func() {
		for _, r := range rankingOf(v) {
			b = appendRight(append(appendRight(b, 8, r.Count), ' '), 8, r.Error)
			b = append(p.key(append(b, "  "...), r.key), '\n')
		}
	})
	return b
}

func jsonRanking(w jsonWriter, b []byte, v value.Value, _ int64) []byte {
	b = append(b, '[')
	w.p.div.undivided(func() {
		for i, r := range rankingOf(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.value(append(b, `{"key": `...), r.key)
			b = appendJSONNumber(append(b, `, "count": `...), r.Count, false)
			b = append(appendJSONNumber(append(b, `, "error": `...), r.Error, false), '}')
		}
	})
	return append(b, ']')
}

func rankedCells(c *CSV, start int, v value.Value, _ int64) {
	before := bytes.Clone(c.buf[start:])
	c.buf = c.buf[:start]
	c.p.div.undivided(func() {
		for _, r := range rankingOf(v) {
			c.buf = csvCell(append(c.buf, before...), c.textOf(r.key))
			c.number(r.Count, false)
			c.buf = append(strconv.AppendUint(c.buf, r.Error, 10), lineEnd...)
		}
	})
}

func rankedPoints(in *Influx, name string, r event.Elements, i int) {
	for _, ranked := range rankingOf(r.Value(i)) {
		in.key(r, i)
		in.tag(joined(name, "key"), in.tight(ranked.key))
		in.number(joined(name, "count"), ranked.Count, false)
		in.number(joined(name, "error"), ranked.Error, false)
		in.point(r.Time)
	}
}

// nativeRanking gives each key as Fields with the names key, count and error.
func nativeRanking(d *Decoder, v value.Value) any {
	list := []Fields{}
	for _, r := range rankingOf(v) {
		list = append(list, Fields{{Name: "key", Value: d.native(r.key)}, {Name: "count", Value: r.Count}, {Name: "error", Value: r.Error}})
	}
	return list
}
