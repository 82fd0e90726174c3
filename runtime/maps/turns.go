package maps

import (
	"errors"
	"slices"
	"sync/atomic"

	"fst/compiler/object"
	"fst/compiler/types"
)

// turns is a map that is drained: it is two, and its own descriptor is that of the
// array of both.
type turns struct {
	*table
	in   Backing
	set  *Set
	maps [2]*Map
	// now and taken are object.TurnsNow and object.TurnsTaken, in memory that the
	// programs share.
	now, taken *uint64
	// settled is the value of now for which no program uses the map that is not in
	// use any more.
	settled uint64
}

// createTurns makes two maps, and an array of them.
func createTurns(spec *object.Map, in Backing) (_ *Map, err error) {
	one := *spec
	one.Turns = nil
	t := &turns{table: &table{Storage: &inKernel{fd: -1}, Spec: spec}, in: in}
	m := &Map{table: t.table, entries: t}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	for i := range t.maps {
		if t.maps[i], err = create(&one, in); err != nil {
			return nil, err
		}
	}
	t.cpus = t.maps[0].cpus
	pair, err := in.Pair(spec, [2]Storage{t.maps[0].Storage, t.maps[1].Storage})
	if err != nil {
		return nil, err
	}
	t.Storage = pair
	for i := range t.maps {
		if err = t.enter(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// share finds now and taken in the memory that the programs share.
func (t *turns) share(s *Set) {
	t.set = s
	at := t.Spec.Turns
	t.now, t.taken = s.Word(at.Map, at.Offset+object.TurnsNow), s.Word(at.Map, at.Offset+object.TurnsTaken)
}

// closeBoth closes the two maps.
func (t *turns) closeBoth() {
	for _, one := range t.maps {
		if one != nil {
			one.close()
		}
	}
}

// enter puts one of the two maps into the array, and returns when no program uses the other.
func (t *turns) enter(i int) error { return t.in.Enter(t.Storage, i, t.maps[i].Storage) }

// parts are the maps that hold something which nobody has taken: the one in use,
// and the other one if it waits to be taken.
func (t *turns) parts() []*Map {
	now := atomic.LoadUint64(t.now)
	if now == atomic.LoadUint64(t.taken) {
		return []*Map{t.maps[now&1]}
	}
	return []*Map{t.maps[now&1], t.maps[now&1^1]}
}

// Read implements entries.
func (t *turns) Read() (*Snapshot, error) {
	return both(t.parts(), func(m *Map) (*Snapshot, error) { return m.Read() })
}

// ReadKey implements entries.
func (t *turns) ReadKey(key []byte) (*Snapshot, error) {
	return both(t.parts(), func(m *Map) (*Snapshot, error) { return m.ReadKey(key) })
}

func both(parts []*Map, read func(*Map) (*Snapshot, error)) (*Snapshot, error) {
	s, err := read(parts[0])
	if err != nil || len(parts) == 1 {
		return s, err
	}
	older, err := read(parts[1])
	if err != nil {
		return s, err
	}
	AddOlder(s, older, parts[0].Spec.Value)
	return s, nil
}

// AddOlder adds to s what was in the map before: the values of keys that are in both
// are merged, or if they are no aggregations, the newer one stays.
func AddOlder(s, older *Snapshot, t *types.Type) {
	byKey := make(map[string]int, len(s.Entries))
	for i, e := range s.Entries {
		byKey[string(e.Key)] = i
	}
	for _, e := range older.Entries {
		i, both := byKey[string(e.Key)]
		switch {
		case !both:
			s.Entries = append(s.Entries, e)
		case t != nil && t.Kind.IsAggregation():
			sum := make([]byte, len(e.Value))
			merge(sum, slices.Concat(s.Entries[i].Value, e.Value), len(e.Value), t)
			s.Entries[i].Value = sum
		}
	}
}

// Clear implements entries.
func (t *turns) Clear() error {
	if t.tears() {
		_, err := t.drain(atomic.LoadUint64(t.now) + 1)
		return err
	}
	return t.each(func(m *Map) error { return m.Clear() })
}

// tears reports whether values must not be emptied while programs change them.
func (t *turns) tears() bool {
	return isAggregation(t.Spec) && t.Spec.Value.Kind.Aggregation().Mend != nil
}

// Zero implements entries.
func (t *turns) Zero() error {
	if t.tears() {
		s, err := t.drain(atomic.LoadUint64(t.now) + 1)
		for _, e := range s.Entries {
			err = errors.Join(err, t.put(e.Key, make([]byte, len(e.Value))))
		}
		return err
	}
	return t.each(func(m *Map) error { return m.Zero() })
}

// each calls f with the maps that hold something.
func (t *turns) each(f func(*Map) error) error {
	for _, m := range t.parts() {
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

// drain implements Map.Drain.
func (t *turns) drain(turn uint64) (*Snapshot, error) {
	s := &Snapshot{}
	for atomic.LoadUint64(t.taken) < turn {
		newer, err := t.take()
		if err != nil {
			return s, err
		}
		AddOlder(newer, s, t.Spec.Value)
		s = newer
	}
	return s, nil
}

// take takes what was turned away. If no program has made a turn since the last
// time, it does.
func (t *turns) take() (*Snapshot, error) {
	now := atomic.LoadUint64(t.now)
	if now == atomic.LoadUint64(t.taken) {
		atomic.CompareAndSwapUint64(t.now, now, now+1) // or a program was first
		now++
	}
	// No program makes a turn before taken is set.
	old := int(now&1 ^ 1)
	if t.settled != now {
		if err := t.set.settle(t, old); err != nil {
			return &Snapshot{}, err
		}
	}
	s, err := t.maps[old].takeAll()
	if err == nil {
		atomic.StoreUint64(t.taken, now)
	}
	return s, err
}

// settle waits until no program uses the map i of t's two any more; the same then
// holds for all other maps that have made a turn before.
func (s *Set) settle(t *turns, i int) error {
	all, before := []*turns{}, []uint64{}
	for _, m := range s.maps {
		if o, ok := m.entries.(*turns); ok {
			all, before = append(all, o), append(before, atomic.LoadUint64(o.now))
		}
	}
	if err := t.enter(i); err != nil {
		return err
	}
	for i, o := range all {
		o.settled = before[i]
	}
	return nil
}

// takeAll reads and empties a map that nobody uses.
func (m *Map) takeAll() (*Snapshot, error) {
	s, err := m.Read()
	if err != nil || len(s.Entries) == 0 {
		return s, err
	}
	h, ok := m.entries.(*hash)
	if !ok {
		return s, m.Clear()
	}
	keys := make([]byte, 0, len(s.Entries)*m.Spec.KeySize)
	for _, e := range s.Entries {
		keys = append(keys, e.Key...)
	}
	return s, h.DeleteMany(keys, len(s.Entries))
}

// put implements entries: what is in use gets the value.
func (t *turns) put(key, val []byte) error {
	if val != nil {
		return t.parts()[0].put(key, val)
	}
	return t.each(func(m *Map) error { return m.put(key, nil) })
}
