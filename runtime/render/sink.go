package render

import (
	"fst/compiler/object"
	"fst/runtime/event"
	"fst/runtime/value"
)

// form is a form of output: what it makes of each kind of event.
type form interface {
	Attached(n int)
	Message(m *object.Message, record []byte)
	Output(m *object.Message, text []byte)
	Failure(text string)
	Map(m *object.Map, s *value.Snapshot, top, div int64)
	Heat(msg *object.Message, m *object.Map, s *value.Snapshot)
	Table(m *object.Message, snapshots []*value.Snapshot)
	Exit()
	Lost(what object.Loss, n uint64)
	Warn(text string)
	Remark(text string)
	Flush() error
}

// show has a form show an event.
func show(f form, e event.Event) {
	switch e := e.(type) {
	case *event.Record:
		f.Message(e.Message, e.Data)
	case *event.Map:
		f.Map(e.Map, e.Snapshot, e.Top, e.Div)
	case *event.Heat:
		f.Heat(e.Message, e.Map, e.Snapshot)
	case *event.Table:
		f.Table(e.Message, e.Snapshots)
	case *event.Output:
		f.Output(e.Message, e.Text)
	case *event.Failure:
		f.Failure(e.Text)
	case *event.Lost:
		f.Lost(e.What, e.Count)
	case *event.Warning:
		f.Warn(e.Text)
	case *event.Remark:
		f.Remark(e.Text)
	case *event.Attached:
		f.Attached(e.Probes)
	case *event.Exit:
		f.Exit()
	}
}

// Event implements event.Sink.
func (t *Text) Event(e event.Event) { show(t, e) }

// Event implements event.Sink.
func (j *JSON) Event(e event.Event) { show(j, e) }

// Event implements event.Sink.
func (in *Influx) Event(e event.Event) { show(in, e) }

// Event implements event.Sink.
func (f *Folded) Event(e event.Event) { show(f, e) }

// Command is the text of a record's format with its values as they are: what
// system() runs, and the path of cat().
func (t *Text) Command(m *object.Message, record []byte) string { return t.p.command(m, record) }
