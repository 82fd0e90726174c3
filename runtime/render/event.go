package render

import (
	"strconv"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

// event is the record of a clause without an action. The leading fields that
// are called time, comm, pid and probe, and the trailing ones called ret and
// took, have columns of their own; what lies between are arguments.
type event struct {
	time        time.Time
	comm, probe []byte
	pid         value.Value
	args        []object.MessageField
	ret, took   value.Value
}

func (p *printer) event(m *object.Message, record []byte) event {
	e := event{probe: []byte(m.Probe)}
	args := m.Fields
head:
	for len(args) > 0 {
		v := fieldOf(&args[0], record)
		switch args[0].Name {
		case "time", "nsecs":
			e.time = p.res.BootTime().Add(time.Duration(v.Int()))
		case "comm":
			e.comm = v.Bytes()
		case "pid":
			e.pid = v
		case "probe":
			e.probe = p.text(nil, v)
		default:
			break head
		}
		args = args[1:]
	}
tail:
	for len(args) > 0 {
		last := len(args) - 1
		switch args[last].Name {
		case "took":
			e.took = fieldOf(&args[last], record)
		case "ret", "retval":
			e.ret = fieldOf(&args[last], record)
		default:
			break tail
		}
		args = args[:last]
	}
	e.args = args
	if e.time.IsZero() {
		e.time = p.now()
	}
	e.time = e.time.In(p.loc)
	return e
}

// eventLine appends "TIME COMM PID PROBE name=value ... = RET TOOK".
func (p *printer) eventLine(b []byte, m *object.Message, record []byte) []byte {
	e := p.event(m, record)
	b = append(appendClock(b, e.time, 6), ' ')
	start := len(b)
	b = padTo(appendEscaped(b, e.comm), start+15)
	b = append(b, ' ')
	if e.pid.Type != nil {
		b = append(appendRight(b, 7, e.pid.Uint()), ' ')
	}
	b = append(b, e.probe...)
	for i := range e.args {
		b = append(append(append(b, ' '), e.args[i].Name...), '=')
		b = p.quoted(b, fieldOf(&e.args[i], record))
	}
	if e.ret.Type != nil {
		b = p.result(append(b, " = "...), e.ret)
	}
	if e.took.Type != nil {
		b = appendDuration(append(b, ' '), e.took.Uint())
	}
	return append(b, '\n')
}

// quoted is text with strings in quotes, so that the parts of a line can be
// told apart.
func (p *printer) quoted(b []byte, v value.Value) []byte {
	if v.IsText() {
		return strconv.AppendQuote(b, string(p.text(nil, v)))
	}
	return p.text(b, v)
}

// result is a return value, with the error's text if it is one.
func (p *printer) result(b []byte, v value.Value) []byte {
	b = p.quoted(b, v)
	if n := v.Int(); v.Type.Kind == types.Int && v.Type.Signed && n < 0 && n >= -133 {
		b = append(append(append(b, " ("...), errnoText(-n)...), ')')
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
