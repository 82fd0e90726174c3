package render

import (
	"bytes"
	"slices"
	"strconv"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

// mapRows are the entries of a map to show, in order.
type mapRows struct {
	m       *object.Map
	entries []value.Entry
	// last is the newest epoch of a tseries map.
	last int64
}

// rowsOf selects and orders what print(@m, top) shows of a snapshot.
func rowsOf(m *object.Map, s *value.Snapshot, top int64, exit bool) mapRows {
	r := mapRows{m: m, entries: s.Entries}
	if m.Key == nil {
		r.entries = scalarEntry(m, s, exit)
	} else {
		r.entries = slices.Clone(r.entries) // others show the snapshot, too
		value.Sort(m.Key, m.Value, r.entries)
		if n := int64(len(r.entries)); top > 0 && top < n {
			r.entries = r.entries[n-top:]
		}
	}
	if m.Value.Kind == types.TSeries {
		for _, e := range r.entries {
			r.last = max(r.last, lastEpoch(value.Of(m.Value, e.Value).Series()))
		}
	}
	return r
}

// scalarEntry is the value of a map without keys. One that was never set, or
// was cleared, has no entry: it is not shown at exit; print shows the zero value
// of its type, but nothing for a chart.
func scalarEntry(m *object.Map, s *value.Snapshot, exit bool) []value.Entry {
	if len(s.Entries) > 0 {
		return s.Entries[:1]
	}
	if exit || isChart(m.Value.Kind) || m.Value.Kind == types.Quantile {
		return nil
	}
	return []value.Entry{{Value: make([]byte, m.Value.Size)}}
}

func (r mapRows) value(i int) value.Value { return value.Of(r.m.Value, r.entries[i].Value) }

// Map implements form.
func (t *Text) Map(m *object.Map, s *value.Snapshot, top, div int64) {
	if m.Value == nil {
		return
	}
	r := rowsOf(m, s, top, t.exited)
	t.p.div = div
	if m.Value.Kind == types.Quantile {
		t.buf = t.p.quantileMap(t.buf, r)
	} else {
		for i := range r.entries {
			t.buf = t.p.element(t.buf, r, i)
			if len(t.buf) >= keep {
				t.flush()
			}
		}
	}
	t.p.div = 0
	t.done()
}

// elementName appends "@m" or "@m[key]".
func (p *printer) elementName(b []byte, r mapRows, i int) []byte {
	b = append(b, r.m.Name...)
	if r.m.Key == nil {
		return b
	}
	div := p.div
	p.div = 0
	b = p.key(append(b, '['), value.Of(r.m.Key, r.entries[i].Key))
	p.div = div
	return append(b, ']')
}

// element appends one element: a line, or its name and the rows of a chart
// with a blank line behind them.
func (p *printer) element(b []byte, r mapRows, i int) []byte {
	b = append(p.elementName(b, r, i), ':')
	v := r.value(i)
	switch {
	case v.Type.Kind == types.TSeries:
		b = p.series(append(b, '\n'), v.Type.Agg, v.Series(), r.last)
	case isChart(v.Type.Kind):
		b = p.rows(append(b, '\n'), v.Histogram())
	default:
		b = p.text(append(b, ' '), v)
	}
	return append(b, '\n')
}

// quantileMap appends the elements of a quantile map with their numbers in
// columns.
func (p *printer) quantileMap(b []byte, r mapRows) []byte {
	var names [][]byte
	longest := 0
	widths := make([]int, len(quantileShares))
	for i := range r.entries {
		name := append(p.elementName(nil, r, i), ':', ' ')
		if bytes.IndexByte(name, '\n') < 0 {
			longest = max(longest, len(name))
		}
		names = append(names, name)
		for j, n := range p.quantileValues(r.value(i).Histogram()) {
			widths[j] = max(widths[j], len(strconv.FormatInt(n, 10)))
		}
	}
	for i, name := range names {
		start := len(b)
		b = append(b, name...)
		if bytes.IndexByte(name, '\n') < 0 {
			b = padTo(b, start+longest)
		}
		b = append(p.quantiles(b, r.value(i).Histogram(), widths), '\n')
	}
	return b
}
