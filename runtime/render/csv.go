package render

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// CSV shows rows, maps, tables, events and printed values as comma-separated values
// (RFC 4180), for spreadsheets and libraries such as pandas:
//
//	time,comm,op,wait (us)
//	2026-11-21T04:05:06.000789Z,dd,read,271
//
// The heading names the columns as the schema does, with their units unless the name has it
// already. What belongs to one table has one heading, however often it is shown; an empty
// line and another heading begin another table. Maps and tables have the time at which they were
// shown as the first column. A histogram has a line for each bucket, a value of several numbers a
// column for each. All else that the script says goes to the error stream.
type CSV struct {
	stream
	text    *Text    // says the rest
	p       *printer // text's
	heading string   // of the table that is being written
	known   map[*object.Message]string
	line    []byte // room for a cell
}

// NewCSV returns a sink that writes comma-separated values to out, and all else to errs.
func NewCSV(out, errs io.Writer, obj *object.Object, opts Options) *CSV {
	c := &CSV{stream: stream{out: out, errs: errs, opts: opts, buf: make([]byte, 0, keep+4096)}, known: map[*object.Message]string{}}
	opts.NoExitLines = true
	c.text = NewText(errs, errs, obj, opts)
	c.p = &c.text.p
	c.p.terminal = true
	return c
}

// Event implements event.Sink.
func (c *CSV) Event(e event.Event) {
	c.p.show(e)
	switch e := e.(type) {
	case *event.Attached:
		c.text.attached(e.Probes)
		c.first()
	case *event.Record:
		if !c.record(e) {
			c.rest(e)
		}
	case *event.Map:
		c.elements(e.Elements(c.text.exited), e.Div)
	case *event.Heat:
		c.elements(e.Elements(), 0)
	case *event.Table:
		c.table(e)
	default:
		c.rest(e)
	}
}

// rest says on the error stream what is in no table, after what came before it.
func (c *CSV) rest(e event.Event) {
	c.flush()
	c.text.Event(e)
}

// Flush implements event.Sink.
func (c *CSV) Flush() error {
	c.flush()
	if err := c.text.Flush(); err != nil {
		return err
	}
	return c.err
}

// lineEnd is that of RFC 4180.
const lineEnd = "\r\n"

// under begins a line below a heading.
func (c *CSV) under(heading string) {
	if heading == c.heading {
		return
	}
	if c.heading != "" {
		c.buf = append(c.buf, lineEnd...)
	}
	c.heading = heading
	c.buf = append(append(c.buf, heading...), lineEnd...)
}

// first writes the heading of a script that has rows of one kind, so that it is there also if
// nothing happens.
func (c *CSV) first() {
	var headings []string
	for _, m := range c.p.obj.Messages {
		if m.Kind.HasValues() && len(m.Columns) > 0 && !slices.Contains(headings, c.headingOf(m)) {
			headings = append(headings, c.headingOf(m))
		}
	}
	if len(headings) == 1 {
		c.under(headings[0])
		c.done()
	}
}

// headingOf is the heading of what a message shows.
func (c *CSV) headingOf(m *object.Message) string {
	heading, ok := c.known[m]
	if !ok {
		probe := m.Probe != "" && !hasProbe(m.Schema)
		var names []string
		if m.Table != nil {
			names = append(names, "time")
		}
		for i := range m.Schema.Fields {
			if f := &m.Schema.Fields[i]; f.Role == object.RoleTime {
				names = append(names, "time")
			} else {
				names = append(names, csvColumns(f, 0)...)
			}
			if i == 0 && probe {
				names = append(names, "probe")
			}
		}
		heading = csvHeading(names)
		c.known[m] = heading
	}
	return heading
}

func hasProbe(s *object.Schema) bool {
	return slices.ContainsFunc(s.Fields, func(f object.Field) bool { return f.Role == object.RoleProbe })
}

// record writes the values of a record that is shown as a table's line.
func (c *CSV) record(r *event.Record) bool {
	m := r.Message
	if !m.Kind.HasValues() {
		return false
	}
	c.under(c.headingOf(m))
	start := len(c.buf)
	for i := range m.Fields {
		v := event.Field(&m.Fields[i], r.Data)
		verb := object.Verb{}
		if column := i - len(m.Fields) + len(m.Columns); column >= 0 {
			verb = m.Columns[column].Verb
		}
		switch {
		case m.Schema.Fields[i].Role == object.RoleTime:
			c.buf = csvTime(c.buf, r.Time.In(c.p.loc))
		case verb.Conv == 'r':
			c.buf = csvCell(c.buf, formatter{c.p}.conversion(nil, &object.Verb{Conv: 'r', Sub: verb.Sub, Prec: -1}, v))
		default:
			c.values(start, v, 0)
		}
		if i == 0 && m.Probe != "" && !hasProbe(m.Schema) {
			c.buf = csvCell(c.buf, c.p.name(nil, m.Probe))
		}
	}
	c.end(start)
	return true
}

// end ends the line that begins at start, if there is one: the lines of a histogram have their ends.
func (c *CSV) end(start int) {
	if n := len(c.buf); n > start && c.buf[n-1] == ',' {
		c.buf = append(c.buf[:n-1], lineEnd...)
	}
	c.done()
}

