package naming

import (
	"slices"

	"fst/compiler/object"
	"fst/runtime/event"
)

// Stage is a sink that hands events on with their names.
type Stage struct {
	*Namer
	Next event.Sink

	exited bool
	plain  event.Names // of records without any
	names  event.Names // of the record that is being shown
	named  map[*object.Message]bool
}

// NewStage returns a stage before next. Records of which nothing has a name pass it as they are.
func NewStage(n *Namer, next event.Sink) *Stage {
	s := &Stage{Namer: n, Next: next, plain: event.Names{Clock: n.System}, names: event.Names{Clock: n.System}, named: map[*object.Message]bool{}}
	for _, m := range n.Object.Messages {
		pointer := func(v object.Verb) bool { return v.IsSymbol() }
		if slices.ContainsFunc(m.Fields, func(f object.MessageField) bool { return hasNames(f.Type) }) ||
			slices.ContainsFunc(m.Format, pointer) || slices.ContainsFunc(m.Columns, func(c object.Column) bool { return pointer(c.Verb) }) {
			s.named[m] = true
		}
	}
	return s
}

// Event implements event.Sink.
func (s *Stage) Event(e event.Event) {
	switch e := e.(type) {
	case *event.Record:
		if e.Names = &s.plain; len(s.named) > 0 && s.named[e.Message] {
			clear(s.names.Places)
			clear(s.names.Stacks)
			clear(s.names.Texts)
			e.Names = &s.names
			s.record(e.Names, e)
		}
	case *event.Exit:
		s.exited = true
	default:
		s.Name(e, s.exited)
	}
	s.Next.Event(e)
}

// Flush implements event.Sink.
func (s *Stage) Flush() error { return s.Next.Flush() }
