package maps

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/source"
)

// Store keeps maps beyond the sessions that use them: those of its scripts that are Kept
// (object.Map). A script finds there, under the same name, what others have left or use at
// the same time.
type Store struct {
	mu   sync.Mutex // held by who reads or changes one of the maps, in any session
	held sync.Mutex // guards maps
	maps map[string]*keptMap
}

// keptMap is a map of a store.
type keptMap struct {
	*Map
	place Place
	users atomic.Int32 // sessions
}

func (k *keptMap) release() { k.users.Add(-1) }

// Place is where a script gave a map its type.
type Place struct {
	File       string // its name
	Text       string // all of it
	Start, End int    // in it
	Line, Col  int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// placeOf finds a span in its file.
func placeOf(set *source.Set, sp source.Span) Place {
	if set == nil {
		return Place{}
	}
	sp = set.Origin(sp)
	at := set.Position(sp.Start)
	if at.File == nil {
		return Place{}
	}
	return Place{at.File.Name, at.File.Text, int(sp.Start - at.File.Base), int(sp.End - at.File.Base), at.Line, at.Col}
}

// StoreError is a map of a store that a script can't take over.
type StoreError struct {
	Map      *object.Map // as the script has it
	Old, New Place
	Reason   string
}

func (e *StoreError) Error() string {
	return fmt.Sprintf("%s can't be taken over: %s (%s, and now %s)", e.Map.Name, e.Reason, e.Old, e.New)
}

// Kept is a map of a store, as it was last adopted.
type Kept struct {
	Spec *object.Map
	Place
}

// Kept lists the maps, by name.
func (s *Store) Kept() (list []Kept) {
	s.held.Lock()
	defer s.held.Unlock()
	for _, k := range s.maps {
		list = append(list, Kept{k.Spec, k.place})
	}
	slices.SortFunc(list, func(a, b Kept) int { return strings.Compare(a.Spec.Name, b.Spec.Name) })
	return list
}

// adopt returns a map for a script: the one of that name if it is the same or can be
// converted, else a new one.
func (s *Store) adopt(spec *object.Map, set *source.Set, in Backing) (*Map, error) {
	s.held.Lock()
	defer s.held.Unlock()
	old := s.maps[spec.Name]
	switch {
	case old == nil || !sameLayout(old.Spec, spec):
		if old != nil && old.users.Load() > 0 {
			return nil, &StoreError{spec, old.place, placeOf(set, spec.Span), "it is in use, and has another type or size there"}
		}
		made, err := create(spec, in)
		if err != nil {
			return nil, err
		}
		if old != nil {
			if err := s.convert(old, made); err != nil {
				made.close()
				return nil, &StoreError{spec, old.place, placeOf(set, spec.Span), err.Error()}
			}
			old.Map.close()
		}
		if s.maps == nil {
			s.maps = map[string]*keptMap{}
		}
		old = &keptMap{Map: made, place: placeOf(set, spec.Span)}
		s.maps[spec.Name] = old
	}
	old.users.Add(1)
	m := old.view(spec)
	m.kept = old
	return m, nil
}

// view is the same map under another description.
func (m *Map) view(spec *object.Map) *Map {
	t := *m.table
	t.Spec = spec
	if a, ok := m.entries.(*array); ok {
		return &Map{table: &t, entries: &array{&t, a.arrayState}}
	}
	return &Map{table: &t, entries: &hash{&t}}
}

// sameLayout reports whether programs that are made for the one map can use the other.
func sameLayout(a, b *object.Map) bool {
	return a.Kind == b.Kind && a.KeySize == b.KeySize && a.ValueSize == b.ValueSize && a.MaxEntries == b.MaxEntries &&
		a.Present == b.Present && types.Equal(a.Key, b.Key) && types.Equal(a.Value, b.Value) && a.Value.Agg.Equal(b.Value.Agg, types.Equal)
}

// convert copies what is in a map to another one, of types that take it.
func (s *Store) convert(old *keptMap, to *Map) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := old.Read()
	if err != nil {
		return err
	}
	for _, e := range all.Entries {
		key, ok := converted(old.Spec.Key, to.Spec.Key, e.Key)
		val, fits := converted(old.Spec.Value, to.Spec.Value, e.Value)
		if !ok || !fits {
			return errors.New("it has another type there")
		}
		if key == nil {
			key = make([]byte, to.Spec.KeySize)
		}
		if err := to.put(key, val); err != nil {
			return err
		}
	}
	return nil
}

// converted is a value in the layout of another type; ok is false if it is not the same
// there.
func converted(from, to *types.Type, data []byte) (_ []byte, ok bool) {
	switch {
	case from == nil || to == nil:
		return nil, from == to
	case types.Equal(from, to) && from.Agg.Equal(to.Agg, types.Equal):
		return slices.Clone(data), true
	case from.Kind.IsAggregation() || to.Kind.IsAggregation():
		return nil, false
	}
	out := make([]byte, to.Size)
	switch {
	case from.IsInteger() && to.IsInteger():
		if from.Size > to.Size || from.Size == to.Size && from.Signed != to.Signed || from.Signed && !to.Signed {
			return nil, false
		}
		copy(out, data[:from.Size])
		if from.Signed && data[from.Size-1]&0x80 != 0 { // little endian
			for i := from.Size; i < to.Size; i++ {
				out[i] = 0xff
			}
		}
		return out, true
	case from.Kind == types.String && to.Kind == types.String && from.Size <= to.Size:
		copy(out, data[:from.Size])
		return out, true
	case (from.Kind == types.Tuple || from.Kind == types.Record) && from.Kind == to.Kind && len(from.Fields()) == len(to.Fields()):
		for i, f := range from.Fields() {
			t := to.Fields()[i]
			part, ok := converted(f.Type, t.Type, data[f.Offset:])
			if !ok || f.Name != t.Name {
				return nil, false
			}
			copy(out[t.Offset:], part[:t.Type.Size])
		}
		return out, true
	}
	return nil, false
}

// Views are the maps of the store that a script has, for reading and changing them without
// a session; they are not closed with the Set.
func (s *Store) Views(obj *object.Object) *Set {
	s.held.Lock()
	defer s.held.Unlock()
	set := &Set{Locker: &s.mu}
	for _, spec := range obj.Maps {
		var m *Map
		if k := s.maps[spec.Name]; k != nil && spec.Kept && sameLayout(k.Spec, spec) {
			m = k.view(spec)
		}
		set.maps = append(set.maps, m)
	}
	return set
}

// Forget closes a map that nobody uses. It need not be there.
func (s *Store) Forget(name string) error {
	s.held.Lock()
	defer s.held.Unlock()
	k := s.maps[name]
	if k == nil {
		return nil
	}
	if k.users.Load() > 0 {
		return fmt.Errorf("%s is in use", name)
	}
	k.Map.close()
	delete(s.maps, name)
	return nil
}

// Close lets all maps go, and what is in them. No session may use them any more.
func (s *Store) Close() {
	s.held.Lock()
	defer s.held.Unlock()
	for _, k := range s.maps {
		k.Map.close()
	}
	s.maps = nil
}
