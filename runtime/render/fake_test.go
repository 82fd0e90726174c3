package render

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/source"
	"fst/runtime/clock"
	"fst/runtime/debuginfo"
	"fst/runtime/event"
	"fst/runtime/naming"
	"fst/runtime/value"
)

// fakeSystem is a naming.System with two symbols and two stacks.
type fakeSystem struct{}

func (fakeSystem) KernelSymbol(addr uint64) (string, uint64, string) {
	switch {
	case addr >= 0x2000 && addr < 0x3000:
		return "ksys_read", addr - 0x2000, ""
	case addr >= 0x1000 && addr < 0x2000:
		return "vfs_read", addr - 0x1000, ""
	}
	return "", 0, ""
}

func (fakeSystem) KernelSymbolSize(uint64) uint64 { return 0x1000 }

func (fakeSystem) UserSymbol(pid int, addr uint64) (string, uint64, string) {
	if pid == 7 && addr>>12 == 4 {
		return "main", addr & 0xfff, "/bin/prog"
	}
	return "", 0, ""
}

func (fakeSystem) UserSource(pid int, addr uint64) []debuginfo.Place {
	if pid != 7 || addr != 0x4000 {
		return nil
	}
	return []debuginfo.Place{{Function: "sum", File: "/src/sum.h", Line: 3}, {Function: "main", File: "/src/prog.c", Line: 12}}
}

func (fakeSystem) BuildID(pid int, addr uint64) (string, uint64) {
	if pid == 7 {
		return "1bcd", addr & 0xfff
	}
	return "", 0
}

func (fakeSystem) Stack(s value.Stack) []uint64 {
	frames := map[uint64][]uint64{1: {0x1001, 0x2061}, 2: {0x4000, 0x55d77e4b3139}}[s.ID]
	return frames[:min(len(frames), s.Format.Limit)]
}

func (fakeSystem) UserName(uid uint32) string {
	if uid == 0 {
		return "root"
	}
	return ""
}
func (fakeSystem) OtherProbe(uint64) (string, bool) { return "", false }
func (fakeSystem) ContainerName(n uint64) string    { return "web" }
func (fakeSystem) PodName(n uint64) string          { return "default/web-1" }
func (fakeSystem) CgroupPath(id uint64) string      { return "unified:/user.slice" }
func (fakeSystem) SyscallName(n uint64) string {
	if n == 0 {
		return "read"
	}
	return ""
}

// bootTime is when the clock of the fake system was 0.
var bootTime = time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)

func (fakeSystem) Wall(boot int64) time.Time { return clock.At(bootTime).Wall(boot).UTC() }

func (fakeSystem) TAIOffset() time.Duration { return 37 * time.Second }

const fakeScript = `begin { warnf("w %d", 1); }
kprobe:f { @x[1] = 1; }
`

func fakeObject() *object.Object {
	o := &object.Object{Config: object.DefaultConfig(), Sources: &source.Set{}, ProbeNames: []string{"kprobe:f", "kprobe:g"}}
	f := o.Sources.Add("stdin", fakeScript)
	o.Clauses = []source.Span{f.Span(0, 27), f.Span(28, 51)}
	return o
}

// both are the two outputs over the same object.
type both struct {
	obj       *object.Object
	text      *Text
	json      *JSON
	out, errs bytes.Buffer // of text
	lines     bytes.Buffer // of json
	jsonErrs  bytes.Buffer
}

func newBoth() *both {
	b := &both{obj: fakeObject()}
	opts := Options{Location: time.UTC, Now: func() time.Time { return time.Date(2026, 11, 21, 4, 5, 6, 789000, time.UTC) }}
	b.text = NewText(&b.out, &b.errs, b.obj, opts)
	b.json = NewJSON(&b.lines, &b.jsonErrs, b.obj, opts)
	return b
}

func (b *both) each(f func(form)) { f(form{b.text, b.obj}); f(form{b.json, b.obj}) }

// form is a sink that is given events piece by piece.
type form struct {
	sink event.Sink
	obj  *object.Object
}

// named gives an event the names of the fake system.
func named(obj *object.Object, e event.Event) event.Event {
	n := naming.Namer{System: fakeSystem{}, Object: obj, Frames: true, Plain: NewPlain}
	n.Name(e, false)
	return e
}

// Event names an event as a session does, and shows it.
func (f form) Event(e event.Event) { f.sink.Event(named(f.obj, e)) }
func (f form) Flush() error        { return f.sink.Flush() }

func (f form) Attached(n int) { f.Event(&event.Attached{Probes: n}) }
func (f form) Message(m *object.Message, record []byte) {
	f.Event(recordOf(m, record))
}

