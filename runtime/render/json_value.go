package render

import (
	"math"
	"strconv"
	"time"

	"fst/compiler/types"
	"fst/lang/printable"
	"fst/runtime/event"
	"fst/runtime/value"
)

// jsonWriter writes values as JSON.
type jsonWriter struct{ p *printer }

// value appends a value. Numbers that a double does not hold exactly become
// strings; what has no form in JSON is shown as its text.
func (w jsonWriter) value(b []byte, v value.Value) []byte {
	if v.Type.Bits {
		return appendString(b, w.p.text(nil, v))
	}
	switch v.Type.Kind {
	case types.None, types.Invalid:
		return append(b, "null"...)
	case types.Int, types.Enum, types.Pointer, types.Count, types.Sum, types.Min, types.Max, types.Avg:
		return appendJSONNumber(b, w.p.div.scaled(v), v.Signed())
	case types.Bool:
		return strconv.AppendBool(b, v.Bool())
	case types.Tuple:
		b = append(b, '[')
		first := true
		for _, f := range v.Fields() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = w.value(b, f)
		}
		return append(b, ']')
	case types.Record, types.Struct, types.Union:
		b = append(b, '{')
		first := true
		for name, f := range v.Fields() {
			b = appendMember(b, &first, name)
			b = w.value(b, f)
		}
		return append(b, '}')
	case types.Array:
		if v.IsText() {
			return appendString(b, v.Bytes())
		}
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.value(b, v.Index(i))
		}
		return append(b, ']')
	case types.Buffer:
		b = append(b, '[')
		for i, c := range v.Bytes() {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(int8(c)), 10)
		}
		return append(b, ']')
	case types.Stats:
		return w.stats(b, v)
	case types.Hist, types.LHist:
		return w.hist(b, v.Histogram())
	case types.Quantile:
		return w.quantile(b, v.Histogram())
	case types.TSeries:
		slots := v.Series()
		return w.series(b, v.Type.Agg, slots, lastEpoch(slots))
	}
	return appendString(b, w.p.text(nil, v))
}

func (w jsonWriter) stats(b []byte, v value.Value) []byte {
	t := w.p.div.totals(v)
	b = appendJSONNumber(append(b, `{"count": `...), t.Count, false)
	b = appendJSONNumber(append(b, `, "average": `...), t.Average, t.Signed)
	b = appendJSONNumber(append(b, `, "total": `...), t.Total, t.Signed)
	return append(b, '}')
}

// hist appends the buckets that a chart would show, with both bounds
// included; a bucket without a bound on a side leaves it out.
func (w jsonWriter) hist(b []byte, h value.Histogram) []byte {
	first, end := h.Range()
	b = append(b, '[')
	for i := first; i < end; i++ {
		if i > first {
			b = append(b, ',')
		}
		b = append(b, '{')
		bound := h.Bounds(i)
		if bound.Lo != math.MinInt64 {
			b = appendJSONNumber(append(b, `"min": `...), uint64(bound.Lo), true)
			b = append(b, ", "...)
		}
		if bound.Hi != math.MaxInt64 || !h.Linear {
			b = appendJSONNumber(append(b, `"max": `...), uint64(bound.Hi), true)
			b = append(b, ", "...)
		}
		b = appendJSONNumber(append(b, `"count": `...), w.p.div.bucket(h, i), false)
		b = append(b, '}')
	}
	return append(b, ']')
}

func (w jsonWriter) quantile(b []byte, h value.Histogram) []byte {
	b = appendJSONNumber(append(b, `{"count": `...), h.Total(), false)
	for i, n := range w.p.div.quantileValues(h) {
		b = append(append(append(b, `, "`...), quantileShares[i].name...), `": `...)
		b = appendJSONNumber(b, uint64(n), true)
	}
	return append(b, '}')
}

func (w jsonWriter) series(b []byte, agg types.Agg, slots []value.Slot, last int64) []byte {
	b = append(b, '[')
	for i, s := range shownSlots(agg, slots, last) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"interval_start":"`...)
		b = w.p.seriesStart(agg, s.Epoch).UTC().AppendFormat(b, "2006-01-02 15:04:05.000000000")
		b = append(b, `","value":`...)
		b = append(appendJSONNumber(b, uint64(s.Value), true), '}')
	}
	return append(b, ']')
}

// event appends the object of an event. Its arguments have an object of
// their own, as they may be called like one of the event's parts.
func (w jsonWriter) event(b []byte, r *event.Record) []byte {
	m, record := r.Message, r.Data
	s := w.p.shapes.of(m)
	b = append(b, `{"time": "`...)
	b = append(r.Time.In(w.p.loc).AppendFormat(b, time.RFC3339Nano), '"')
	for _, f := range s.thread {
		b = append(append(append(b, `, "`...), f.name...), `": `...)
		b = w.value(b, event.Field(f.MessageField, record))
	}
	b = append(b, `, "probe": `...)
	b = appendString(b, w.p.eventProbe(nil, m, s, record))
	b = append(b, `, "args": {`...)
	first := true
	for i := range s.args {
		b = appendMember(b, &first, s.args[i].name)
		b = w.value(b, event.Field(s.args[i].MessageField, record))
	}
	b = append(b, '}')
	if s.ret != nil {
		b = w.value(append(b, `, "ret": `...), event.Field(s.ret, record))
	}
	if s.took != nil {
		b = w.value(append(b, `, "took": `...), event.Field(s.took, record))
	}
	return append(b, '}')
}

// appendMember appends the name of an object's next member.
func appendMember(b []byte, first *bool, name string) []byte {
	if !*first {
		b = append(b, ", "...)
	}
	*first = false
	return append(appendString(b, []byte(name)), ": "...)
}

// appendJSONNumber appends a number, in quotes if a double cannot hold it.
func appendJSONNumber(b []byte, n uint64, signed bool) []byte {
	size := n
	if signed && int64(n) < 0 {
		size = -n
	}
	if f := float64(size); f < 1<<64 && uint64(f) == size {
		return appendNumber(b, n, signed)
	}
	return append(appendNumber(append(b, '"'), n, signed), '"')
}

// appendString appends a JSON string.
func appendString(b, s []byte) []byte { return printable.AppendJSON(b, s) }
