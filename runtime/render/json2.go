package render

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/source"
	"fst/runtime/event"
	"fst/runtime/value"
)

// JSON2 shows a session as one object a line, each of which stands for itself:
//
//	{"type": "map", "time": "2026-11-21T04:05:06.000789Z", "entry": {"script": "opens", "clause": 2, "line": 7},
//	 "data": {"map": "@wait", "function": "sum", "keys": ["comm", "op"], "elements": [{"key": ["dd", "read"], "value": 271}]},
//	 "units": {"wait": "us"}}
//
// The entry is what the line belongs to: the script and, of what a clause does, its number and line. Values are in objects by
// the names of the schema, keys of maps are arrays in the order of their names, parts of tuples being values of their own, and stacks are arrays of frames. A line without
// such values has the data that JSON has.
type JSON2 struct {
	JSON
	script  string
	entries map[*object.Message][]byte
}

// NewJSON2 returns a sink that writes JSON lines to out. What concerns fst
// itself rather than the script goes to errs as text.
func NewJSON2(out, errs io.Writer, obj *object.Object, opts Options) *JSON2 {
	j := &JSON2{JSON: *NewJSON(out, errs, obj, opts), script: measurement(obj), entries: map[*object.Message][]byte{}}
	return j
}

// Event implements event.Sink.
func (j *JSON2) Event(e event.Event) {
	j.p.show(e)
	switch e := e.(type) {
	case *event.Record:
		j.about(e.Message, e.Time)
		if e.Message.Kind.HasValues() {
			j.values(e)
			return
		}
	case *event.Output:
		j.about(e.Message, e.Time)
	case *event.Map:
		j.about(e.Message, e.Snapshot.Time)
		j.elements(e.Elements(j.exited), e.Div)
		return
	case *event.Heat:
		j.about(e.Message, e.Snapshot.Time)
		j.elements(e.Elements(), 0)
		return
	case *event.Table:
		j.about(e.Message, e.Time())
		j.table(e)
		return
	case *event.Lost:
		j.at(time.Time{})
		j.head = append(j.head, j.entry(e.What.Clause, j.notes.lossSpan(e.What), "")...)
	default:
		j.about(nil, time.Time{})
	}
	j.JSON.Event(e)
}

// about begins the lines of an event: its time and what it belongs to, which is the script if there is no message.
func (j *JSON2) about(m *object.Message, at time.Time) {
	entry, known := j.entries[m]
	if !known {
		if m == nil {
			entry = j.entry(-1, source.Span{}, "")
		} else {
			entry = j.entry(m.Clause, m.Span, m.Probe)
		}
		j.entries[m] = entry
	}
	j.at(at)
	j.head = append(j.head, entry...)
}

func (j *JSON2) at(at time.Time) {
	if at.IsZero() {
		at = j.p.now()
	}
	j.head = append(at.In(j.p.loc).AppendFormat(append(j.head[:0], `, "time": "`...), time.RFC3339Nano), '"')
}

func (j *JSON2) entry(clause int, sp source.Span, probe string) []byte {
	b := appendString([]byte(`, "entry": {"script": `), []byte(j.script))
	if clause >= 0 && clause < len(j.notes.obj.Clauses) {
		b = strconv.AppendInt(append(b, `, "clause": `...), int64(clause)+1, 10)
		sp = cmp.Or(sp, j.notes.obj.Clauses[clause])
	}
	if place, ok := j.notes.spot(sp); ok {
		b = strconv.AppendInt(append(b, `, "line": `...), int64(place.line), 10)
	}
	if probe != "" {
		b = appendString(append(b, `, "probe": `...), []byte(probe))
	}
	return append(b, '}')
}

// values writes a record whose fields have names. Its time and its probe are not among them.
func (j *JSON2) values(r *event.Record) {
	m := r.Message
	for i := range m.Fields {
		if m.Schema.Fields[i].Role == object.RoleProbe {
			j.head = appendString(append(j.head[:len(j.head)-1], `, "probe": `...), j.p.text(nil, event.Field(&m.Fields[i], r.Data)))
			j.head = append(j.head, '}')
		}
	}
	kind := "value"
	switch {
	case len(m.Columns) > 0:
		kind = "row"
	case j.p.shapes.of(m).nsecs != nil:
		kind = "event"
	}
	j.open(kind)
	j.buf = append(j.buf, '{')
	first := true
	for i := range m.Fields {
		switch f := &m.Schema.Fields[i]; {
		case f.Role == object.RoleTime, f.Role == object.RoleProbe:
		case f.Type != nil && f.Type.IsStack():
			j.buf = j.value(appendMember(j.buf, &first, f.Name), event.Field(&m.Fields[i], r.Data))
		case len(f.Parts) > 0:
			for part, v := range shownParts(f, event.Field(&m.Fields[i], r.Data)) {
				j.buf = j.value(appendMember(j.buf, &first, part.Name), v)
			}
		default:
			j.buf = jsonWriter{&j.p}.cell(appendMember(j.buf, &first, f.Name), r, i)
		}
	}
	j.buf = append(j.buf, '}')
	j.units(m.Schema, 0)
}

