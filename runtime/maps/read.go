package maps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"fst/compiler/object"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// batchBytes is about how much is read with one system call.
const batchBytes = 1 << 20

// Read returns what a map holds now. Entries that the kernel adds or removes
// while it is read may be in or out.
func (m *Map) Read() (*Snapshot, error) {
	s := &Snapshot{}
	switch {
	case m.turns != nil:
		return m.turns.read()
	case m.Spec.Kind == object.MapTaskStorage:
		return s, m.readTasks(s)
	case m.isArray():
		return s, m.readArray(s, false)
	}
	return s, m.readHash(s)
}

// ReadKey returns the element with a key as Read would, or nothing if there is none.
func (m *Map) ReadKey(key []byte) (*Snapshot, error) {
	s := &Snapshot{}
	switch {
	case m.turns != nil:
		return m.turns.readKey(key)
	case m.isArray():
		index := uint64(0)
		if m.Spec.Key != nil {
			var wide [8]byte
			copy(wide[:], key)
			index = binary.NativeEndian.Uint64(wide[:])
		}
		if index >= uint64(m.Spec.MaxEntries) {
			return s, nil
		}
		return s, m.readElement(s, uint32(index), false)
	case m.Spec.Kind == object.MapTaskStorage:
		err := m.readTasks(s)
		s.Entries = slices.DeleteFunc(s.Entries, func(e Entry) bool { return !bytes.Equal(e.Key, key) })
		return s, err
	}
	vals := make([]byte, m.entrySize())
	err := bpf.Lookup(m.fd, key, vals)
	switch {
	case err == nil:
		e := Entry{Key: slices.Clone(key), Value: make([]byte, m.Spec.ValueSize)}
		merge(e.Value, vals, m.stride(), m.Spec.Value)
		s.Entries = []Entry{e}
	case errors.Is(err, unix.ENOENT):
		err = nil
	}
	return s, err
}

// readElement adds an element of an array to s if it has a value.
func (m *Map) readElement(s *Snapshot, index uint32, drain bool) error {
	key, vals := make([]byte, 4), make([]byte, m.entrySize())
	binary.NativeEndian.PutUint32(key, index)
	err := bpf.Lookup(m.fd, key, vals)
	if err == nil {
		m.addElement(s, key, vals, make([]byte, m.Spec.ValueSize), drain)
	}
	return err
}

// Drain returns what a map held before a turn and empties it, and each update is
// either in what it returns or in the map afterwards. What it has returned before
// may be more than was asked for, so that nothing is left. The map is one that
// takes turns or an array of what adds up, which goes on counting from where it is
// now. Drain waits for programs that run, which may take some hundredths of a
// second.
func (m *Map) Drain(turn uint64) (*Snapshot, error) {
	s := &Snapshot{}
	if m.turns == nil {
		return s, m.readArray(s, true)
	}
	for atomic.LoadUint64(m.turns.taken) < turn {
		newer, err := m.takeTurn()
		if err != nil {
			return s, err
		}
		AddOlder(newer, s, m.Spec.Value)
		s = newer
	}
	return s, nil
}

// readHash adds the entries of a hash to s.
func (m *Map) readHash(s *Snapshot) error {
	// Keys and values of a batch stay where the kernel wrote them; only what
	// must be merged is copied.
	var merged []byte
	return m.walk(true, func(key, vals []byte) {
		if len(s.Entries) == cap(s.Entries) {
			s.Entries = slices.Grow(s.Entries, max(64, len(s.Entries)))
		}
		e := Entry{Key: key, Value: vals[:m.Spec.ValueSize:m.Spec.ValueSize]}
		if m.cpus > 1 {
			if len(merged) < m.Spec.ValueSize {
				merged = make([]byte, max(m.Spec.ValueSize, 64<<10))
			}
			e.Value, merged = merged[:m.Spec.ValueSize:m.Spec.ValueSize], merged[m.Spec.ValueSize:]
			merge(e.Value, vals, m.stride(), m.Spec.Value)
		}
		s.Entries = append(s.Entries, e)
	})
}

// readArray reads the elements of an array that have a value, and forgets them
// if drain is set. Without keys there is only the first.
func (m *Map) readArray(s *Snapshot, drain bool) error {
	if m.Spec.Key == nil {
		return m.readElement(s, 0, drain)
	}
	val := make([]byte, m.Spec.ValueSize)
	return m.walk(false, func(key, vals []byte) { m.addElement(s, key, vals, val, drain) })
}

// addElement adds an element of an array to s if it has a value, and forgets it if
// drain is set. val is room for one.
func (m *Map) addElement(s *Snapshot, key, vals, val []byte, drain bool) {
	clear(val)
	merge(val, vals, m.stride(), m.Spec.Value)
	index := binary.NativeEndian.Uint32(key)
	value := slices.Clone(val)
	if before := m.drained[index]; before != nil {
		for i := range len(value) / 8 {
			put64(value, i, u64(value, i)-u64(before, i))
		}
	}
	if m.isSet(value) || m.zeroed[index] {
		s.Entries = append(s.Entries, Entry{Key: m.arrayKey(key), Value: value})
	}
	if drain {
		if m.drained == nil {
			m.drained = map[uint32][]byte{}
		}
		m.drained[index] = slices.Clone(val)
		delete(m.zeroed, index)
	}
}

