package render

import (
	"fst/compiler/object"
	"fst/lang/source"
	"fst/runtime/event"
	"time"

	"fst/compiler/types"
	"fst/runtime/value"
)

// Place is an address in the kernel or in a process. Symbol is empty where no
// name is known; Module is then still the binary that is mapped there, if any.
type Place struct {
	Address uint64
	Symbol  string
	Offset  uint64 // from the symbol's start, in bytes
	Module  string // a kernel module, or the path of a binary
}

// Bucket is a bar of a hist or lhist. Both ends are included; a bucket that is
// open to a side has the smallest or largest int64 there.
type Bucket struct {
	Min, Max int64
	Count    uint64
}

// Quantiles are what quantile() shows: each at most one part in 16 above the
// true one, and Max exactly.
type Quantiles struct {
	Count                    uint64
	P50, P90, P99, P999, Max int64
}

// Stats is what stats() knows. Average and Total are int64 or uint64, as the
// numbers that were added.
type Stats struct {
	Count          uint64
	Average, Total any
}

// Slot is an interval of a tseries.
type Slot struct {
	Start time.Time
	Value int64
}

// Decoder makes Go values of what a script says. Its methods belong to one goroutine at a
// time.
type Decoder struct {
	p     printer
	notes notes
}

// NewDecoder returns the decoder of a script's values.
func NewDecoder(obj *object.Object) *Decoder {
	return &Decoder{newPrinter(obj, Options{}), notes{obj: obj}}
}

// Record gives the fields of a record, with the names and units of its schema.
func (d *Decoder) Record(r *event.Record) Fields {
	d.p.show(r)
	m := r.Message
	list := make(Fields, len(m.Fields))
	for i := range m.Fields {
		list[i] = d.field(m.Schema, i, event.Field(&m.Fields[i], r.Data))
	}
	return list
}

func (d *Decoder) field(s *object.Schema, i int, v value.Value) Field {
	f := Field{Value: d.native(v)}
	if s != nil && i < len(s.Fields) {
		f.Name, f.Unit = s.Fields[i].Name, s.Fields[i].Unit.String()
	}
	return f
}

// Entry gives an element of a map: the parts of its key, and its value.
func (d *Decoder) Entry(all event.Elements, i int) (key Fields, val any) {
	d.p.names = all.Names
	if all.Map.Key != nil {
		for part, v := range event.KeyParts(all.Key(i)) {
			key = append(key, d.field(all.Map.Schema, part, v))
		}
	}
	return key, d.native(all.Value(i))
}

// Rows gives the rows of a table. more is how many others there are.
func (d *Decoder) Rows(e *event.Table) (list []Fields, more int) {
	d.p.show(e)
	rows := e.Rows()
	for _, values := range rows.Rows {
		var fields Fields
		for i, v := range values {
			fields = append(fields, d.field(e.Message.Schema, i, v))
		}
		list = append(list, fields)
	}
	return list, rows.More
}

// Probe is the place that a MsgEvent tells of.
func (d *Decoder) Probe(r *event.Record) string {
	return d.p.exactly(func() []byte { return d.p.eventProbe(nil, r.Message, d.p.shapes.of(r.Message), r.Data) })
}

// Words are those of a MsgJoin.
func (d *Decoder) Words(m *object.Message, record []byte) []string {
	var list []string
	for _, word := range joinedWords(m, record) {
		list = append(list, string(word))
	}
	return list
}

// RuntimeError is what a MsgRuntimeError says. news is false if it has been said before.
func (d *Decoder) RuntimeError(m *object.Message, record []byte) (text string, news bool) {
	news = d.notes.isNews(m, record)
	text, _ = d.notes.runtimeError(m, record)
	return text, news
}

// LossPlace is the place of a loss in the script, or an empty span.
func (d *Decoder) LossPlace(what object.Loss) source.Span { return d.notes.lossSpan(what) }

// native returns a value as an ordinary Go value that shares no memory with v:
//
//	int, enum, pointer         int64 or uint64, by signedness
//	count, sum, min, max, avg  the same
//	bool                       bool
//	string, char array         string
//	buffer                     []byte
//	tuple, array               []any
//	record, struct, union      Fields
//	ksym, usym, func           Place
//	kstack, ustack             []Place, innermost first
//	inet, mac                  netip.Addr, net.HardwareAddr
//	timestamp                  time.Time
//	hist, lhist                []Bucket, from the first to the last that counted something
//	quantile                   Quantiles
//	stats                      Stats
//	tseries                    []Slot, oldest first
//	no value                   nil
//
// What the language has only to be read (the names of users, control groups,
// probes and system calls, the texts of errors and signals) is a string.
func (d *Decoder) native(v value.Value) any {
	switch v.Type.Kind {
	case types.Bool:
		return v.Bool()
	case types.String:
		return string(v.Bytes())
	case types.Buffer:
		return append([]byte{}, v.Bytes()...)
	case types.Array:
		if v.Type.IsCharArray() {
			return string(v.Bytes())
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = d.native(v.Index(i))
		}
		return list
	case types.Tuple:
		list := []any{}
		for _, f := range v.Fields() {
			list = append(list, d.native(f))
		}
		return list
	case types.Record, types.Struct, types.Union:
		list := Fields{}
		for name, f := range v.Fields() {
			list = append(list, Field{Name: name, Value: d.native(f)})
		}
		return list
	case types.KSym, types.USym, types.Func:
		return d.place(v.Address())
	case types.KStack, types.UStack:
		return d.places(v.Stack())
	case types.Inet:
		return v.IP()
	case types.MAC:
		return v.Clone().MAC()
	case types.Timestamp:
		return d.p.names.Clock.Wall(v.Int())
	case types.CgroupPath, types.Container, types.Pod, types.Username, types.ProbeName, types.Syscall, types.Errno, types.SignalName:
		return d.p.exactly(func() []byte { return d.p.text(nil, v) })
	case types.None, types.Invalid:
		return nil
	}
	if form := displayOf(v.Type); form != nil {
		return form.native(d, v)
	}
	return d.number(v)
}

func (d *Decoder) number(v value.Value) any {
	if v.Signed() {
		return v.Int()
	}
	return v.Uint()
}

func (d *Decoder) place(a value.Address) Place {
	return placeOf(a.Addr, d.p.names.Places[a])
}

func (d *Decoder) places(s value.Stack) []Place {
	list := []Place{}
	for _, f := range d.p.names.Stacks[s] {
		list = append(list, placeOf(f.Addr, f.Place))
	}
	return list
}

func placeOf(addr uint64, p event.Place) Place { return Place{addr, p.Symbol, p.Offset, p.Module} }