// value appends a value, of a stack an array of its frames.
func (j *JSON2) value(b []byte, v value.Value) []byte {
	if !v.Type.IsStack() {
		return jsonWriter{&j.p}.value(b, v)
	}
	j.p.tight = true
	text := bytes.Trim(j.p.text(nil, v), "\n")
	j.p.tight = false
	b = append(b, '[')
	for n, frame := range bytes.Split(text, []byte("\n")) {
		if n > 0 {
			b = append(b, ", "...)
		}
		if len(text) > 0 {
			b = appendString(b, bytes.TrimSpace(frame))
		}
	}
	return append(b, ']')
}

// names appends a member with the names of a key's parts.
func (j *JSON2) names(first *bool, s *object.Schema) {
	j.buf = append(appendMember(j.buf, first, "keys"), '[')
	none := true
	for i := range s.Fields[:s.Keys] {
		for _, name := range shownNames(&s.Fields[i]) {
			if !none {
				j.buf = append(j.buf, ", "...)
			}
			none = false
			j.buf = appendString(j.buf, []byte(name))
		}
	}
	j.buf = append(j.buf, ']')
}

// units ends a line with the units of fields that have one. div is what print() has divided the numbers by. Where it divides
// not all numbers of a value, as of stats(), each has its own: "x.average", "x.total".
func (j *JSON2) units(s *object.Schema, div int64) {
	none := true
	one := func(name string, unit types.Unit) {
		if sign := unit.String(); sign != "" {
			if none {
				j.buf = append(j.buf, `, "units": {`...)
			}
			j.buf = appendString(appendMember(j.buf, &none, name), []byte(sign))
		}
	}
	for i, f := range s.Fields {
		by := div
		if i < s.Keys {
			by = 0
		}
		switch d := displayOf(f.Type); {
		case f.Role == object.RoleTime:
		case d != nil:
			parts := slices.DeleteFunc(d.columns(f.Type), func(h heading) bool { return !h.hasUnit })
			parts = slices.CompactFunc(parts, func(a, b heading) bool { return a.unit(f.Unit, by) == b.unit(f.Unit, by) })
			for _, h := range parts {
				name := f.Name
				if len(parts) > 1 {
					name += "." + h.name
				}
				one(name, h.unit(f.Unit, by))
			}
		default:
			one(f.Name, dividedUnit(f.Unit, by))
			for _, part := range f.Parts {
				one(part.Name, dividedUnit(part.Unit, by))
			}
		}
	}
	if !none {
		j.buf = append(j.buf, '}')
	}
	j.close()
}

// elements writes a map. One without keys is an element with an empty key.
func (j *JSON2) elements(r event.Elements, div int64) {
	m := r.Map
	if len(r.Entries) == 0 {
		return
	}
	j.open("map")
	first := true
	j.buf = appendString(appendMember(append(j.buf, '{'), &first, "map"), []byte(m.Name))
	if m.Value.Kind.IsAggregation() {
		j.buf = appendString(appendMember(j.buf, &first, "function"), []byte(m.Value.Kind.String()))
	}
	j.names(&first, m.Schema)
	j.buf = append(appendMember(j.buf, &first, "elements"), '[')
	for i := range r.Entries {
		if i > 0 {
			j.buf = append(j.buf, ", "...)
		}
		j.buf = append(j.buf, `{"key": [`...)
		if m.Key != nil {
			none := true
			for n, part := range event.KeyParts(r.Key(i)) {
				for _, v := range shownParts(&m.Schema.Fields[n], part) {
					if !none {
						j.buf = append(j.buf, ", "...)
					}
					none = false
					j.buf = j.value(j.buf, v)
				}
			}
		}
		j.buf = append(j.buf, `], "value": `...)
		switch f := &m.Schema.Fields[m.Schema.Keys]; {
		case m.Value.IsStack():
			j.buf = j.value(j.buf, r.Value(i))
		case len(f.Parts) > 0:
			first := true
			j.buf = append(j.buf, '{')
			j.p.div = divisor(div)
			for part, v := range shownParts(f, r.Value(i)) {
				j.buf = j.value(appendMember(j.buf, &first, part.Name), v)
			}
			j.p.div = 0
			j.buf = append(j.buf, '}')
		default:
			j.buf = jsonWriter{&j.p}.element(j.buf, r, i, div)
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, "]}"...)
	j.units(m.Schema, div)
}

// table writes the rows of a table.
func (j *JSON2) table(e *event.Table) {
	rows, s := e.Rows(), e.Message.Schema
	j.open("table")
	first := true
	j.buf = append(j.buf, '{')
	j.names(&first, s)
	j.buf = append(appendMember(j.buf, &first, "rows"), '[')
	for n, values := range rows.Rows {
		if n > 0 {
			j.buf = append(j.buf, ", "...)
		}
		j.buf = append(j.buf, '{')
		none := true
		for i, v := range values {
			for part, v := range shownParts(&s.Fields[i], v) {
				j.buf = j.value(appendMember(j.buf, &none, part.Name), v)
			}
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, ']')
	if rows.More > 0 {
		j.buf = strconv.AppendInt(appendMember(j.buf, &first, "more"), int64(rows.More), 10)
	}
	j.buf = append(j.buf, '}')
	j.units(s, 0)
}
