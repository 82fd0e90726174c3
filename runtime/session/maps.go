package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/runtime/maps"

	"golang.org/x/sys/unix"
)

var (
	// ErrClosed is returned for a session that was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrNoMap is returned for a map that the script has not.
	ErrNoMap = errors.New("there is no map")
)

// Maps are the maps of a session, from before it runs until it is closed. The methods
// may be called from any goroutine; afterwards their error is ErrClosed.
type Maps struct {
	obj *object.Object
	set *maps.Set

	closed bool // guarded by set, as all that other goroutines may call
	taken  totals
	// adding is held by close too, and shared by AddUnwindTable: a large table
	// must not hold up what is shown.
	adding sync.RWMutex
}

// NewMaps are maps that belong to no session.
func NewMaps(obj *object.Object, set *maps.Set) *Maps { return &Maps{obj: obj, set: set} }

// Find returns a map of the script, by its name with the @. The error is an ErrNoMap.
func (m *Maps) Find(name string) (*object.Map, error) {
	for _, spec := range m.obj.Maps {
		if spec.Script && spec.Name == name {
			return spec, nil
		}
	}
	return nil, fmt.Errorf("%w %s", ErrNoMap, name)
}

// Read reads a map as it is now.
func (m *Maps) Read(spec *object.Map) (*maps.Snapshot, error) {
	return m.read(spec, func(one *maps.Map) (*maps.Snapshot, error) { return one.Read() })
}

// ReadKey reads the element with a key, if there is one.
func (m *Maps) ReadKey(spec *object.Map, key []byte) (*maps.Snapshot, error) {
	return m.read(spec, func(one *maps.Map) (*maps.Snapshot, error) { return one.ReadKey(key) })
}

// read gives what f reads the time of that.
func (m *Maps) read(spec *object.Map, f func(*maps.Map) (*maps.Snapshot, error)) (snap *maps.Snapshot, err error) {
	err = m.with(spec, func(one *maps.Map) error {
		now := time.Now()
		if snap, err = f(one); snap != nil {
			snap.Time = now
		}
		return err
	})
	return snap, err
}

// Set, Delete, Clear and Zero change a map, as maps.Map does.
func (m *Maps) Set(spec *object.Map, key, val []byte) error {
	return m.with(spec, func(one *maps.Map) error { return one.Set(key, val) })
}

func (m *Maps) Delete(spec *object.Map, key []byte) error {
	return m.with(spec, func(one *maps.Map) error { return one.Delete(key) })
}

func (m *Maps) Clear(spec *object.Map) error { return m.with(spec, (*maps.Map).Clear) }
func (m *Maps) Zero(spec *object.Map) error  { return m.with(spec, (*maps.Map).Zero) }

// with calls f with a map that nobody else reads or changes meanwhile. The error is
// ErrClosed or that of f.
func (m *Maps) with(spec *object.Map, f func(*maps.Map) error) error {
	m.set.Lock()
	defer m.set.Unlock()
	if m.closed {
		return ErrClosed
	}
	return f(m.set.Map(spec.ID))
}

// Losses are the counters of the programs so far: what they lost, by clause, kind and
// place. What the kernel left out is not among them.
func (m *Maps) Losses() (map[object.Loss]uint64, error) {
	m.set.Lock()
	defer m.set.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	var l losses
	l.init(m.set, m.obj)
	sums := map[object.Loss]uint64{}
	return sums, l.count(sums, m.obj.Reads)
}

// Stack reads a recorded stack by its id, from the map for stacks of its kind:
// the addresses, innermost first; nil if the id is unknown.
func (m *Maps) Stack(k object.StackKey, id uint64) ([]uint64, error) {
	of, ok := m.obj.Stacks[k]
	if !ok {
		return nil, nil
	}
	m.set.Lock()
	defer m.set.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	return m.set.Stacks(of).Frames(id)
}

// AddUnwindTable gives the programs the unwind table of a file.
func (m *Maps) AddUnwindTable(id int, key [object.UnwindKeySize]byte, rows []object.UnwindRow) error {
	m.adding.RLock()
	defer m.adding.RUnlock()
	if m.closed {
		return ErrClosed
	}
	return m.set.AddUnwindTable(id, key, rows)
}

// close lets the maps go. It may be called twice.
func (m *Maps) close() {
	m.set.Lock()
	defer m.set.Unlock()
	m.adding.Lock()
	defer m.adding.Unlock()
	m.closed = true
	m.set.Close()
}

// writeStart gives the maps what programs find there from the beginning: tables,
// and the session's clocks (object.StartMapName).
func (m *Maps) writeStart() error {
	for _, spec := range m.obj.Maps {
		if spec.Initial != nil && !spec.Unused {
			if err := m.set.Map(spec.ID).Update(make([]byte, 4), spec.Initial); err != nil {
				return err
			}
		}
		if spec.Name != object.StartMapName {
			continue
		}
		var boot, tai unix.Timespec
		if err := errors.Join(unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot), unix.ClockGettime(unix.CLOCK_TAI, &tai)); err != nil {
			return err
		}
		val := binary.NativeEndian.AppendUint64(nil, uint64(boot.Nano()))
		val = binary.NativeEndian.AppendUint64(val, uint64(tai.Nano()-boot.Nano()))
		if err := m.set.Map(spec.ID).Update(make([]byte, 4), val); err != nil {
			return err
		}
	}
	return nil
}