// recordOf is the event of a record.
func recordOf(m *object.Message, data []byte) *event.Record {
	r := &event.Record{Message: m, Data: data}
	if data != nil {
		r.Stamp = event.StampOf(m, data, clock.At(bootTime))
	}
	return r
}
func (f form) Output(m *object.Message, text []byte) {
	f.Event(&event.Output{Message: m, Text: text})
}
func (f form) Failure(text string) { f.Event(&event.Failure{Text: text}) }
func (f form) Map(m *object.Map, s *value.Snapshot, top, div int64) {
	f.Event(&event.Map{Map: m, Snapshot: s, Top: top, Div: div})
}
func (f form) Heat(msg *object.Message, m *object.Map, s *value.Snapshot) {
	f.Event(&event.Heat{Message: msg, Map: m, Snapshot: s})
}
func (f form) Table(obj *object.Object, m *object.Message, snapshots []*value.Snapshot) {
	e := &event.Table{Message: m, Snapshots: snapshots}
	for _, i := range m.Table.Maps {
		e.Maps = append(e.Maps, obj.Maps[i])
	}
	f.Event(e)
}
func (f form) Exit()                           { f.Event(&event.Exit{}) }
func (f form) Lost(what object.Loss, n uint64) { f.Event(&event.Lost{What: what, Count: n}) }
func (f form) Warn(text string)                { f.Event(&event.Warning{Text: text}) }
func (f form) Remark(text string)              { f.Event(&event.Remark{Text: text}) }

