package maps

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/bpf"
)

// turns are the two maps of one that is drained. The descriptor of that is the
// array of both.
type turns struct {
	maps [2]*Map
	// now and taken are object.TurnsNow and object.TurnsTaken, in memory that the
	// programs share.
	now, taken *uint64
	// settled is the value of now for which no program uses the map that is not in
	// use any more.
	settled uint64
}

// createTurns makes two maps, and an array of them.
func createTurns(spec *object.Map, possible []int) (_ *Map, err error) {
	one := *spec
	one.Turns = nil
	m := &Map{Spec: spec, fd: -1, turns: &turns{}}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	for i := range m.turns.maps {
		if m.turns.maps[i], err = create(&one, possible); err != nil {
			return nil, err
		}
	}
	m.cpus = m.turns.maps[0].cpus
	if m.fd, err = bpf.CreateMap(&bpf.MapSpec{Type: bpf.ArrayOfMaps, Name: spec.Name, Key: 4, Value: 4, Entries: 2,
		Inner: m.turns.maps[0].fd}); err != nil {
		m.fd = -1
		return nil, err
	}
	for i := range m.turns.maps {
		if err = m.enter(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// share finds now and taken in the memory that the programs share.
func (t *turns) share(shared *Map, offset int) {
	t.now, t.taken = shared.Word(offset+object.TurnsNow), shared.Word(offset+object.TurnsTaken)
}

// enter puts one of the two maps into the array, where it may be already. The
// kernel returns when every program has ended that ran when it was called.
func (m *Map) enter(i int) error {
	key, fd := make([]byte, 4), make([]byte, 4)
	binary.NativeEndian.PutUint32(key, uint32(i))
	binary.NativeEndian.PutUint32(fd, uint32(m.turns.maps[i].fd))
	return bpf.Update(m.fd, key, fd)
}

// parts are the maps that hold something which nobody has taken: the one in use,
// and the other one if it waits to be taken.
func (t *turns) parts() []*Map {
	now := atomic.LoadUint64(t.now)
	if now == atomic.LoadUint64(t.taken) {
		return []*Map{t.maps[now&1]}
	}
	return []*Map{t.maps[now&1], t.maps[now&1^1]}
}

// read returns what both maps hold.
func (t *turns) read() (*Snapshot, error) { return t.both((*Map).Read) }

// readKey returns the element with a key in both.
func (t *turns) readKey(key []byte) (*Snapshot, error) {
	return t.both(func(m *Map) (*Snapshot, error) { return m.ReadKey(key) })
}

func (t *turns) both(read func(*Map) (*Snapshot, error)) (*Snapshot, error) {
	parts := t.parts()
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

// takeTurn takes what was turned away. If no program has made a turn since the last
// time, it does.
func (m *Map) takeTurn() (*Snapshot, error) {
	t := m.turns
	now := atomic.LoadUint64(t.now)
	if now == atomic.LoadUint64(t.taken) {
		atomic.CompareAndSwapUint64(t.now, now, now+1) // or a program was first
		now++
	}
	// No program makes a turn before taken is set.
	old := t.maps[now&1^1]
	if t.settled != now {
		if err := m.set.settle(m, int(now&1^1)); err != nil {
			return &Snapshot{}, err
		}
	}
	s, err := old.take()
	if err == nil {
		atomic.StoreUint64(t.taken, now)
	}
	return s, err
}

// settle waits until no program uses the map i of m's two any more; the same then
// holds for all other maps that have made a turn before.
func (s *Set) settle(m *Map, i int) error {
	before := make([]uint64, len(s.maps))
	for i, o := range s.maps {
		if o.turns != nil {
			before[i] = atomic.LoadUint64(o.turns.now)
		}
	}
	if err := m.enter(i); err != nil {
		return err
	}
	for i, o := range s.maps {
		if o.turns != nil {
			o.turns.settled = before[i]
		}
	}
	return nil
}

// take reads and empties a map that nobody uses.
func (m *Map) take() (*Snapshot, error) {
	s, err := m.Read()
	if err != nil || len(s.Entries) == 0 {
		return s, err
	}
	if m.isArray() {
		return s, m.Clear()
	}
	keys := make([]byte, 0, len(s.Entries)*m.Spec.KeySize)
	for _, e := range s.Entries {
		keys = append(keys, e.Key...)
	}
	return s, m.remove(keys, len(s.Entries))
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
