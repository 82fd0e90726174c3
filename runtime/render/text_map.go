package render

import (
	"bytes"
	"strconv"

	"fst/compiler/types"
	"fst/runtime/event"
)

// elements shows a map.
func (t *Text) elements(e *event.Map) {
	if e.Map.Value == nil {
		return
	}
	r := e.Elements(t.exited)
	t.p.div = e.Div
	if e.Map.Value.Kind == types.Quantile {
		t.buf = t.p.quantileMap(t.buf, r)
	} else {
		for i := range r.Entries {
			t.buf = t.p.element(t.buf, r, i)
			if len(t.buf) >= keep {
				t.flush()
			}
		}
	}
	t.p.div = 0
}

// elementName appends "@m" or "@m[key]".
func (p *printer) elementName(b []byte, r event.Elements, i int) []byte {
	b = append(b, r.Map.Name...)
	if r.Map.Key == nil {
		return b
	}
	div := p.div
	p.div = 0
	b = p.key(append(b, '['), r.Key(i))
	p.div = div
	return append(b, ']')
}

// element appends one element: a line, or its name and the rows of a chart
// with a blank line behind them.
func (p *printer) element(b []byte, r event.Elements, i int) []byte {
	b = append(p.elementName(b, r, i), ':')
	v := r.Value(i)
	switch {
	case v.Type.Kind == types.TSeries:
		b = p.series(append(b, '\n'), v.Type.Agg, v.Series(), r.Last)
	case isChart(v.Type.Kind):
		b = p.rows(append(b, '\n'), v.Histogram())
	default:
		b = p.text(append(b, ' '), v)
	}
	return append(b, '\n')
}

// quantileMap appends the elements of a quantile map with their numbers in
// columns.
func (p *printer) quantileMap(b []byte, r event.Elements) []byte {
	var names [][]byte
	longest := 0
	widths := make([]int, len(quantileShares))
	for i := range r.Entries {
		name := append(p.elementName(nil, r, i), ':', ' ')
		if bytes.IndexByte(name, '\n') < 0 {
			longest = max(longest, len(name))
		}
		names = append(names, name)
		for j, n := range p.quantileValues(r.Value(i).Histogram()) {
			widths[j] = max(widths[j], len(strconv.FormatInt(n, 10)))
		}
	}
	for i, name := range names {
		start := len(b)
		b = append(b, name...)
		if bytes.IndexByte(name, '\n') < 0 {
			b = padTo(b, start+longest)
		}
		b = append(p.quantiles(b, r.Value(i).Histogram(), widths), '\n')
	}
	return b
}
