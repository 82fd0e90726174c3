package fst

import (
	"io"
	"slices"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/runtime/event"
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

// Field is a value of an event. Name is what the script calls it: the arguments of
// printf("%s %d", comm, args.len) are comm and len; of two with one name the second is
// name_2, and what has none is value.
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

// Event implements event.Sink.
func (e *eventOutput) Event(what event.Event) {
	if lost, ok := what.(*event.Lost); ok {
		e.loss(lost)
		return
	}
	e.text.Event(what)
	switch what := what.(type) {
	case *event.Attached, *event.Remark:
		io.WriteString(e.stderr, e.take())
	case *event.Exit:
		e.exited = true
	case *event.Record:
		e.record(what)
	case *event.Output:
		e.send(Event{Kind: messageKinds[what.Message.Kind]})
	case *event.Failure, *event.Warning:
		e.send(Event{Kind: "warning"})
	case *event.Map:
		e.send(Event{Kind: "map", Map: what.Map.Name, Entries: entries(e.text, what.Map, what.Snapshot)})
	case *event.Heat:
		e.send(Event{Kind: "map", Map: what.Map.Name, Entries: entries(e.text, what.Map, what.Snapshot)})
	case *event.Table:
		e.send(Event{Kind: "table", Fields: fields(e.text.TableRows(what.Message, what.Snapshots))})
	}
}

func (e *eventOutput) record(r *event.Record) {
	m := r.Message
	ev := Event{Kind: messageKinds[m.Kind], Probe: m.Probe}
	if m.Kind == object.MsgEvent {
		ev.Time = e.text.EventTime(m, r.Data)
	}
	for i := range m.Fields {
		name := ""
		if m.Schema != nil {
			name = m.Schema.Fields[i].Name
		}
		ev.Fields = append(ev.Fields, Field{name, e.text.Native(event.Field(&m.Fields[i], r.Data))})
	}
	e.send(ev)
}

// loss makes of the totals at the end what is new in them.
func (e *eventOutput) loss(l *event.Lost) {
	n := l.Count
	if e.exited {
		n -= min(n, e.lost[l.What])
	}
	if n == 0 {
		return
	}
	e.lost[l.What] += n
	e.text.Event(&event.Lost{What: l.What, Count: n})
	e.send(Event{Kind: "lost", Fields: []Field{{"clause", int64(l.What.Clause)}, {"kind", render.LossName(l.What.Kind)}, {"count", n}}})
}

// fields gives each row of a table as a map by the names of its columns.
func fields(rows []map[string]any) []Field {
	list := make([]Field, len(rows))
	for i, r := range rows {
		list[i].Value = r
	}
	return list
}

// Flush implements event.Sink.
func (e *eventOutput) Flush() error {
	e.deliver()
	return nil
}

// entries decodes a map, in the order it is shown.
func entries(t *render.Text, m *object.Map, s *maps.Snapshot) []MapEntry {
	sorted := slices.Clone(s.Entries)
	value.Sort(m.Key, m.Value, sorted)
	list := make([]MapEntry, 0, len(sorted))
	for _, en := range sorted {
		var e MapEntry
		if m.Key != nil {
			e.Key = t.Native(value.Of(m.Key, en.Key))
		}
		e.Value = t.Native(value.Of(m.Value, en.Value))
		list = append(list, e)
	}
	return list
}