// arrayKey is an array's index in the layout of the map's key type; nil if the
// map has no keys.
func (m *Map) arrayKey(index []byte) []byte {
	if m.Spec.Key == nil {
		return nil
	}
	key := make([]byte, max(8, m.Spec.Key.Size))
	binary.NativeEndian.PutUint64(key, uint64(binary.NativeEndian.Uint32(index)))
	return key[:m.Spec.Key.Size]
}

// walk calls f with each key and the values of all CPUs. They stay valid if keep
// is set, else during the call only.
func (m *Map) walk(keep bool, f func(key, vals []byte)) error {
	if m.isArray() && m.Spec.MaxEntries <= 4 {
		return m.walkKeys(f) // as cheap as a batch, and on every kernel
	}
	err := m.walkBatches(keep, f)
	if errors.Is(err, errNoBatches) {
		return m.walkKeys(f)
	}
	return err
}

var errNoBatches = errors.New("this kernel can't read such maps in batches")

// walkBatches is walk by the kernel's function for many entries. The error is
// errNoBatches if it does not know such maps.
func (m *Map) walkBatches(keep bool, f func(key, vals []byte)) error {
	ks, vs := m.Spec.KeySize, m.entrySize()
	n := min(max(batchBytes/(ks+vs), 16), max(m.Spec.MaxEntries, 1))
	var keys, vals []byte
	cursors := [2][]byte{make([]byte, max(ks, 4)), make([]byte, max(ks, 4))}
	var in []byte
	seen := 0
	for turn := 0; ; turn++ {
		if keep || len(keys) < n*ks {
			keys, vals = make([]byte, n*ks), make([]byte, n*vs)
		}
		out := cursors[turn%2]
		got, err := bpf.LookupBatch(m.fd, in, out, keys, vals, n)
		switch {
		case err == nil || errors.Is(err, unix.ENOENT):
		case errors.Is(err, unix.ENOSPC):
			// A bucket holds more than a batch; the cursor did not move.
			n *= 2
			continue
		case seen == 0:
			return errNoBatches
		default:
			return err
		}
		for i := range got {
			f(keys[i*ks:(i+1)*ks:(i+1)*ks], vals[i*vs:(i+1)*vs:(i+1)*vs])
		}
		seen += got
		if err != nil {
			return nil
		}
		in = out
	}
}

// walkKeys is walk with two system calls an entry. What f is given stays valid; a
// key is given once.
func (m *Map) walkKeys(f func(key, vals []byte)) error {
	if m.isArray() {
		for i := range m.Spec.MaxEntries {
			key, vals := make([]byte, 4), make([]byte, m.entrySize())
			binary.NativeEndian.PutUint32(key, uint32(i))
			if err := bpf.Lookup(m.fd, key, vals); err != nil {
				return err
			}
			f(key, vals)
		}
		return nil
	}
	var last []byte
	// The kernel starts again at the front when a key was removed under the
	// walk; a map that is being changed must not keep it going forever.
	seen := map[string]bool{}
	for n := 0; n < 2*m.Spec.MaxEntries+16; n++ {
		key, vals := make([]byte, m.Spec.KeySize), make([]byte, m.entrySize())
		err := bpf.NextKey(m.fd, last, key)
		if errors.Is(err, unix.ENOENT) {
			return nil
		}
		if err != nil {
			return err
		}
		last = key
		if seen[string(key)] {
			continue
		}
		switch err := bpf.Lookup(m.fd, key, vals); {
		case err == nil:
			seen[string(key)] = true
			f(key, vals)
		case !errors.Is(err, unix.ENOENT):
			return err
		}
	}
	return nil
}

// readTasks reads task storage, which has no list of its keys: every thread of
// the system is asked.
func (m *Map) readTasks(s *Snapshot) error {
	return m.eachTask(func(tid int, key, val []byte) error {
		if !m.isSet(val) {
			return nil
		}
		e := Entry{Value: append([]byte(nil), val[:m.Spec.ValueSize]...)}
		if t := m.Spec.Key; t != nil {
			k := make([]byte, max(8, t.Size))
			binary.NativeEndian.PutUint64(k, uint64(tid))
			e.Key = k[:t.Size]
		}
		s.Entries = append(s.Entries, e)
		return nil
	})
}

// pidfdThread is PIDFD_THREAD (6.9): without it only a process' first thread
// has a descriptor.
const pidfdThread = unix.O_EXCL

func (m *Map) eachTask(f func(tid int, key, val []byte) error) error {
	pids, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	val, key := make([]byte, m.entrySize()), make([]byte, 4)
	for _, p := range pids {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		tids, err := os.ReadDir("/proc/" + p.Name() + "/task")
		if err != nil {
			continue // gone
		}
		for _, t := range tids {
			tid, _ := strconv.Atoi(t.Name())
			fd, err := unix.PidfdOpen(tid, pidfdThread)
			if err != nil {
				if fd, err = unix.PidfdOpen(tid, 0); err != nil {
					continue
				}
			}
			binary.NativeEndian.PutUint32(key, uint32(fd))
			if err = bpf.Lookup(m.fd, key, val); err == nil {
				err = f(tid, key, val)
			}
			unix.Close(fd)
			if err != nil && !errors.Is(err, unix.ENOENT) {
				return err
			}
		}
	}
	return nil
}
