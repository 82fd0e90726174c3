// Package maps creates the maps of a compiled script in the kernel, reads them
// in batches with the values of all CPUs merged, and clears and zeroes them.
//
// Values are raw bytes in the layout of compiler/types; decoding and sorting
// are left to runtime/value and runtime/render. It must not import those that
// load programs, nor the compiler beyond object and types.
package maps

import (
	"encoding/binary"
	"fmt"
	"sync"
	"unsafe"

	"fst/runtime/value"
)

// Snapshot is the content of a map at one moment, in no order: raw keys and
// values, the values of all CPUs merged into one.
type Snapshot = value.Snapshot

// Entry is an element of a Snapshot.
type Entry = value.Entry

// Set is the maps of one script. Its methods, and those of its maps, may be called by
// one goroutine at a time: by who holds the Locker, where several do, or several sessions
// have a Store.
type Set struct {
	sync.Locker
	maps []*Map
}

// Close closes all maps. It may be called twice.
func (s *Set) Close() {
	for _, m := range s.maps {
		m.close()
	}
}

// FD is the kernel's descriptor of the map with an index, -1 if there is none.
func (s *Set) FD(id int) int {
	if id < 0 || id >= len(s.maps) {
		return -1
	}
	return s.maps[id].Storage.(*inKernel).fd
}

// Map returns the map with an index of Object.Maps.
func (s *Set) Map(id int) *Map { return s.maps[id] }

// Stacks returns a map of stacks, one of Object.Stacks.
func (s *Set) Stacks(id int) *Stacks { return s.maps[id].entries.(*Stacks) }

// Word is a u64 of a map of kind MapShared: programs and this process have it at the
// same time, until the map is closed.
func (s *Set) Word(id, offset int) *uint64 {
	return (*uint64)(unsafe.Pointer(&s.maps[id].Memory()[offset]))
}

// Bytes is the value of a map of kind MapShared, until the map is closed.
func (s *Set) Bytes(id int) []byte { return s.maps[id].Memory() }

// Map is a map of a script.
type Map struct {
	*table
	entries // nil if nobody reads them
	emptied int
	// kept is the store's map that this is one more view of, or nil.
	kept *keptMap
}

// close closes the map, or lets it go. It may be called twice.
func (m *Map) close() {
	if m.kept != nil {
		m.kept.release()
		m.kept = nil
		m.table = &table{Storage: &inKernel{fd: -1}, Spec: m.Spec, cpus: 1}
		return
	}
	if t, ok := m.entries.(*turns); ok {
		t.closeBoth()
	}
	m.table.Close()
}

// entries are those of a map, as maps of its kind keep them.
type entries interface {
	// Read returns what a map holds now. Entries that the kernel adds or removes
	// while it is read may be in or out.
	Read() (*Snapshot, error)
	// ReadKey returns the element with a key as Read would, or nothing if there is none.
	ReadKey(key []byte) (*Snapshot, error)
	// Clear removes all entries: clear(@m).
	Clear() error
	// Zero sets all values to zero and keeps the keys: zero(@m).
	Zero() error
	// put writes the value of an element, which is there from then on; nil removes it, if
	// it is there.
	put(key, val []byte) error
}

// Read is that of the entries.
func (m *Map) Read() (*Snapshot, error) {
	s, err := m.entries.Read()
	if s != nil {
		s.Emptied = m.emptied
	}
	return s, err
}

// Clear is that of the entries.
func (m *Map) Clear() error {
	m.emptied++
	return m.entries.Clear()
}

// Zero is that of the entries.
func (m *Map) Zero() error {
	m.emptied++
	return m.entries.Zero()
}

// Set writes the value of an element, which is there from then on. What programs
// aggregate, and what the kernel keeps with a thread, can't be written: the error says so.
func (m *Map) Set(key, val []byte) error {
	if isAggregation(m.Spec) {
		return fmt.Errorf("%s is filled by %s(): it can be cleared and set to zero, not written", m.Spec.Name, m.Spec.Value.Kind)
	}
	return m.put(key, val)
}

// Delete removes the element with a key, if there is one.
func (m *Map) Delete(key []byte) error { return m.put(key, nil) }

// Drain returns what a map held before a turn and empties it, and each update is
// either in what it returns or in the map afterwards. What it has returned before
// may be more than was asked for, so that nothing is left. The map is one that
// takes turns or an array of what adds up, which goes on counting from where it is
// now. Drain waits for programs that run, which may take some hundredths of a
// second.
func (m *Map) Drain(turn uint64) (*Snapshot, error) {
	if t, ok := m.entries.(*turns); ok {
		return t.drain(turn)
	}
	return m.entries.(*array).drain()
}

// Counters reads an array whose only value are u64 counters.
func (m *Map) Counters() ([]uint64, error) {
	val := make([]byte, m.Spec.ValueSize)
	if err := m.Lookup(make([]byte, 4), val); err != nil {
		return nil, err
	}
	counters := make([]uint64, len(val)/8)
	for i := range counters {
		counters[i] = binary.NativeEndian.Uint64(val[8*i:])
	}
	return counters, nil
}
