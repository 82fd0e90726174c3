package render

import (
	"bytes"
	"strconv"

	"fst/runtime/event"
)

// elements shows a map.
func (t *Text) elements(e *event.Map) {
	if e.Map.Value == nil {
		return
	}
	r := e.Elements(t.exited)
	t.p.div = divisor(e.Div)
	if d := displayOf(e.Map.Value); d != nil && d.all != nil {
		t.buf = d.all(liner{&t.p}, t.buf, r)
	} else {
		for i := range r.Entries {
			t.buf = liner{&t.p}.element(t.buf, r, i)
			if len(t.buf) >= keep {
				t.flush()
			}
		}
	}
	t.p.div = 0
}

// elementName appends "@m" or "@m[key]".
func (l liner) elementName(b []byte, r event.Elements, i int) []byte {
	b = append(b, r.Map.Name...)
	if r.Map.Key == nil {
		return b
	}
	div := l.p.div
	l.p.div = 0
	b = l.p.key(append(b, '['), r.Key(i))
	l.p.div = div
	return append(b, ']')
}

// element appends one element: a line, or its name and the rows of a chart
// with a blank line behind them.
func (l liner) element(b []byte, r event.Elements, i int) []byte {
	b = append(l.elementName(b, r, i), ':')
	v := r.Value(i)
	if d := displayOf(v.Type); d != nil && d.below {
		b = d.text(l.p, append(b, '\n'), v, r.Last)
	} else {
		b = l.p.text(append(b, ' '), v)
	}
	return append(b, '\n')
}

// quantileMap appends the elements of a quantile map with their numbers in
// columns.
func (l liner) quantileMap(b []byte, r event.Elements) []byte {
	var names [][]byte
	longest := 0
	widths := make([]int, len(quantileShares))
	for i := range r.Entries {
		name := append(l.elementName(nil, r, i), ':', ' ')
		if bytes.IndexByte(name, '\n') < 0 {
			longest = max(longest, len(name))
		}
		names = append(names, name)
		for j, n := range l.p.div.quantileValues(r.Value(i).Histogram()) {
			widths[j] = max(widths[j], len(strconv.FormatInt(n, 10)))
		}
	}
	for i, name := range names {
		start := len(b)
		b = append(b, name...)
		if bytes.IndexByte(name, '\n') < 0 {
			b = padTo(b, start+longest)
		}
		b = append(l.p.div.quantiles(b, r.Value(i).Histogram(), widths), '\n')
	}
	return b
}
