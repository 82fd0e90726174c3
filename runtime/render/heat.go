package render

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/runtime/event"
	"fst/runtime/value"
)

// A heat map shows a histogram as one line: a cell for each range of values, dark
// where many were counted. Lines below each other are what changes over time, so
// the columns and the shades are the same in all of them.
const (
	// heatWidth is how many characters the cells take together: with the time
	// before them and the count behind them a line fits 80 columns.
	heatWidth = 64
	// heatRange is how many characters there are for each range of a hist.
	heatRange = 2
	// shades are those of cells that counted nothing, 1 and more, 4 and more,
	// 16 and more...
	shades = " .:-=+*#%@"
)

// heatLegend says what the shades are.
var heatLegend = func() string {
	b := []byte("counts:")
	for i, power := 1, 0; i < len(shades); i, power = i+1, power+2 {
		b = append(b, "  "...)
		b = append(b, shades[i], ' ')
		b = strconv.AppendUint(b, 1<<(power%10), 10)
		if power >= 10 {
			b = append(b, 'K')
		}
	}
	return string(append(b, " and more\n"...))
}()

// shade is the character for a count.
func shade(n uint64) byte {
	i := 0
	for ; n > 0 && i < len(shades)-1; n /= 4 {
		i++
	}
	return shades[i]
}

// heatCells are the columns of a heat map for histograms of one kind: those with
// an index share a column.
type heatCells struct {
	width  int                  // of each cell
	n      int                  // cells
	column func(bucket int) int // of a histogram
	// label is what stands above a column, or empty.
	label func(column int) string
}

func cellsOf(h value.Histogram) heatCells {
	if h.Linear {
		// What lies below all buckets has the first cell by itself.
		buckets := len(h.Counts) - 1
		together := max(1, (buckets+heatWidth-2)/(heatWidth-1)) // buckets in a cell
		c := heatCells{n: 1 + (buckets+together-1)/together}
		c.width = max(1, min(heatRange, heatWidth/c.n))
		c.column = func(bucket int) int { return (bucket + together - 1) / together }
		c.label = func(column int) string {
			if (column-1)%(10/c.width) != 0 {
				return ""
			}
			return strconv.FormatInt(h.Bounds(1+(column-1)*together).Lo, 10)
		}
		return c
	}
	c := heatCells{width: heatRange, n: heatWidth / heatRange}
	// Negative numbers are with 0, and the last cell has no end.
	c.column = func(bucket int) int { return min(value.HistIndex(max(h.Bounds(bucket).Lo, 0), 0)-1, c.n-1) }
	c.label = func(column int) string {
		switch power := column - 1; {
		case column == 0:
			return "0"
		case power%5 == 0:
			return strconv.Itoa(1<<(power%10)) + strings.TrimSpace(" KMG"[power/10:power/10+1])
		}
		return ""
	}
	return c
}

// heading is the line above the cells.
func (c heatCells) heading(unit string) string {
	line := append(padTo([]byte(unit), len("hh:mm:ss"))[:len("hh:mm:ss")], '|')
	end := len(line) + c.n*c.width
	for i := range c.n {
		at := end - (c.n-i)*c.width
		if label := c.label(i); at >= len(line) && at+len(label) <= end {
			line = append(padTo(line, at), label...)
		}
	}
	return string(padTo(line, end)) + "|  COUNT\n"
}

// heat shows a line for each element of a map.
func (t *Text) heat(e *event.Heat) {
	msg, m := e.Message, e.Map
	if m.Value == nil {
		return
	}
	r := e.Elements()
	if len(r.Entries) == 0 && m.Key == nil && t.hot[m] {
		// Nothing happened, which is a line of its own.
		r.Entries = []value.Entry{{Value: make([]byte, m.Value.Size)}}
	}
	if m.Key != nil { // each at its place in all blocks of lines
		r.Entries = slices.Clone(r.Entries)
		slices.SortFunc(r.Entries, func(a, b value.Entry) int { return value.Compare(value.Of(m.Key, a.Key), value.Of(m.Key, b.Key)) })
	}
	now := r.Time.In(t.p.loc)
	for i := range r.Entries {
		h := r.Value(i).Histogram()
		cells := cellsOf(h)
		counts := make([]uint64, cells.n)
		for bucket, n := range h.Counts {
			if n > 0 {
				counts[cells.column(bucket)] += n
			}
		}
		if h.Total() == 0 && !t.hot[m] {
			continue
		}
		if t.hot == nil {
			t.hot = map[*object.Map]bool{}
			t.line(func() { t.buf = append(t.buf, heatLegend...) })
		}
		t.hot[m] = true
		if heading := cells.heading(msg.Sep); heading != t.heading {
			t.heading = heading
			t.line(func() { t.buf = append(t.buf, heading...) })
		}
		t.line(func() { t.buf = liner{&t.p}.heatLine(t.buf, r, i, now, counts, cells.width, msg.Sep) })
	}
}

// heatLine appends a line of a heat map.
func (l liner) heatLine(b []byte, r event.Elements, i int, now time.Time, counts []uint64, width int, unit string) []byte {
	b = append(now.AppendFormat(b, "15:04:05"), '|')
	var total uint64
	for _, n := range counts {
		for range width {
			b = append(b, shade(n))
		}
		total += n
	}
	b = appendRight(append(b, '|'), 7, total)
	if r.Map.Key == nil {
		return b
	}
	// Maps that are shown as charts, too, may have the unit for a key: it is in the heading.
	if key := l.p.key(nil, r.Key(i)); string(key) != unit {
		b = append(append(b, ' '), key...)
	}
	return b
}

// heat writes the histograms as print() shows them, with their time.
func (j *JSON) heat(e *event.Heat) {
	if e.Map.Value == nil {
		return
	}
	if r := e.Elements(); len(r.Entries) > 0 {
		j.openAt(mapType(e.Map.Value.Kind), r.Time.In(j.p.loc))
		j.rows(r, 0)
	}
}
