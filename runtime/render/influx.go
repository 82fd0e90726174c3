package render

import (
	"bytes"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// Influx shows the numbers of a session in InfluxDB's line protocol (version 2
// of its documentation, "Line protocol"), for that database, Telegraf, and what
// else keeps series of numbers:
//
//	script,tag=text field=number,... nanoseconds
//
// The measurement is the script's name. Keys of maps and texts of rows are tags,
// numbers are fields. A map without keys is one field of its own name; buckets
// of a histogram are fields by their lowest number: latency_ge_64=3i. What has no
// numbers, like printf, becomes a comment.
type Influx struct {
	stream
	text   *Text    // writes the comments
	p      *printer // text's
	name   string
	tags   []byte // of the point that is being made
	fields []byte
	told   map[object.Loss]uint64 // what was lost
}

// NewInflux returns a sink that writes line protocol to out. What concerns
// fst itself rather than the script goes to errs as text.
func NewInflux(out, errs io.Writer, obj *object.Object, opts Options) *Influx {
	in := &Influx{
		stream: stream{out: out, errs: errs, opts: opts, buf: make([]byte, 0, keep+4096)},
		name:   measurement(obj),
		told:   map[object.Loss]uint64{},
	}
	opts.LineBuffered, opts.NoExitLines = true, true
	in.text = NewText((*comments)(in), errs, obj, opts)
	in.p = &in.text.p
	return in
}

// measurement is the name of the script without its directory and ending.
func measurement(obj *object.Object) string {
	name := ""
	if obj.Sources != nil {
		if f := obj.Sources.File(1); f != nil {
			name = filepath.Base(f.Name)
		}
	}
	name = strings.TrimSuffix(name, filepath.Ext(name))
	if name == "" || name == "stdin" {
		name = "fst"
	}
	return name
}

// comments writes text as comment lines between the points.
type comments Influx

func (c *comments) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.buf = append(append(append(c.buf, "# "...), line...), '\n')
		}
	}
	return len(text), nil
}