// expect flushes, compares and forgets what was written.
func (b *both) expect(t *testing.T, name, text, json string) {
	t.Helper()
	b.each(func(o form) {
		if err := o.Flush(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	if got := b.out.String(); got != text {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, text)
	}
	if got := b.lines.String(); got != json {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, json)
	}
	b.out.Reset()
	b.lines.Reset()
}

// operand is a value of a record under construction.
type operand struct {
	name string
	typ  *types.Type
	data []byte
}

func num(n int64) []byte { return binary.NativeEndian.AppendUint64(nil, uint64(n)) }

func i64(n int64) operand             { return operand{typ: types.I64, data: num(n)} }
func u64(n uint64) operand            { return operand{typ: types.U64, data: num(int64(n))} }
func (o operand) as(n string) operand { o.name = n; return o }

func integer(typ *types.Type, n int64) operand { return operand{typ: typ, data: num(n)[:typ.Size]} }

func str(s string) operand {
	typ := types.StringType(len(s) + 1)
	return operand{typ: typ, data: append([]byte(s), make([]byte, typ.Size-len(s))...)}
}

func chars(s string, n int) operand {
	return operand{typ: types.ArrayOf(types.CharType, n), data: append([]byte(s), make([]byte, n-len(s))...)}
}

func boolean(v bool) operand {
	o := operand{typ: types.BoolType, data: []byte{0}}
	if v {
		o.data[0] = 1
	}
	return o
}

func words(typ *types.Type, ns ...int64) operand {
	o := operand{typ: typ}
	for _, n := range ns {
		o.data = append(o.data, num(n)...)
	}
	return o
}

func pointer(n int64) operand { return words(types.PointerTo(nil, false), n) }

func buffer(s string) operand {
	typ := types.BufferType(len(s))
	data := append(binary.NativeEndian.AppendUint32(nil, uint32(len(s))), s...)
	return operand{typ: typ, data: append(data, make([]byte, typ.Size-len(data))...)}
}

// layOut forms operands into a tuple or record.
func layOut(typ *types.Type, ops []operand) operand {
	data := make([]byte, typ.Size)
	for i, f := range typ.Fields() {
		copy(data[f.Offset:], ops[i].data)
	}
	return operand{typ: typ, data: data}
}

func tuple(ops ...operand) operand {
	var elems []*types.Type
	for _, o := range ops {
		elems = append(elems, o.typ)
	}
	return layOut(types.TupleType(elems), ops)
}

func record(ops ...operand) operand {
	var names []string
	var elems []*types.Type
	for _, o := range ops {
		names, elems = append(names, o.name), append(elems, o.typ)
	}
	return layOut(types.RecordType(names, elems), ops)
}

func array(elem *types.Type, ns ...int64) operand {
	o := operand{typ: types.ArrayOf(elem, len(ns))}
	for _, n := range ns {
		o.data = append(o.data, num(n)[:elem.Size]...)
	}
	return o
}

func enum(n int64) operand {
	return integer(types.EnumType("e", 4, false, []types.Enumerator{{Name: "A", Value: 0}, {Name: "B", Value: 1}}), n)
}

func kind(k types.Kind, size int, data []byte) operand {
	return operand{typ: &types.Type{Kind: k, Size: size}, data: append(data, make([]byte, size-len(data))...)}
}

// name is a value that is a number with a name.
func name(k types.Kind, n int32) operand { return kind(k, 8, num(types.Named|int64(uint32(n)))) }

func kstack(id int32, mode string, limit int) operand {
	o := kind(types.KStack, 8, num(int64(id)))
	o.typ.Stack = types.StackFormat{Mode: mode, Limit: limit}
	return o
}

func ustack(id, pid int, mode string) operand {
	data := binary.NativeEndian.AppendUint64(nil, uint64(id))
	data = binary.NativeEndian.AppendUint64(data, uint64(pid))
	o := kind(types.UStack, 16, data)
	o.typ.Stack = types.StackFormat{Mode: mode, Limit: 127}
	return o
}

// roles are what fields with these names are of an event.
var roles = map[string]object.Role{"nsecs": object.RoleTime, "comm": object.RoleComm, "pid": object.RolePID, "tid": object.RoleTID,
	"probe": object.RoleProbe, "ret": object.RoleResult, "retval": object.RoleResult, "took": object.RoleTook}

// message builds a message and its record.
func message(k object.MessageKind, format string, ops ...operand) (*object.Message, []byte) {
	m := &object.Message{Kind: k, Map: -1, Schema: &object.Schema{}}
	m.Format, _ = object.ParseFormat(format)
	rec := make([]byte, object.HeaderSize)
	for _, o := range ops {
		for len(rec)%8 != 0 {
			rec = append(rec, 0)
		}
		m.Fields = append(m.Fields, object.MessageField{Type: o.typ, Offset: len(rec)})
		role := roles[o.name]
		if m.Schema.Index(o.name) >= 0 {
			role = object.RoleArg
		}
		if role == object.RoleTime {
			m.Time = len(rec)
		}
		m.Schema.Add(object.Field{Name: o.name, Type: o.typ, Role: role})
		rec = append(rec, o.data...)
	}
	m.Size = len(rec)
	return m, rec
}

// schemaOf names columns.
func schemaOf(columns []object.Column) *object.Schema {
	s := &object.Schema{}
	for _, c := range columns {
		s.Add(object.Field{Name: c.Key()})
	}
	return s
}

// snapshot builds a map and its content; entries are key, value in turn, or
// one value of a map without keys.
func snapshot(name string, entries ...operand) (*object.Map, *value.Snapshot) {
	m := &object.Map{Name: name, Script: true, Present: -1}
	s := &value.Snapshot{}
	if len(entries) == 1 {
		m.Value = entries[0].typ
		s.Entries = []value.Entry{{Value: entries[0].data}}
		return m, s
	}
	m.Key, m.Value = entries[0].typ, entries[1].typ
	for i := 0; i < len(entries); i += 2 {
		s.Entries = append(s.Entries, value.Entry{Key: entries[i].data, Value: entries[i+1].data})
	}
	return m, s
}

// hist counts numbers in a hist of the given k.
func hist(k int, numbers ...int64) operand {
	counts := make([]int64, types.HistBuckets(k))
	for _, n := range numbers {
		counts[value.HistIndex(n, k)]++
	}
	return words(&types.Type{Kind: types.Hist, Size: 8 * len(counts), Agg: types.Agg{K: k}}, counts...)
}

func quantile(numbers ...int64) operand {
	o := hist(types.QuantileK, numbers...)
	biased := uint64(0)
	for _, n := range numbers {
		biased = max(biased, uint64(n)+types.QuantileBias)
	}
	o.data = binary.NativeEndian.AppendUint64(o.data, biased)
	o.typ = &types.Type{Kind: types.Quantile, Size: len(o.data)}
	return o
}

func lhist(lo, hi, step int64, numbers ...int64) operand {
	counts := make([]int64, (hi-lo)/step+2)
	for _, n := range numbers {
		counts[value.LHistIndex(n, lo, hi, step)]++
	}
	agg := types.Agg{Min: lo, Max: hi, Step: step}
	return words(&types.Type{Kind: types.LHist, Size: 8 * len(counts), Agg: agg}, counts...)
}

func aggregate(k types.Kind, signed bool, ns ...int64) operand {
	return words(&types.Type{Kind: k, Size: 8 * len(ns), Agg: types.Agg{Signed: signed}}, ns...)
}

func count(n int64) operand { return aggregate(types.Count, false, n) }

// mapOf is the arguments to show a map without keys.
func mapOf(o operand) (*object.Map, *value.Snapshot, int64, int64) {
	m, s := snapshot("@", o)
	return m, s, 0, 0
}
