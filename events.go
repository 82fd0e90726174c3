package fst

import (
	"io"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/runtime/maps"
	"fst/runtime/render"
	"fst/runtime/value"
)

// Event is something that the script said.
type Event struct {
	// Kind is "printf", "value" (print of a value), "event" (a clause
	// without an action), "row", "table" (a field for each row, a
	// map[string]any), "map", "time", "join", "cat", "system", "error",
	// "warning" or "lost" (fields: the number of the clause, the kind of loss as
	// in JSON, and the count since the last such event).
	Kind string
	// Time is when an "event" happened.
	Time time.Time
	// Probe is the place that a clause without an action reports, if it has
	// just one; else a field named probe tells.
	Probe string
	// Text is the event as a terminal shows it.
	Text string
	// Fields are its values, decoded; see Field.
	Fields []Field
	// Map and Entries are set for Kind "map".
	Map     string
	Entries []MapEntry
}

// Field is a value of an event. Name is empty for the arguments of printf.
// Values are int64 or uint64, bool, string, []byte, []any (tuples and arrays),
// map[string]any (records and structs), time.Time, netip.Addr,
// net.HardwareAddr, Place, []Place (a stack, innermost first), []Bucket (hist
// and lhist), Quantiles, Stats and []Slot (tseries).
type Field struct {
	Name  string
	Value any
}

// Get returns the value of the field with a name; nil if there is none.
func (e *Event) Get(name string) any {
	for _, f := range e.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// MapEntry is one element of a map, with values as in Field. Key is nil for a
// map without keys and a []any for one with several.
type MapEntry struct {
	Key, Value any
}

// What values of a script can be, besides Go's own types.
type (
	// Place is an address with its name.
	Place = render.Place
	// Bucket is a bar of a hist or lhist.
	Bucket = render.Bucket
	// Quantiles is what quantile() counts to.
	Quantiles = render.Quantiles
	// Stats is what stats() counts to.
	Stats = render.Stats
	// Slot is an interval of a tseries.
	Slot = render.Slot
)

var messageKinds = map[object.MessageKind]string{
	object.MsgPrintf: "printf", object.MsgErrorf: "error", object.MsgWarnf: "warning", object.MsgPrintValue: "value",
	object.MsgTime: "time", object.MsgCat: "cat", object.MsgSystem: "system", object.MsgJoin: "join",
	object.MsgEvent: "event", object.MsgRow: "row", object.MsgRuntimeError: "warning",
}

// eventOutput turns what a session says into events. The text of each comes
// from the renderer, so that the two cannot disagree.
type eventOutput struct {
	session   *Session
	text      *render.Text
	out, errs strings.Builder
	stderr    io.Writer
	waiting   []Event // until somebody can read them
	exited    bool
	lost      map[object.Loss]uint64 // what was told
}

func newEventOutput(s *Session, stderr io.Writer, o render.Options) *eventOutput {
	e := &eventOutput{session: s, stderr: stderr, lost: map[object.Loss]uint64{}}
	o.LineBuffered, o.NoExitLines = true, true
	e.text = render.NewText(&e.out, &e.errs, s.object, s.resolver, o)
	return e
}

// take returns what was rendered since the last call.
func (e *eventOutput) take() string {
	e.text.Flush()
	text := e.out.String() + e.errs.String()
	e.out.Reset()
	e.errs.Reset()
	return text
}

func (e *eventOutput) send(ev Event) {
	ev.Text = e.take()
	e.waiting = append(e.waiting, ev)
	e.deliver()
}

// deliver hands over what waits. Before Start has returned nobody reads, and
// after Close nobody need do so.
func (e *eventOutput) deliver() {
	select {
	case <-e.session.attached:
	default:
		return
	}
	for _, ev := range e.waiting {
		select {
		case e.session.events <- ev:
		case <-e.session.closing:
		}
	}
	e.waiting = e.waiting[:0]
}

func (e *eventOutput) Attached(n int) {
	e.text.Attached(n)
	io.WriteString(e.stderr, e.take())
}

func (e *eventOutput) Message(m *object.Message, record []byte) {
	e.text.Message(m, record)
	ev := Event{Kind: messageKinds[m.Kind], Probe: m.Probe}
	if m.Kind == object.MsgEvent {
		ev.Time = e.text.EventTime(m, record)
	}
	for _, f := range m.Fields {
		if f.Offset > len(record) {
			continue
		}
		ev.Fields = append(ev.Fields, Field{f.Name, e.text.Native(value.Of(f.Type, record[f.Offset:]))})
	}
	e.send(ev)
}

func (e *eventOutput) Map(m *object.Map, s *maps.Snapshot, top, div int64) {
	e.text.Map(m, s, top, div)
	e.send(Event{Kind: "map", Map: m.Name, Entries: entries(e.text, m, s)})
}

func (e *eventOutput) Heat(msg *object.Message, m *object.Map, s *maps.Snapshot) {
	e.text.Heat(msg, m, s)
	e.send(Event{Kind: "map", Map: m.Name, Entries: entries(e.text, m, s)})
}

func (e *eventOutput) Table(m *object.Message, snapshots []*maps.Snapshot) {
	e.text.Table(m, snapshots)
	e.send(Event{Kind: "table", Fields: fields(e.text.TableRows(m, snapshots))})
}

// fields gives each row of a table as a map by the names of its columns.
func fields(rows []map[string]any) []Field {
	list := make([]Field, len(rows))
	for i, r := range rows {
		list[i].Value = r
	}
	return list
}

func (e *eventOutput) Exit() {
	e.exited = true
	e.text.Exit()
}

// Lost makes of the totals at the end what is new in them.
func (e *eventOutput) Lost(what object.Loss, n uint64) {
	if e.exited {
		n -= min(n, e.lost[what])
	}
	if n == 0 {
		return
	}
	e.lost[what] += n
	e.text.Lost(what, n)
	e.send(Event{Kind: "lost", Fields: []Field{{"clause", int64(what.Clause)}, {"kind", render.LossName(what.Kind)}, {"count", n}}})
}

func (e *eventOutput) Warn(text string) {
	e.text.Warn(text)
	e.send(Event{Kind: "warning"})
}

func (e *eventOutput) Remark(text string) {
	e.text.Remark(text)
	io.WriteString(e.stderr, e.take())
}

func (e *eventOutput) Flush() error {
	e.deliver()
	return nil
}

// entries decodes a map, in the order it is shown.
func entries(t *render.Text, m *object.Map, s *maps.Snapshot) []MapEntry {
	value.Sort(m.Key, m.Value, s.Entries)
	list := make([]MapEntry, 0, len(s.Entries))
	for _, en := range s.Entries {
		var e MapEntry
		if m.Key != nil {
			e.Key = t.Native(value.Of(m.Key, en.Key))
		}
		e.Value = t.Native(value.Of(m.Value, en.Value))
		list = append(list, e)
	}
	return list
}
