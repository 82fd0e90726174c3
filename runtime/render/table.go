package render

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// headingOf is the line above the rows of a message.
func headingOf(m *object.Message) string {
	var b []byte
	if m.Stamped {
		b = append(b, "TIME     "...)
	}
	first := true
	for _, c := range m.Columns {
		if c.Hidden() {
			continue
		}
		if !first {
			b = append(b, ' ')
		}
		first = false
		start := len(b)
		b = append(b, c.Name...)
		if c.Verb.Width > 0 {
			b = pad(b, start, &c.Verb)
		}
	}
	return string(append(bytes.TrimRight(b, " "), '\n'))
}

// firstHeading writes the heading of a script that has rows of one kind, so
// that it stands there before the first event.
func (t *Text) firstHeading() {
	heading := ""
	for _, m := range t.p.obj.Messages {
		if m.Kind != object.MsgRow {
			continue
		}
		if h := headingOf(m); heading == "" {
			heading = h
		} else if h != heading {
			return
		}
	}
	if heading != "" && t.heading == "" {
		t.heading = heading
		t.line(func() { t.buf = append(t.buf, heading...) })
		t.done()
	}
}

// row shows a record of row(), below its heading.
func (t *Text) row(m *object.Message, record []byte) {
	h, known := t.headings[m]
	if !known {
		h = headingOf(m)
		t.headings[m] = h
	}
	if h != t.heading {
		t.heading = h
		t.line(func() { t.buf = append(t.buf, h...) })
	}
	t.line(func() {
		fields := m.Fields
		if m.Stamped {
			t.buf = t.p.stamp(m, record).AppendFormat(t.buf, "15:04:05 ")
			fields = fields[1:]
		}
		t.cells(m, func(i int) value.Value { return event.Field(&fields[i], record) })
	})
}

// cells adds the values of a line, but for those of hidden columns.
func (t *Text) cells(m *object.Message, cell func(column int) value.Value) {
	first := true
	for i := range m.Columns {
		if m.Columns[i].Hidden() {
			continue
		}
		if !first {
			t.buf = append(t.buf, ' ')
		}
		first = false
		t.buf = t.p.conversion(t.buf, &m.Columns[i].Verb, cell(i))
	}
}

// line takes what build adds as a line of a table: without the blanks at its
// end, and cut to the width of the terminal, with a mark that it was.
func (t *Text) line(build func()) {
	start := len(t.buf)
	build()
	text := bytes.TrimRight(t.buf[start:], " \n")
	if t.opts.Width != nil && !bytes.ContainsRune(text, '\n') {
		if width := t.opts.Width(); width > 0 && utf8.RuneCount(text) > width {
			end := 0
			for range width - 1 {
				_, size := utf8.DecodeRune(text[end:])
				end += size
			}
			text = append(text[:end:end], "…"...)
		}
	}
	t.buf = append(append(t.buf[:start], text...), '\n')
}

func (p *printer) stamp(m *object.Message, record []byte) time.Time {
	return p.res.BootTime().Add(time.Duration(event.Field(&m.Fields[0], record).Int())).In(p.loc)
}

// jsonRow is a record of row() as an object.
func (p *printer) jsonRow(b []byte, m *object.Message, record []byte) []byte {
	b = append(b, '{')
	first := true
	for i := range m.Fields {
		b = appendMember(b, &first, m.Schema.Fields[i].Name)
		if i == 0 && m.Stamped {
			b = appendString(b, []byte(p.stamp(m, record).Format(time.RFC3339Nano)))
			continue
		}
		v, column := event.Field(&m.Fields[i], record), i
		if m.Stamped {
			column--
		}
		if verb := &m.Columns[column].Verb; verb.Conv == 'r' {
			plain := object.Verb{Conv: 'r', Sub: verb.Sub, Prec: -1}
			b = appendString(b, p.conversion(nil, &plain, v))
		} else {
			b = p.json(b, v)
		}
	}
	return append(b, '}')
}

// tableRow is a line of table(): the parts of the key and the values.
type tableRow struct {
	key   value.Value
	cells []value.Value
	sort  []int64
}

