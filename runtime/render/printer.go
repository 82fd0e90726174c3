package render

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/printable"
	"fst/runtime/event"
	"fst/runtime/value"
)

// printer writes values as text. Its parts: divisor and charts for numbers that were aggregated,
// and what is made of several values are its formatter (by the conversions
// of a format) and its liner (events and elements of maps, a line each).
type printer struct {
	obj *object.Object
	// names are those of the event that is being shown.
	names *event.Names
	loc   *time.Location
	now   func() time.Time
	// tight leaves out the spaces between the parts of a value: the form of
	// keys in JSON.
	tight bool
	// exact leaves the texts of values as they are: for output that has escapes of its own,
	// and for what is no output.
	exact bool
	// room is for a text that is to be quoted.
	room []byte
	// terminal tells that the output is one.
	terminal bool
	div      divisor
	shapes   shapes
}

func newPrinter(obj *object.Object, opts Options) printer {
	p := printer{obj: obj, names: &event.Names{}, shapes: shapes{}, loc: opts.Location, now: opts.Now, terminal: opts.Width != nil}
	if p.loc == nil {
		p.loc = localZone()
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// show takes the names of an event that is about to be shown.
func (p *printer) show(e event.Event) {
	if names := event.NamesOf(e); names != nil {
		p.names = names
	}
}

// text appends v as print and %s show it.
func (p *printer) text(b []byte, v value.Value) []byte {
	switch v.Type.Kind {
	case types.Int:
		return p.div.number(b, v)
	case types.Invalid: // a type that there are no values of: floating-point numbers
		return append(b, "null"...)
	case types.String:
		return p.str(b, v)
	case types.Bool:
		return strconv.AppendBool(b, v.Bool())
	case types.Tuple:
		b = append(b, '(')
		return append(p.elements(b, v), ')')
	case types.Record, types.Struct, types.Union:
		return p.record(b, v)
	case types.Array:
		return p.array(b, v)
	case types.Enum:
		if name, ok := v.EnumName(); ok {
			return p.name(b, name)
		}
		return p.div.number(b, v)
	case types.Pointer:
		return appendHex(b, v.Uint())
	case types.Buffer:
		return appendEscaped(b, v.Bytes())
	case types.KStack, types.UStack:
		return stack(b, p, v.Stack())
	case types.KSym, types.USym, types.Func:
		return p.symbol(b, v.Address())
	case types.Inet:
		if ip := v.IP(); ip.IsValid() {
			return ip.AppendTo(b)
		}
		return b
	case types.MAC:
		return appendMAC(b, v.Bytes())
	case types.Timestamp:
		return p.timestamp(b, v)
	case types.CgroupPath:
		return p.name(b, hierarchies(p.names.Of(v), v.Type.Fmt))
	case types.Container, types.Pod:
		return p.name(b, p.names.Of(v))
	case types.Username, types.Syscall, types.Errno, types.SignalName:
		return p.numberName(b, v)
	case types.ProbeName:
		name, ok := p.obj.ProbeName(v.Uint())
		if !ok {
			name = p.names.Of(v)
		}
		return p.name(b, name)
	}
	if d := displayOf(v.Type); d != nil {
		return d.text(p, b, v, 0)
	}
	return b
}

// bytes appends what a program has read: the only way to output for texts that are not the
// script's own, with name.
func (p *printer) bytes(b, text []byte) []byte { return p.shown(append(b, text...), len(b)) }

// name is bytes for what the system calls something.
func (p *printer) name(b []byte, text string) []byte { return p.shown(append(b, text...), len(b)) }

// shown gives the text that stands in b from start on the form in which it is shown.
func (p *printer) shown(b []byte, start int) []byte {
	if p.exact {
		return b
	}
	return printable.From(b, start)
}

// exactly runs f with texts as they are.
func (p *printer) exactly(f func() []byte) string {
	before := p.exact
	p.exact = true
	defer func() { p.exact = before }()
	return string(f())
}

// key appends v as it stands between the brackets of a map's element.
func (p *printer) key(b []byte, v value.Value) []byte {
	if v.Type.Kind == types.Tuple {
		return p.elements(b, v)
	}
	return p.text(b, v)
}

// str appends a string. One that fills the buffer of a str() without a length
// was cut when it was read, which its end shows.
func (p *printer) str(b []byte, v value.Value) []byte {
	s := v.Bytes()
	b = p.bytes(b, s)
	if limit := p.obj.Config.MaxStrlen; limit > 0 && v.Type.Size == types.StringType(limit+1).Size && len(s) == limit {
		b = append(b, p.obj.Config.StrTruncTrailer...)
	}
	return b
}

func (p *printer) comma(b []byte) []byte {
	if p.tight {
		return append(b, ',')
	}
	return append(b, ", "...)
}

func (p *printer) elements(b []byte, v value.Value) []byte {
	first := true
	for _, f := range v.Fields() {
		if !first {
			b = p.comma(b)
		}
		first = false
		b = p.text(b, f)
	}
	return b
}

func (p *printer) record(b []byte, v value.Value) []byte {
	start := len(b)
	b = append(b, '{')
	first := true
	for name, f := range v.Fields() {
		if !first {
			b = append(b, ',')
		}
		first = false
		if p.tight {
			b = append(p.name(append(b, '.'), name), '=')
		} else {
			b = append(p.name(append(b, " ."...), name), " = "...)
		}
		b = p.text(b, f)
	}
	if !p.tight && len(b) > start+1 {
		b = append(b, ' ')
	}
	return append(b, '}')
}

func (p *printer) array(b []byte, v value.Value) []byte {
	if v.IsText() {
		return p.bytes(b, v.Bytes())
	}
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.text(b, v.Index(i))
	}
	return append(b, ']')
}

func (p *printer) timestamp(b []byte, v value.Value) []byte {
	t := p.names.Clock.Wall(v.Int()).In(p.loc)
	return appendTime(b, v.Type.Fmt, t, true)
}

// hierarchies keeps the parts of "name:/path,name:/path" whose names match a
// pattern, in which * stands for any text.
func hierarchies(paths, pattern string) string {
	if pattern == "" {
		return paths
	}
	parts := strings.Split(paths, ",")
	parts = slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, ":")
		ok, _ := path.Match(pattern, name)
		return !ok
	})
	return strings.Join(parts, ",")
}

// numberName is what a number is called; what has none shows nothing.
func (p *printer) numberName(b []byte, v value.Value) []byte {
	if v.IsNone() {
		return b
	}
	switch v.Type.Kind {
	case types.Username:
		return p.name(b, p.names.Of(v))
	case types.Syscall:
		return p.syscall(b, v)
	case types.Errno:
		return append(b, types.ErrnoText(v.Int())...)
	}
	return append(b, types.SignalText(v.Int())...)
}

func (p *printer) syscall(b []byte, v value.Value) []byte {
	if name := p.names.Of(v); name != "" {
		return append(b, name...)
	}
	if v.Int() == -1 {
		return append(b, types.NoSyscall...)
	}
	return append(b, types.UnknownSyscall...)
}

func appendNumber(b []byte, n uint64, signed bool) []byte {
	if signed {
		return strconv.AppendInt(b, int64(n), 10)
	}
	return strconv.AppendUint(b, n, 10)
}

func appendHex(b []byte, n uint64) []byte {
	return strconv.AppendUint(append(b, "0x"...), n, 16)
}
