package fst

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/source"
	"fst/runtime/event"
	"fst/runtime/maps"
	"fst/runtime/naming"
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

// Map is a map of a session or a Store, as it is in the kernel: it can be read and changed while the
// script runs, and, as the script has left it, until the session or the store is closed. Errors are
// ErrClosed, those of keys and values that do not fit, and the kernel's. The methods may be
// called by several goroutines.
//
// A key is given by its parts, as Go values: Get("bash", 3) is of @m["bash", 3]. Numbers
// may be of any of Go's types of integers; texts are strings. A map without keys has none.
type Map struct {
	in   mapsOf
	spec *object.Map
}

// mapsOf are maps, and what it takes to show them.
type mapsOf struct {
	maps   *session.Maps
	object *object.Object
	namer  *naming.Namer
	single *render.Single
}

func (s *Session) mapsOf() mapsOf { return mapsOf{s.run.Session.Maps, s.object, s.namer, s.single} }

// Map finds a map by its name, with or without its @. The error is an ErrNoMap.
func (s *Session) Map(name string) (*Map, error) {
	if !strings.HasPrefix(name, "@") {
		name = "@" + name
	}
	spec, err := s.run.Session.Maps.Find(name)
	if err != nil {
		return nil, err
	}
	return &Map{s.mapsOf(), spec}, nil
}

// Maps are the maps of the session, by name.
func (s *Session) Maps() []*Map {
	var list []*Map
	for _, spec := range s.object.ScriptMaps() {
		list = append(list, &Map{s.mapsOf(), spec})
	}
	return list
}

// Name is the map's name with its @.
func (m *Map) Name() string { return m.spec.Name }

// Type says what the map holds, as in "count by (string[16], int32)".
func (m *Map) Type() string {
	if m.spec.Key == nil {
		return m.spec.Value.String()
	}
	return m.spec.Value.String() + " by " + m.spec.Key.String()
}

// Read returns all elements now.
func (m *Map) Read() (*Snapshot, error) {
	snap, err := m.in.maps.Read(m.spec)
	if err != nil {
		return nil, err
	}
	return m.snapshot(snap), nil
}

// Top returns the elements with the n largest values now, as print(@m, n) shows them.
func (m *Map) Top(n int) (*Snapshot, error) {
	snap, err := m.in.maps.Read(m.spec)
	if err != nil {
		return nil, err
	}
	return m.top(snap, n), nil
}

func (m *Map) snapshot(snap *maps.Snapshot) *Snapshot { return m.top(snap, 0) }

func (m *Map) top(snap *maps.Snapshot, n int) *Snapshot {
	e := &event.Map{Map: m.spec, Snapshot: snap, Top: int64(n)}
	m.in.namer.Name(e, true)
	return newSnapshot(render.NewDecoder(m.in.object), e.Elements(true), said{m.in.single, e})
}

// Get returns the value of an element; ok is false if there is no such element.
func (m *Map) Get(key ...any) (v any, ok bool, err error) {
	raw, err := m.key(key)
	if err != nil {
		return nil, false, err
	}
	snap, err := m.in.maps.ReadKey(m.spec, raw)
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
	return m.in.maps.Set(m.spec, raw, val)
}

// Delete removes an element, if it is there.
func (m *Map) Delete(key ...any) error {
	raw, err := m.key(key)
	if err != nil {
		return err
	}
	return m.in.maps.Delete(m.spec, raw)
}

// Clear removes all elements, as clear(@m) does. Updates that programs make at the same
// time may be lost: print(@m); clear(@m) in the script loses none.
func (m *Map) Clear() error { return m.in.maps.Clear(m.spec) }

// Zero sets all values to zero and keeps the keys, as zero(@m) does.
func (m *Map) Zero() error { return m.in.maps.Zero(m.spec) }

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
	snap := &Snapshot{Time: shown.Time, Map: m.Name, said: text}
	if n := len(m.Schema.Fields); n > m.Schema.Keys {
		snap.Unit = m.Schema.Fields[m.Schema.Keys].Unit.String()
	}
	for i, e := range shown.Entries {
		key, v := values.Entry(shown, i)
		snap.Entries = append(snap.Entries, Entry{key, v, element{text.single, m, e, shown.Names}})
	}
	return snap
}

// Store keeps the maps of scripts beyond their sessions. A script that is compiled with a
// store (Options.Store) finds there, by its name and as it was left, each map that another
// such script has or had: it may read what that one writes, and store into the same map.
//
//	store := fst.NewStore()
//	entry, err := fst.Compile(`syscall:openat { @opened[pid] = count(); }`, fst.Options{Store: store})
//	...
//	show, err := fst.Compile(`interval:s:1 { print(@opened, 5); }`, fst.Options{Store: store})
//
// Types must agree: of keys and values that have become larger, as a number of 64 bits has, what is there is
// converted unless a session still uses it. Anything else is refused, with both places, by
// Compile or Start. Maps of stacks, and those that report clauses empty, stay with their
// sessions.
//
// A Store may be used by several goroutines.
type Store struct {
	maps maps.Store

	mu     sync.Mutex               // held while a script is compiled
	probes atomic.Pointer[[]string] // the names that values may be; they only become more
	used   map[string]mapsOf
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{used: map[string]mapsOf{}} }