// tableRows joins the maps of a table. A map of texts names what the others
// have, and adds no rows unless it is alone. more is how many rows --top leaves out.
func (p *printer) tableRows(m *object.Message, snapshots []*value.Snapshot) (rows []tableRow, more int) {
	t := m.Table
	if len(t.Maps) == 0 {
		return nil, 0
	}
	elements := map[string][]value.Value{} // by key, for each map
	var keys []string
	isText := func(i int) bool {
		val := p.obj.Maps[t.Maps[i]].Value
		return val != nil && val.Kind == types.String
	}
	order := make([]int, len(snapshots))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case isText(a) == isText(b):
			return 0
		case isText(a):
			return 1
		}
		return -1
	})
	for _, i := range order {
		val := p.obj.Maps[t.Maps[i]].Value
		names := isText(i) && !isText(order[0])
		for _, e := range snapshots[i].Entries {
			k := string(e.Key)
			if elements[k] == nil {
				if names {
					continue
				}
				elements[k] = make([]value.Value, len(snapshots))
				keys = append(keys, k)
			}
			elements[k][i] = value.Of(val, e.Value)
		}
	}
	keyType := p.obj.Maps[t.Maps[0]].Key
	for _, k := range keys {
		r := tableRow{}
		if keyType != nil {
			r.key = value.Of(keyType, []byte(k))
		}
		for i := range t.Terms {
			r.cells = append(r.cells, cell(&t.Terms[i], elements[k]))
			r.sort = append(r.sort, evaluate(&t.Terms[i], elements[k]))
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		if c := p.compareColumn(t.Sort-1, a, b); c != 0 {
			return c
		}
		if c := slices.Compare(b.sort, a.sort); c != 0 || keyType == nil {
			return c
		}
		return value.Compare(a.key, b.key)
	})
	if t.Top > 0 && len(rows) > t.Top {
		rows, more = rows[:t.Top], len(rows)-t.Top
	}
	return rows, more
}

// compareColumn orders two rows by one column, if there is such a column: numbers
// of terms from the largest, parts of a key from the first.
func (p *printer) compareColumn(i int, a, b tableRow) int {
	if i < 0 {
		return 0
	}
	x, y := a.values()[i], b.values()[i]
	if term := i - (len(a.values()) - len(a.cells)); term >= 0 {
		return cmp.Compare(b.sort[term], a.sort[term])
	}
	if x.Type.Kind == types.Int {
		return value.Compare(x, y)
	}
	return strings.Compare(p.plain(x), p.plain(y)) // names as they are shown
}

// plain is a value as %s shows it.
func (p *printer) plain(v value.Value) string {
	return string(p.conversion(nil, &asText, v))
}

// asText is %s.
var asText = object.Verb{Conv: 's', Prec: -1}

// cell is the value of a term: an element as it is, or a number.
func cell(t *object.Term, elements []value.Value) value.Value {
	if t.Op == 0 {
		if v := elements[t.Map]; v.Type != nil {
			return v
		}
	}
	return value.Of(types.I64, binary.NativeEndian.AppendUint64(nil, uint64(evaluate(t, elements))))
}

// evaluate computes a term. An element that is not there is 0, and so is a
// quotient by 0.
func evaluate(t *object.Term, elements []value.Value) int64 {
	switch t.Op {
	case 0:
		if v := elements[t.Map]; v.Type != nil {
			return numberOf(v)
		}
		return 0
	case 'k':
		return t.Num
	}
	x, y := evaluate(t.X, elements), evaluate(t.Y, elements)
	switch t.Op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	}
	if y == 0 {
		return 0
	}
	if t.Op == '%' {
		return x % y
	}
	return x / y
}

// numberOf is the number of an element; texts have none.
func numberOf(v value.Value) int64 {
	switch v.Type.Kind {
	case types.Int, types.Bool, types.Enum, types.Pointer, types.Count, types.Sum, types.Avg, types.Min, types.Max:
		return v.Int()
	}
	return 0
}

// values are a row's parts of the key and its values, in the order of the
// columns.
func (r tableRow) values() []value.Value {
	var list []value.Value
	switch {
	case r.key.Type == nil:
	case r.key.Type.Kind == types.Tuple:
		for _, f := range r.key.Fields() {
			list = append(list, f)
		}
	default:
		list = append(list, r.key)
	}
	return append(list, r.cells...)
}

// Table implements form.
func (t *Text) Table(m *object.Message, snapshots []*value.Snapshot) {
	rows, more := t.p.tableRows(m, snapshots)
	t.line(func() { t.buf = append(t.buf, headingOf(m)...) })
	for _, r := range rows {
		t.line(func() {
			values := r.values()
			t.cells(m, func(i int) value.Value { return values[i] })
		})
	}
	if more > 0 {
		t.buf = append(t.buf, fmt.Sprintf("... and %d more (--top 0 shows all)\n", more)...)
	}
	t.done()
}

// Table implements form.
func (j *JSON) Table(m *object.Message, snapshots []*value.Snapshot) {
	rows, more := j.p.tableRows(m, snapshots)
	j.open("table")
	j.buf = append(j.buf, '[')
	for n, r := range rows {
		if n > 0 {
			j.buf = append(j.buf, ", "...)
		}
		j.buf = append(j.buf, '{')
		first := true
		for i, v := range r.values() {
			j.buf = appendMember(j.buf, &first, m.Schema.Fields[i].Name)
			j.buf = j.p.json(j.buf, v)
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, ']')
	if more > 0 {
		j.buf = append(j.buf, fmt.Sprintf(`, "more": %d`, more)...)
	}
	j.close()
}
