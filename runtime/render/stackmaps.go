package render

import (
	"maps"
	"slices"
	"time"

	"fst/compiler/object"
	"fst/runtime/event"
)

// stackMaps keeps what maps by stack have shown, for outputs that are one document at the
// end. A map that is emptied when it is shown adds up, of any other the last state counts. All
// else that a script says goes to the error stream.
type stackMaps[T any] struct {
	folder  *folder // says the rest, and knows what maps weigh
	divided bool    // weights are divided as print() says: for an output that has no units
	// keep makes of an element what is kept of its key.
	keep   func(f *folder, r event.Elements, i int) T
	maps   []*object.Map
	values []map[string]*weighed[T] // of each map, by the bytes of the keys
	last   time.Time
}

type weighed[T any] struct {
	of     T
	weight int64 // so far; what is not more than 0 at the end has no place in a picture
}

func newStackMaps[T any](f *folder, keep func(*folder, event.Elements, int) T) *stackMaps[T] {
	return &stackMaps[T]{folder: f, keep: keep}
}

// Event implements event.Sink.
func (s *stackMaps[T]) Event(e event.Event) {
	switch e := e.(type) {
	case *event.Map:
		if byStack(e.Map) {
			s.folder.p.show(e)
			if s.divided {
				s.folder.p.div = divisor(e.Div)
			}
			s.take(e.Elements(true))
			s.folder.p.div = 0
			return
		}
	case *event.Heat:
		if byStack(e.Map) {
			s.folder.p.show(e)
			s.take(e.Elements())
			return
		}
	}
	s.folder.Event(e)
}

// take takes what is shown of a map.
func (s *stackMaps[T]) take(r event.Elements) {
	if r.Time.After(s.last) {
		s.last = r.Time
	}
	i := 0
	for i < len(s.maps) && s.maps[i] != r.Map {
		i++
	}
	if i == len(s.maps) {
		s.maps, s.values = append(s.maps, r.Map), append(s.values, nil)
	}
	if s.values[i] == nil || !isEmptied(s.folder.p.obj, r.Map) {
		s.values[i] = map[string]*weighed[T]{}
	}
	for n := range r.Entries {
		weight := s.folder.change(r.Value(n))
		if weight == 0 {
			continue
		}
		key := string(r.Entries[n].Key)
		w := s.values[i][key]
		if w == nil {
			w = &weighed[T]{of: s.keep(s.folder, r, n)}
			s.values[i][key] = w
		}
		w.weight += weight
	}
}

// Flush implements event.Sink.
func (s *stackMaps[T]) Flush() error { return s.folder.Flush() }

// inOrder are what was kept of the elements of a map, by their keys.
func (s *stackMaps[T]) inOrder(of int) (list []*weighed[T]) {
	for _, key := range slices.Sorted(maps.Keys(s.values[of])) {
		if w := s.values[of][key]; w.weight > 0 {
			list = append(list, w)
		}
	}
	return list
}
