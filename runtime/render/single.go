package render

import (
	"bytes"
	"sync"

	"fst/compiler/object"
	"fst/runtime/event"
)

// Single shows events one by one, when somebody asks, as text: each as a terminal shows
// it, but rows without their heading. Its methods may be called by several goroutines.
type Single struct {
	object *object.Object

	mu        sync.Mutex
	out, errs bytes.Buffer
	text      *Text // nil until somebody asks
}

// NewSingle returns what shows the events of a script.
func NewSingle(obj *object.Object) *Single { return &Single{object: obj} }

// Text is an event as text.
func (s *Single) Text(e event.Event) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == nil {
		s.text = NewText(&s.out, &s.errs, s.object, Options{LineBuffered: true, NoExitLines: true})
	}
	if r, ok := e.(*event.Record); ok {
		s.text.notes.news = nil
		if r.Message.Kind.HasValues() && len(r.Message.Columns) > 0 {
			s.text.heading = headingOf(r.Message)
		}
	}
	s.text.Event(e)
	s.text.Flush()
	text := s.out.String() + s.errs.String()
	s.out.Reset()
	s.errs.Reset()
	return text
}
