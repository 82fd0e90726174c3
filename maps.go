package fst

import (
	"fmt"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/maps"
	"fst/runtime/render"
	"fst/runtime/session"
	"fst/runtime/value"
)

// Errors of asking something of a session: the first of one that is closed, the other
// for a map that the script has not (see Program.Maps).
var (
	ErrClosed = session.ErrClosed
	ErrNoMap  = session.ErrNoMap
)

// Map is a map of a session, as it is in the kernel: it can be read and changed while the
// script runs, and, as the script has left it, until the session is closed. Errors are
// ErrClosed, those of keys and values that do not fit, and the kernel's. The methods may be
// called by several goroutines.
//
// A key is given by its parts, as Go values: Get("bash", 3) is of @m["bash", 3]. Numbers
// may be of any of Go's types of integers; texts are strings. A map without keys has none.
type Map struct {
	session *Session
	spec    *object.Map
}

// Map finds a map by its name, with or without its @. The error is an ErrNoMap.
func (s *Session) Map(name string) (*Map, error) {
	if !strings.HasPrefix(name, "@") {
		name = "@" + name
	}
	spec, err := s.run.Session.Maps.Find(name)
	if err != nil {
		return nil, err
	}
	return &Map{s, spec}, nil
}

// Maps are the maps of the session, by name.
func (s *Session) Maps() []*Map {
	var list []*Map
	for _, spec := range s.object.ScriptMaps() {
		list = append(list, &Map{s, spec})
	}
	return list
}

// Name is the map's name with its @.
func (m *Map) Name() string { return m.spec.Name }

// Read returns all elements now.
func (m *Map) Read() (*Snapshot, error) {
	snap, err := m.session.run.Session.Maps.Read(m.spec)
	if err != nil {
		return nil, err
	}
	return m.snapshot(snap), nil
}

func (m *Map) snapshot(snap *maps.Snapshot) *Snapshot {
	s := m.session
	return newSnapshot(render.NewDecoder(s.object, s.names), event.ElementsOf(m.spec, snap, 0, true), said{s.single, &event.Map{Map: m.spec, Snapshot: snap}})
}

// Get returns the value of an element; ok is false if there is no such element.
func (m *Map) Get(key ...any) (v any, ok bool, err error) {
	raw, err := m.key(key)
	if err != nil {
		return nil, false, err
	}
	snap, err := m.session.run.Session.Maps.ReadKey(m.spec, raw)
	if err != nil || len(snap.Entries) == 0 {
		return nil, false, err
	}
	return m.snapshot(snap).Entries[0].Value, true, nil
}

// Set writes the value of an element, which is there from then on: a number, a bool, a
// text, or a []any of these for a tuple. What an aggregation such as count() fills can be
// cleared and set to zero, but not written. An update that a program makes at the same
// time may come before or after.
func (m *Map) Set(v any, key ...any) error {
	raw, err := m.key(key)
	if err != nil {
		return err
	}
	var val []byte
	if !m.spec.Value.Kind.IsAggregation() {
		if val, err = value.Encode(m.spec.Value, v); err != nil {
			return fmt.Errorf("the value of %s: %w", m.spec.Name, err)
		}
	}
	return m.session.run.Session.Maps.Set(m.spec, raw, val)
}

// Delete removes an element, if it is there.
func (m *Map) Delete(key ...any) error {
	raw, err := m.key(key)
	if err != nil {
		return err
	}
	return m.session.run.Session.Maps.Delete(m.spec, raw)
}

// Clear removes all elements, as clear(@m) does. Updates that programs make at the same
// time may be lost: print(@m); clear(@m) in the script loses none.
func (m *Map) Clear() error { return m.session.run.Session.Maps.Clear(m.spec) }

// Zero sets all values to zero and keeps the keys, as zero(@m) does.
func (m *Map) Zero() error { return m.session.run.Session.Maps.Zero(m.spec) }

// key lays the parts of a key out.
func (m *Map) key(parts []any) ([]byte, error) {
	t := m.spec.Key
	want := 1
	switch {
	case t == nil:
		want = 0
	case t.Kind == types.Tuple:
		want = len(t.Fields())
	}
	if len(parts) != want {
		return nil, fmt.Errorf("a key of %s has %d parts, not %d", m.spec.Name, want, len(parts))
	}
	if t == nil {
		return make([]byte, m.spec.KeySize), nil
	}
	var whole any = parts
	if t.Kind != types.Tuple {
		whole = parts[0]
	}
	key, err := value.Encode(t, whole)
	if err != nil {
		return nil, fmt.Errorf("a key of %s: %w", m.spec.Name, err)
	}
	return key, nil
}

// newSnapshot decodes a map, in the order it is shown.
func newSnapshot(values *render.Decoder, shown event.Elements, text said) *Snapshot {
	m := shown.Map
	snap := &Snapshot{Map: m.Name, said: text}
	if n := len(m.Schema.Fields); n > m.Schema.Keys {
		snap.Unit = m.Schema.Fields[m.Schema.Keys].Unit.String()
	}
	for _, e := range shown.Entries {
		key, v := values.Entry(m, e)
		snap.Entries = append(snap.Entries, Entry{key, v, element{text.single, m, e}})
	}
	return snap
}