// Map finds a map that a session has used, by its name with or without its @. The error is
// an ErrNoMap.
func (s *Store) Map(name string) (*Map, error) {
	if !strings.HasPrefix(name, "@") {
		name = "@" + name
	}
	for _, m := range s.Maps() {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w %s", ErrNoMap, name)
}

// Maps are the maps that sessions have used, by name.
func (s *Store) Maps() (list []*Map) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.maps.Kept() {
		in, ok := s.used[k.Spec.Name]
		if !ok {
			continue
		}
		if spec, err := in.maps.Find(k.Spec.Name); err == nil {
			list = append(list, &Map{in, spec})
		}
	}
	return list
}

// Forget removes a map that no session uses, and what is in it.
func (s *Store) Forget(name string) error { return s.maps.Forget("@" + strings.TrimPrefix(name, "@")) }

// Close lets all maps go. No session may use them any more.
func (s *Store) Close() { s.maps.Close() }

// probeNames are the names that values may be.
func (s *Store) probeNames() []string {
	if list := s.probes.Load(); list != nil {
		return *list
	}
	return nil
}

func (s *Store) probeName(n uint64) (string, bool) {
	if list := s.probeNames(); n < uint64(len(list)) {
		return list[n], true
	}
	return "", false
}

// known describes the maps for a compile: their places are in files that it adds to set.
func (s *Store) known(set *source.Set) map[string]*object.Map {
	known, files := map[string]*object.Map{}, map[[2]string]*source.File{}
	for _, k := range s.maps.Kept() {
		spec, id := *k.Spec, [2]string{k.File, k.Text}
		if files[id] == nil {
			files[id] = set.Add(k.File, k.Text)
		}
		base := files[id].Base
		spec.Span = source.Span{Start: base + source.Pos(k.Start), End: base + source.Pos(k.End)}
		known[spec.Name] = &spec
	}
	return known
}

// adopted notes the maps of a script that has been loaded.
func (s *Store) adopted(obj *object.Object, namer *naming.Namer, single *render.Single) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := mapsOf{session.NewMaps(obj, s.maps.Views(obj)), obj, namer, single}
	for _, spec := range obj.ScriptMaps() {
		if spec.Kept {
			s.used[spec.Name] = in
		}
	}
}

// Metric is what a map of a script is to Prometheus and its like.
type Metric struct {
	// Name is that of the series, in base units: fst_biolatency_latency_seconds.
	Name string
	// Kind is "counter", "gauge", "histogram" or "summary".
	Kind string
	// Unit is "seconds", "bytes" or empty.
	Unit string
	Help string
	// Labels tell the elements of the map apart.
	Labels []string
}

// Metrics are those of the maps that a program shows, or leaves to be shown at its end, and that have
// numbers. If there are none, why tells the reason.
func (p *Program) Metrics() (list []Metric, why string) {
	all, why := render.Metrics(p.object)
	for _, m := range all {
		list = append(list, Metric{m.Name, m.Kind, m.Unit, m.Help, m.Labels})
	}
	return list, why
}

// Dashboard writes a dashboard of Grafana for Metrics, as JSON. The error is ErrNoMetrics, or that of w.
func (p *Program) Dashboard(w io.Writer) error {
	board, why := render.Dashboard(p.object)
	if why != "" {
		return fmt.Errorf("%w: %s", ErrNoMetrics, why)
	}
	_, err := w.Write(board)
	return err
}

// metrics are those of a session, for Session.WriteMetrics.
type metrics struct {
	maps []*object.Map
	mu   sync.Mutex
	x    *render.Exposition // guarded by mu
	room []byte
}

// newMetrics finds what a session is to count for its metrics.
func newMetrics(obj *object.Object) *metrics {
	list, _ := render.Metrics(obj)
	return &metrics{maps: render.MetricMaps(list), x: render.NewExposition(obj, list, Version, render.Options{})}
}

// WriteMetrics writes the metrics of the session (Program.Metrics) as they are now, and what it has lost, in the text
// format of Prometheus. What reports, clear() and zero() take out of a map goes on to count: counters only
// grow. At most render.MostSeries (10,000) series are written, and those that were come first; how
// many elements are left out is a metric, too. The session must be one of RunOptions.Metrics. The error is
// ErrClosed, or that of w.
func (s *Session) WriteMetrics(w io.Writer) error {
	s.metrics.mu.Lock()
	defer s.metrics.mu.Unlock()
	t, err := s.totals()
	if err != nil {
		return err
	}
	s.metrics.room = s.metrics.x.Append(s.metrics.room[:0], t)
	_, err = w.Write(s.metrics.room)
	return err
}

// totals reads what the maps of the metrics have counted.
func (s *Session) totals() (t render.Totals, err error) {
	t.Maps = map[int]*event.Map{}
	maps := s.run.Session.Maps
	for _, spec := range s.metrics.maps {
		snap, dropped, err := maps.Total(spec)
		if err != nil {
			return t, err
		}
		e := &event.Map{Map: spec, Snapshot: snap}
		s.namer.Name(e, true)
		t.Maps[spec.ID] = e
		t.Dropped += dropped
	}
	t.Losses, err = maps.Losses()
	return t, err
}
