package maps

import (
	"encoding/binary"
	"errors"

	"fst/compiler/object"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// Clear removes all entries: clear(@m).
func (m *Map) Clear() error {
	switch {
	case m.turns != nil:
		return m.turns.each((*Map).Clear)
	case m.Spec.Kind == object.MapTaskStorage:
		return m.eachTask(func(_ int, key, _ []byte) error { return bpf.Delete(m.fd, key) })
	case m.isArray():
		m.zeroed, m.drained = nil, nil
		return m.overwrite(nil)
	}
	keys, n, err := m.keys()
	if err != nil || n == 0 {
		return err
	}
	return m.remove(keys, n)
}

// remove removes those of n keys of a hash that are there.
func (m *Map) remove(keys []byte, n int) error {
	// A batch ends at the first key that is gone already: then one by one.
	if _, err := bpf.DeleteBatch(m.fd, keys, n); err == nil {
		return nil
	}
	for i := range n {
		if err := bpf.Delete(m.fd, m.key(keys, i)); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}

// Zero sets all values to zero and keeps the keys: zero(@m).
func (m *Map) Zero() error {
	switch {
	case m.turns != nil:
		return m.turns.each((*Map).Zero)
	case m.Spec.Kind == object.MapTaskStorage:
		return m.eachTask(func(_ int, key, val []byte) error { return bpf.Update(m.fd, key, m.toZero(key, val)) })
	case m.isArray():
		m.drained = nil
		return m.overwrite(m.toZero)
	}
	keys, n, err := m.keys()
	if err != nil || n == 0 {
		return err
	}
	if _, err := bpf.UpdateBatch(m.fd, keys, make([]byte, n*m.entrySize()), n); err == nil {
		return nil
	}
	zero := make([]byte, m.entrySize())
	for i := range n {
		if err := bpf.Update(m.fd, m.key(keys, i), zero); err != nil {
			return err
		}
	}
	return nil
}

// toZero is val with zeros, but for the mark that it is there. Aggregations
// have no such mark, so it is kept beside them.
func (m *Map) toZero(key, val []byte) []byte {
	zero := make([]byte, len(val))
	if m.isArray() && m.isAggregation() {
		if m.zeroed == nil {
			m.zeroed = map[uint32]bool{}
		}
		m.zeroed[binary.NativeEndian.Uint32(key)] = true
	}
	if p := m.Spec.Present; p >= 0 {
		for off := 0; off < len(val); off += m.stride() {
			copy(zero[off+p:off+p+8], val[off+p:])
		}
	}
	return zero
}

// overwrite writes every value of an array that is not zero already: with what
// f makes of it, or with zeros.
func (m *Map) overwrite(f func(key, val []byte) []byte) error {
	var dirty []uint32
	var values [][]byte
	err := m.walk(false, func(key, vals []byte) {
		for _, b := range vals {
			if b == 0 {
				continue
			}
			dirty = append(dirty, binary.NativeEndian.Uint32(key))
			if f != nil {
				values = append(values, f(key, vals))
			}
			return
		}
	})
	if err != nil {
		return err
	}
	var key [4]byte
	val := make([]byte, m.entrySize())
	for i, d := range dirty {
		if f != nil {
			val = values[i]
		}
		binary.NativeEndian.PutUint32(key[:], d)
		if err := bpf.Update(m.fd, key[:], val); err != nil {
			return err
		}
	}
	return nil
}

// keys lists a hash's keys, one behind the other.
func (m *Map) keys() (keys []byte, n int, err error) {
	err = m.walk(false, func(key, _ []byte) {
		keys = append(keys, key...)
		n++
	})
	return keys, n, err
}

func (m *Map) key(keys []byte, i int) []byte {
	return keys[i*m.Spec.KeySize : (i+1)*m.Spec.KeySize]
}
