package render

import (
	"bytes"
	"slices"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// grid is a table as texts, for views that sort and filter it themselves.
type grid struct {
	columns []gridColumn
	rows    [][]gridCell
	more    int // rows that --top leaves out
	bar     int // the column whose numbers have bars, or -1
}

type gridColumn struct {
	name  string
	right bool // numbers
}

type gridCell struct {
	text   string
	number float64
}

// grids makes tables.
type grids struct{ p *printer }

// headings are the columns of a table, without rows.
func (g grids) headings(m *object.Message) grid {
	t := grid{bar: -1}
	if m.Stamped {
		t.columns = append(t.columns, gridColumn{name: "TIME"})
	}
	for i, c := range m.Columns {
		if c.Hidden() {
			continue
		}
		number := c.Verb.Conv != 's' && c.Verb.Conv != 'r' && c.Verb.Conv != 'c'
		if number && t.bar < 0 && m.Schema != nil && i >= m.Schema.Keys && m.Table != nil {
			t.bar = len(t.columns)
		}
		t.columns = append(t.columns, gridColumn{c.Name, number})
	}
	return t
}

// cells are the values of a line of a table.
func (g grids) cells(m *object.Message, cell func(column int) value.Value) (row []gridCell) {
	for i := range m.Columns {
		if c := &m.Columns[i]; !c.Hidden() {
			v := cell(i)
			row = append(row, gridCell{oneLine(formatter(g).conversion(nil, &c.Verb, v)), g.number(v)})
		}
	}
	return row
}

// oneLine is a text as it stands in a cell.
func oneLine(b []byte) string {
	return strings.ReplaceAll(string(bytes.TrimSpace(b)), "\n", " ")
}

// number is what orders values that are numbers, or 0.
func (g grids) number(v value.Value) float64 {
	if agg := v.Type.Kind.Aggregation(); v.Type.Kind != types.Int && (agg == nil || agg.Shape != types.Single) {
		return 0
	}
	n := g.p.div.scaled(v)
	if v.Signed() {
		return float64(int64(n))
	}
	return float64(n)
}

// table is that of table().
func (g grids) table(e *event.Table) grid {
	t, rows := g.headings(e.Message), e.Rows()
	t.more = rows.More
	for _, values := range rows.Rows {
		t.rows = append(t.rows, g.cells(e.Message, func(i int) value.Value { return values[i] }))
	}
	return t
}

// record is a table of one row, that of row().
func (g grids) record(r *event.Record) grid {
	t, m := g.headings(r.Message), r.Message
	fields := m.Fields
	var row []gridCell
	if m.Stamped {
		fields = fields[1:]
		row = append(row, gridCell{text: r.Time.In(g.p.loc).Format("15:04:05")})
	}
	t.rows = [][]gridCell{append(row, g.cells(m, func(i int) value.Value { return event.Field(&fields[i], r.Data) })...)}
	return t
}

// mapShape is what the values of a map look like.
func mapShape(m *object.Map) types.Shape {
	if agg := m.Value.Kind.Aggregation(); agg != nil {
		return agg.Shape
	}
	return types.Single
}

// numbers are the elements of a map, the largest first.
func (g grids) numbers(r event.Elements, shape types.Shape) grid {
	t, p, keys := grid{bar: -1}, g.p, r.Map.Schema.Keys
	for _, f := range r.Map.Schema.Fields[:keys] {
		t.columns = append(t.columns, gridColumn{f.Name, f.Type.Kind == types.Int})
	}
	if shape == types.Single {
		field := &r.Map.Schema.Fields[keys]
		for part, v := range shownParts(field, value.Of(r.Map.Value, make([]byte, r.Map.Value.Size))) {
			number := v.Type.Kind == types.Int || v.Type.Kind.IsAggregation()
			if part == field && number {
				t.bar = keys
			}
			t.columns = append(t.columns, gridColumn{part.Name, number})
		}
	} else {
		for _, part := range p.div.parts(value.Of(r.Map.Value, make([]byte, r.Map.Value.Size))) {
			t.columns = append(t.columns, gridColumn{part.name, true})
		}
	}
	for i := range slices.Backward(r.Entries) {
		if len(t.rows) == liveRows {
			t.more = i + 1
			break
		}
		var row []gridCell
		if r.Map.Key != nil {
			p.div.undivided(func() {
				for _, part := range event.KeyParts(r.Key(i)) {
					row = append(row, gridCell{oneLine(p.text(nil, part)), g.number(part)})
				}
			})
		}
		if v := r.Value(i); shape == types.Single {
			for _, part := range shownParts(&r.Map.Schema.Fields[keys], v) {
				row = append(row, gridCell{oneLine(p.text(nil, part)), g.number(part)})
			}
		} else {
			for _, part := range p.div.parts(v) {
				n := float64(part.n)
				if part.signed {
					n = float64(int64(part.n))
				}
				row = append(row, gridCell{string(appendNumber(nil, part.n, part.signed)), n})
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// charts are lines that show the elements of a map as text does, the largest first.
func (g grids) charts(r event.Elements) (lines []string) {
	for i := range slices.Backward(r.Entries) {
		text := string(liner(g).element(nil, r, i))
		lines = append(lines, strings.Split(strings.TrimRight(text, "\n"), "\n")...)
		if len(lines) > liveRows {
			break
		}
	}
	return lines
}