// elements writes a line for each element of a map, or several of a histogram or a series.
func (c *CSV) elements(r event.Elements, div int64) {
	m := r.Map
	names := []string{"time"}
	for i := range m.Schema.Fields {
		by := div
		if i < m.Schema.Keys {
			by = 0
		}
		if m.Schema.Fields[i].Constant {
			continue
		}
		names = append(names, csvColumns(&m.Schema.Fields[i], by)...)
	}
	c.under(csvHeading(names))
	now := r.Time.In(c.p.loc)
	for i := range r.Entries {
		start := len(c.buf)
		c.buf = csvTime(c.buf, now)
		if m.Key != nil {
			for n, part := range event.KeyParts(r.Key(i)) {
				if m.Schema.Fields[n].Constant { // a title, as -m has changed it
					continue
				}
				for _, v := range shownParts(&m.Schema.Fields[n], part) {
					c.buf = csvCell(c.buf, c.textOf(v))
				}
			}
		}
		c.p.div = divisor(div)
		c.values(start, r.Value(i), r.Last)
		c.p.div = 0
		c.end(start)
	}
}

// table writes the rows of table().
func (c *CSV) table(e *event.Table) {
	rows := e.Rows()
	c.under(c.headingOf(e.Message))
	now := e.Time().In(c.p.loc)
	for _, values := range rows.Rows {
		start := len(c.buf)
		c.buf = csvTime(c.buf, now)
		for _, v := range values {
			c.values(start, v, 0)
		}
		c.end(start)
	}
	if rows.More > 0 {
		c.complain(moreRows(rows.More))
	}
	c.done()
}

// csvColumns are the columns of a field, whose numbers print() was told to divide by div.
func csvColumns(f *object.Field, div int64) (names []string) {
	const inHeading = "%s (%s)"
	switch d := displayOf(f.Type); {
	case d != nil:
		for _, c := range d.columns(f.Type) {
			name := f.Name
			if c.name != "" {
				name = joined(name, c.name)
			}
			names = append(names, withUnit(inHeading, name, c.unit(f.Unit, div)))
		}
	case len(f.Parts) > 0:
		for _, part := range f.Parts {
			names = append(names, withUnit(inHeading, part.Name, dividedUnit(part.Unit, div)))
		}
	case f.Type.Kind == types.Tuple, f.Type.Kind == types.Record:
		for i, part := range f.Type.Fields() {
			names = append(names, joined(f.Name, cmp.Or(part.Name, strconv.Itoa(i))))
		}
	default:
		names = append(names, withUnit(inHeading, f.Name, dividedUnit(f.Unit, div)))
	}
	return names
}

// values appends the cells that a value is, as csvColumns names them: of a histogram or a series
// whole lines, each with what stands in the line since start before it.
func (c *CSV) values(start int, v value.Value, last int64) {
	if d := displayOf(v.Type); d != nil {
		d.cells(c, start, v, last)
		return
	}
	switch v.Type.Kind {
	case types.Tuple, types.Record:
		for _, part := range v.Fields() {
			c.buf = csvCell(c.buf, c.textOf(part))
		}
	case types.Int:
		c.number(c.p.div.scaled(v), v.Signed())
	case types.None, types.Invalid:
		c.buf = append(c.buf, ',')
	default:
		c.buf = csvCell(c.buf, c.textOf(v))
	}
}

func (c *CSV) number(n uint64, signed bool) { c.buf = append(appendNumber(c.buf, n, signed), ',') }

// textOf is the text of a value in one line: frames of stacks have semicolons between them.
func (c *CSV) textOf(v value.Value) []byte {
	c.p.tight = true
	c.line = c.p.text(c.line[:0], v)
	c.p.tight = false
	text := bytes.Trim(c.line, "\n\t")
	for i, b := range text {
		if b == '\n' {
			text[i] = ';'
		}
	}
	return text
}

func csvTime(b []byte, t time.Time) []byte { return append(t.AppendFormat(b, time.RFC3339Nano), ',') }

// csvHeading is the line of the columns' names, which differ.
func csvHeading(names []string) string {
	var b []byte
	for i, name := range names {
		for n := 2; slices.Contains(names[:i], names[i]); n++ {
			names[i] = name + "_" + strconv.Itoa(n)
		}
		b = csvCell(b, []byte(names[i]))
	}
	return string(bytes.TrimSuffix(b, []byte(",")))
}

// csvCell appends a text, with the comma behind it: in quotes where it needs them, and with an
// escape for its first character where a spreadsheet would run it as a formula.
func csvCell(b, text []byte) []byte {
	quote := bytes.ContainsAny(text, "\",\r\n") || len(text) > 0 && (text[0] == ' ' || text[len(text)-1] == ' ')
	if quote {
		b = append(b, '"')
	}
	if isFormula(text) {
		b, text = strconv.AppendUint(append(b, `\x`...), uint64(text[0]), 16), text[1:]
	}
	for _, c := range text {
		if c == '"' {
			b = append(b, '"')
		}
		b = append(b, c)
	}
	if quote {
		b = append(b, '"')
	}
	return append(b, ',')
}

// isFormula reports whether a spreadsheet would compute a text rather than show it: it begins with
// one of = + - @ and is neither that alone nor a number.
func isFormula(text []byte) bool {
	return len(text) > 1 && strings.IndexByte("=+-@", text[0]) >= 0 && len(bytes.Trim(text[1:], "0123456789.")) > 0
}
