package render

import (
	"bytes"
	"strconv"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/printable"
	"fst/runtime/event"
	"fst/runtime/value"
)

// eventShape says which fields of an event's message are what. nil stands for a field that
// the message has not.
type eventShape struct {
	nsecs, comm, pid, tid, probe, ret, took *object.MessageField

	thread []eventArg // those of comm, pid and tid that there are
	args   []eventArg
}

// eventArg is a field under the name that it is shown under.
type eventArg struct {
	name string
	unit types.Unit
	*object.MessageField
}

func shapeOf(m *object.Message) *eventShape {
	s := &eventShape{}
	own := map[object.Role]**object.MessageField{object.RoleTime: &s.nsecs, object.RoleComm: &s.comm, object.RolePID: &s.pid,
		object.RoleTID: &s.tid, object.RoleProbe: &s.probe, object.RoleResult: &s.ret, object.RoleTook: &s.took}
	for i := range m.Fields {
		if to := own[m.Schema.Fields[i].Role]; to != nil {
			*to = &m.Fields[i]
		} else {
			s.args = append(s.args, eventArg{m.Schema.Fields[i].Written, m.Schema.Fields[i].Unit, &m.Fields[i]})
		}
	}
	for _, f := range []eventArg{{name: "comm", MessageField: s.comm}, {name: "pid", MessageField: s.pid}, {name: "tid", MessageField: s.tid}} {
		if f.MessageField != nil {
			s.thread = append(s.thread, f)
		}
	}
	return s
}

// shapes are those of the messages of clauses without an action.
type shapes map[*object.Message]*eventShape

// of returns the shape of a message, found out with its first record.
func (all shapes) of(m *object.Message) *eventShape {
	s := all[m]
	if s == nil {
		s = shapeOf(m)
		all[m] = s
	}
	return s
}

// liner makes lines of events and of elements of maps.
type liner struct{ p *printer }

// eventProbe appends the name of the event's probe.
func (p *printer) eventProbe(b []byte, m *object.Message, s *eventShape, record []byte) []byte {
	if s.probe == nil {
		return p.name(b, m.Probe)
	}
	return p.text(b, event.Field(s.probe, record))
}

// eventLine appends "TIME COMM PID PROBE name=value ... = RET TOOK", and below it the
// stacks that are among the arguments.
func (l liner) eventLine(b []byte, r *event.Record) []byte {
	m, record := r.Message, r.Data
	s := l.p.shapes.of(m)
	b = append(appendClock(b, r.Time.In(l.p.loc), 6), ' ')
	if s.comm != nil {
		start := len(b)
		b = padTo(l.p.bytes(b, event.Field(s.comm, record).Bytes()), start+15)
		b = append(b, ' ')
	}
	if s.pid != nil {
		b = append(appendRight(b, 7, event.Field(s.pid, record).Uint()), ' ')
	}
	b = l.p.eventProbe(b, m, s, record)
	for i := range s.args {
		if s.args[i].Type.IsStack() {
			continue
		}
		b = append(l.p.name(append(b, ' '), s.args[i].name), '=')
		b = l.quoted(b, event.Field(s.args[i].MessageField, record))
	}
	if s.ret != nil {
		b = l.result(append(b, " = "...), event.Field(s.ret, record))
	}
	if s.took != nil {
		b = appendDuration(append(b, ' '), event.Field(s.took, record).Uint())
	}
	for i := range s.args {
		if s.args[i].Type.IsStack() {
			b = append(append(append(b, ' '), s.args[i].name...), '=')
			b = bytes.TrimSuffix(l.p.text(b, event.Field(s.args[i].MessageField, record)), []byte("\n"))
		}
	}
	return append(b, '\n')
}

// quoted is text with strings in quotes, so that the parts of a line can be
// told apart.
func (l liner) quoted(b []byte, v value.Value) []byte {
	if !v.IsText() {
		return l.p.text(b, v)
	}
	l.p.exact, l.p.room = true, l.p.text(l.p.room[:0], v)
	l.p.exact = false
	return printable.AppendQuoted(b, l.p.room)
}

// result is a return value, with the error's text if it is one.
func (l liner) result(b []byte, v value.Value) []byte {
	b = l.quoted(b, v)
	if n := v.Int(); v.Type.Kind == types.Int && v.Type.Signed && n < 0 && n >= -133 {
		b = append(append(append(b, " ("...), types.ErrnoText(-n)...), ')')
	}
	return b
}

// appendDuration appends nanoseconds with three digits and a unit.
func appendDuration(b []byte, ns uint64) []byte {
	units := [...]struct {
		size uint64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}
	for _, u := range units {
		if ns < u.size {
			continue
		}
		whole := ns / u.size
		digits := 2
		if whole >= 100 {
			digits = 0
		} else if whole >= 10 {
			digits = 1
		}
		b = strconv.AppendUint(b, whole, 10)
		if digits > 0 {
			rest := ns % u.size / (u.size / 100)
			if digits == 1 {
				rest /= 10
			}
			b = appendZeros(append(b, '.'), rest, digits)
		}
		return append(b, u.name...)
	}
	return append(strconv.AppendUint(b, ns, 10), "ns"...)
}
