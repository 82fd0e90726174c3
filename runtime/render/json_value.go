package render

import (
	"strconv"
	"time"

	"fst/compiler/types"
	"fst/lang/printable"
	"fst/runtime/event"
	"fst/runtime/value"
)

// jsonWriter writes values as JSON.
type jsonWriter struct{ p *printer }

// value appends a value. Numbers that a double does not hold exactly become
// strings; what has no form in JSON is shown as its text.
func (w jsonWriter) value(b []byte, v value.Value) []byte {
	if v.Type.Bits {
		return appendString(b, w.p.text(nil, v))
	}
	switch v.Type.Kind {
	case types.None, types.Invalid:
		return append(b, "null"...)
	case types.Int, types.Enum, types.Pointer:
		return appendJSONNumber(b, w.p.div.scaled(v), v.Signed())
	case types.Bool:
		return strconv.AppendBool(b, v.Bool())
	case types.Tuple:
		b = append(b, '[')
		first := true
		for _, f := range v.Fields() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = w.value(b, f)
		}
		return append(b, ']')
	case types.Record, types.Struct, types.Union:
		b = append(b, '{')
		first := true
		for name, f := range v.Fields() {
			b = appendMember(b, &first, name)
			b = w.value(b, f)
		}
		return append(b, '}')
	case types.Array:
		if v.IsText() {
			return appendString(b, v.Bytes())
		}
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.value(b, v.Index(i))
		}
		return append(b, ']')
	case types.Buffer:
		b = append(b, '[')
		for i, c := range v.Bytes() {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(int8(c)), 10)
		}
		return append(b, ']')
	}
	if d := displayOf(v.Type); d != nil {
		return d.json(w, b, v, 0)
	}
	return appendString(b, w.p.text(nil, v))
}

// event appends the object of an event. Its arguments have an object of
// their own, as they may be called like one of the event's parts.
func (w jsonWriter) event(b []byte, r *event.Record) []byte {
	m, record := r.Message, r.Data
	s := w.p.shapes.of(m)
	b = append(b, `{"time": "`...)
	b = append(r.Time.In(w.p.loc).AppendFormat(b, time.RFC3339Nano), '"')
	for _, f := range s.thread {
		b = append(append(append(b, `, "`...), f.name...), `": `...)
		b = w.value(b, event.Field(f.MessageField, record))
	}
	b = append(b, `, "probe": `...)
	b = appendString(b, w.p.eventProbe(nil, m, s, record))
	b = append(b, `, "args": {`...)
	first := true
	for i := range s.args {
		b = appendMember(b, &first, s.args[i].name)
		b = w.value(b, event.Field(s.args[i].MessageField, record))
	}
	b = append(b, '}')
	if s.ret != nil {
		b = w.value(append(b, `, "ret": `...), event.Field(s.ret, record))
	}
	if s.took != nil {
		b = w.value(append(b, `, "took": `...), event.Field(s.took, record))
	}
	return append(b, '}')
}

// appendMember appends the name of an object's next member.
func appendMember(b []byte, first *bool, name string) []byte {
	if !*first {
		b = append(b, ", "...)
	}
	*first = false
	return append(appendString(b, []byte(name)), ": "...)
}

// appendJSONNumber appends a number, in quotes if a double cannot hold it.
func appendJSONNumber(b []byte, n uint64, signed bool) []byte {
	size := n
	if signed && int64(n) < 0 {
		size = -n
	}
	if f := float64(size); f < 1<<64 && uint64(f) == size {
		return appendNumber(b, n, signed)
	}
	return append(appendNumber(append(b, '"'), n, signed), '"')
}

// appendString appends a JSON string.
func appendString(b, s []byte) []byte { return printable.AppendJSON(b, s) }
