package render

import (
	"bytes"
	"fmt"
	"time"
	"unicode/utf8"

	"fst/compiler/object"
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
		if !m.Kind.HasValues() || len(m.Columns) == 0 {
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
func (t *Text) row(r *event.Record) {
	m := r.Message
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
			t.buf = r.Time.In(t.p.loc).AppendFormat(t.buf, "15:04:05 ")
			fields = fields[1:]
		}
		t.buf = formatter{&t.p}.cells(t.buf, m, func(i int) value.Value { return event.Field(&fields[i], r.Data) })
	})
}

// cells appends the values of a line, but for those of hidden columns.
func (f formatter) cells(b []byte, m *object.Message, cell func(column int) value.Value) []byte {
	first := true
	for i := range m.Columns {
		if m.Columns[i].Hidden() {
			continue
		}
		if !first {
			b = append(b, ' ')
		}
		first = false
		b = f.conversion(b, &m.Columns[i].Verb, cell(i))
	}
	return b
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

// row is a record of row() as an object.
func (w jsonWriter) row(b []byte, r *event.Record) []byte {
	m := r.Message
	b = append(b, '{')
	first := true
	for i := range m.Fields {
		b = appendMember(b, &first, m.Schema.Fields[i].Name)
		if i == 0 && m.Stamped {
			b = appendString(b, []byte(r.Time.In(w.p.loc).Format(time.RFC3339Nano)))
			continue
		}
		b = w.cell(b, r, i)
	}
	return append(b, '}')
}

// cell appends a field of a row: as text, if the row shows its bytes by %r.
func (w jsonWriter) cell(b []byte, r *event.Record, i int) []byte {
	m := r.Message
	v := event.Field(&m.Fields[i], r.Data)
	if column := i - len(m.Fields) + len(m.Columns); column >= 0 && m.Columns[column].Verb.Conv == 'r' {
		plain := object.Verb{Conv: 'r', Sub: m.Columns[column].Verb.Sub, Prec: -1}
		return appendString(b, formatter(w).conversion(nil, &plain, v))
	}
	return w.value(b, v)
}

// NewPlain returns what shows values as %s does, by the names of an event.
func NewPlain(obj *object.Object, names *event.Names) func(value.Value) string {
	p := newPrinter(obj, Options{})
	p.names = names
	return func(v value.Value) string { return string(formatter{&p}.conversion(nil, &asText, v)) }
}

// asText is %s.
var asText = object.Verb{Conv: 's', Prec: -1}

// table shows the lines of table().
func (t *Text) table(e *event.Table) {
	rows := e.Rows()
	if t.tabled {
		t.buf = append(t.buf, '\n')
	}
	t.tabled = true
	t.line(func() { t.buf = append(t.buf, headingOf(e.Message)...) })
	for _, values := range rows.Rows {
		t.line(func() {
			t.buf = formatter{&t.p}.cells(t.buf, e.Message, func(i int) value.Value { return values[i] })
		})
	}
	if rows.More > 0 {
		t.buf = append(t.buf, moreRows(rows.More)...)
	}
}

// moreRows says that a table has rows that are not shown.
func moreRows(n int) string { return fmt.Sprintf("... and %d more (--top 0 shows all)\n", n) }

// table writes the rows of table().
func (j *JSON) table(e *event.Table) {
	rows := e.Rows()
	j.open("table")
	j.buf = append(j.buf, '[')
	for n, values := range rows.Rows {
		if n > 0 {
			j.buf = append(j.buf, ", "...)
		}
		j.buf = append(j.buf, '{')
		first := true
		for i, v := range values {
			j.buf = appendMember(j.buf, &first, e.Message.Schema.Fields[i].Name)
			j.buf = jsonWriter{&j.p}.value(j.buf, v)
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, ']')
	if rows.More > 0 {
		j.buf = append(j.buf, fmt.Sprintf(`, "more": %d`, rows.More)...)
	}
	j.close()
}