// escaped appends s with a backslash before each byte of special. A backslash in front of one,
// or at the end, is \x5c where it is not special itself: it would take away the meaning of what follows.
func escaped(b, s []byte, special string) []byte {
	for i, c := range s {
		switch {
		case c == '\n': // of a stack
			b = append(b, ';')
			continue
		case c == '\\' && special[len(special)-1] != c && (i == len(s)-1 || strings.IndexByte(special, s[i+1]) >= 0):
			b = append(b, `\x5c`...)
			continue
		case strings.IndexByte(special, c) >= 0:
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return b
}

// tag adds a tag to the point; one without a text is none.
func (in *Influx) tag(name string, text []byte) {
	text = bytes.Trim(text, "\n\t") // of a stack
	if len(text) == 0 {
		return
	}
	in.tags = append(escaped(append(in.tags, ','), []byte(name), ", ="), '=')
	in.tags = escaped(in.tags, text, ", =")
}

func (in *Influx) fieldName(name string) {
	if len(in.fields) > 0 {
		in.fields = append(in.fields, ',')
	}
	in.fields = append(escaped(in.fields, []byte(name), ", ="), '=')
}

// number adds a field. Numbers that the format's signed integers do not hold
// have its mark for unsigned ones.
func (in *Influx) number(name string, n uint64, signed bool) {
	in.fieldName(name)
	in.fields = appendNumber(in.fields, n, signed)
	if !signed && n > math.MaxInt64 {
		in.fields = append(in.fields, 'u')
	} else {
		in.fields = append(in.fields, 'i')
	}
}

func joined(name, part string) string {
	if name == "" {
		return part
	}
	return name + "_" + part
}

// field adds the fields that a value is: one, or one for each of its parts.
func (in *Influx) field(name string, v value.Value) {
	if d := displayOf(v.Type); d != nil {
		d.fields(in, name, v)
		return
	}
	switch v.Type.Kind {
	case types.Bool:
		in.fieldName(name)
		in.fields = strconv.AppendBool(in.fields, v.Bool())
	case types.Int, types.Pointer:
		in.number(name, in.p.div.scaled(v), v.Signed())
	case types.Tuple, types.Record, types.Struct, types.Union:
		i := 0
		for part, f := range v.Fields() {
			if part == "" {
				part = strconv.Itoa(i)
			}
			in.field(joined(name, part), f)
			i++
		}
	case types.None, types.Invalid:
	default:
		in.fieldName(name)
		in.fields = append(escaped(append(in.fields, '"'), in.p.text(nil, v), `"\`), '"')
	}
}

// isNumber reports whether a column is something to compute with, rather than
// something that tells rows apart.
func isNumber(v value.Value) bool {
	return v.Type.Kind == types.Int || v.Type.Kind == types.Bool || v.Type.Kind.IsAggregation()
}

// tight is the text of a value without spaces between its parts.
func (in *Influx) tight(v value.Value) []byte {
	in.p.tight = true
	defer func() { in.p.tight = false }()
	return in.p.text(nil, v)
}

// influxFields adds the fields of a value that a schema describes.
func influxFields(in *Influx, f *object.Field, v value.Value) {
	for part, v := range shownParts(f, v) {
		in.field(part.Name, v)
	}
}

// column adds a tag or a field.
func (in *Influx) column(name string, v value.Value) {
	if isNumber(v) {
		in.field(name, v)
	} else {
		in.tag(name, in.tight(v))
	}
}

// key adds the tags of an element's key, if its map has any.
func (in *Influx) key(r event.Elements, i int) {
	if r.Map.Key == nil {
		return
	}
	for n, part := range event.KeyParts(r.Key(i)) {
		if f := &r.Map.Schema.Fields[n]; !f.Constant {
			for shown, v := range shownParts(f, part) {
				in.tag(shown.Name, in.tight(v))
			}
		}
	}
}

// point ends a point. One without numbers still says that something happened.
func (in *Influx) point(at time.Time) {
	if len(in.fields) == 0 {
		in.number("events", 1, false)
	}
	in.buf = escaped(in.buf, []byte(in.name), ", ")
	in.buf = append(append(append(in.buf, in.tags...), ' '), in.fields...)
	in.buf = append(strconv.AppendInt(append(in.buf, ' '), at.UnixNano(), 10), '\n')
	in.tags, in.fields = in.tags[:0], in.fields[:0]
	in.done()
}

// Event implements event.Sink.
func (in *Influx) Event(e event.Event) {
	in.p.show(e)
	switch e := e.(type) {
	case *event.Attached:
		in.text.attached(e.Probes)
	case *event.Record:
		if !in.record(e) {
			in.text.Event(e)
			in.done()
		}
	case *event.Map:
		in.elements(e.Elements(in.text.exited), e.Div)
	case *event.Heat:
		in.elements(e.Elements(), 0)
	case *event.Table:
		in.table(e)
	case *event.Output:
		in.text.Event(e)
		in.done()
	case *event.Lost:
		in.lost(e)
		in.text.Event(e)
	default:
		in.text.Event(e)
	}
}

// record makes a point of a record; ok is false for one that is a comment.
func (in *Influx) record(r *event.Record) (ok bool) {
	m, record := r.Message, r.Data
	switch {
	case m.Kind == object.MsgEvent:
		in.event(r)
	case !m.Kind.HasValues():
		return false
	case len(m.Columns) == 0:
		for i := range m.Fields {
			influxFields(in, &m.Schema.Fields[i], event.Field(&m.Fields[i], record))
			in.point(r.Time)
		}
	default:
		for i := range m.Fields {
			if m.Schema.Fields[i].Role != object.RoleTime {
				in.column(m.Schema.Fields[i].Name, event.Field(&m.Fields[i], record))
			}
		}
		in.point(r.Time)
	}
	return true
}

func (in *Influx) event(r *event.Record) {
	m := r.Message
	in.tag("probe", in.p.eventProbe(nil, m, in.p.shapes.of(m), r.Data))
	for i := range m.Fields {
		switch f, v := &m.Schema.Fields[i], event.Field(&m.Fields[i], r.Data); f.Role {
		case object.RoleTime, object.RoleProbe:
		case object.RoleComm, object.RolePID, object.RoleTID:
			in.column(f.Name, v)
		default:
			influxFields(in, f, v)
		}
	}
	in.point(r.Time)
}

// elements makes points of the elements of a map.
func (in *Influx) elements(r event.Elements, div int64) {
	m := r.Map
	f := &m.Schema.Fields[m.Schema.Keys]
	for i := range r.Entries {
		if d := displayOf(m.Value); d != nil && d.points != nil {
			d.points(in, f.Name, r, i)
			continue
		}
		in.key(r, i)
		in.p.div = divisor(div)
		influxFields(in, f, r.Value(i))
		in.p.div = 0
		in.point(r.Time)
	}
}

// table makes points of the rows of a table.
func (in *Influx) table(e *event.Table) {
	schema := e.Message.Schema
	for _, values := range e.Rows().Rows {
		for i, v := range values {
			for part, v := range shownParts(&schema.Fields[i], v) {
				if i < schema.Keys {
					in.tag(part.Name, in.tight(v))
				} else {
					in.column(part.Name, v)
				}
			}
		}
		in.point(e.Time())
	}
}

// lost makes a point of what was lost, as part of the series, whose points add up. It is said to people, too.
func (in *Influx) lost(e *event.Lost) {
	more := e.Count
	if in.text.exited {
		more -= min(more, in.told[e.What])
	}
	if more > 0 {
		in.told[e.What] += more
		in.tag("kind", []byte(LossName(e.What.Kind)))
		in.number("lost", more, false)
		in.point(in.p.now())
		in.flush()
	}
}

// Flush implements event.Sink.
func (in *Influx) Flush() error {
	in.text.Flush()
	in.flush()
	return in.err
}
