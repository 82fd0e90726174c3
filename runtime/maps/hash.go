package maps

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// hash is a map of keys that come and go.
type hash struct{ *table }

// Read implements entries.
func (h *hash) Read() (*Snapshot, error) {
	s := &Snapshot{}
	// Keys and values of a batch stay where the kernel wrote them; only what
	// must be merged is copied.
	var merged []byte
	var torn error
	err := h.Walk(true, func(key, vals []byte) {
		if err := h.settled(key, vals); err != nil {
			if !errors.Is(err, unix.ENOENT) { // or else it is removed by now
				torn = err
			}
			return
		}
		if len(s.Entries) == cap(s.Entries) {
			s.Entries = slices.Grow(s.Entries, max(64, len(s.Entries)))
		}
		e := Entry{Key: key, Value: vals[:h.Spec.ValueSize:h.Spec.ValueSize]}
		if h.cpus > 1 {
			if len(merged) < h.Spec.ValueSize {
				merged = make([]byte, max(h.Spec.ValueSize, 64<<10))
			}
			e.Value, merged = merged[:h.Spec.ValueSize:h.Spec.ValueSize], merged[h.Spec.ValueSize:]
			merge(e.Value, vals, h.stride(), h.Spec.Value)
		}
		s.Entries = append(s.Entries, e)
	})
	return s, errors.Join(err, torn)
}

// ReadKey implements entries.
func (h *hash) ReadKey(key []byte) (*Snapshot, error) {
	s, vals := &Snapshot{}, make([]byte, h.entrySize())
	err := h.Lookup(key, vals)
	if err == nil {
		err = h.settled(key, vals)
	}
	switch {
	case err == nil:
		e := Entry{Key: slices.Clone(key), Value: make([]byte, h.Spec.ValueSize)}
		merge(e.Value, vals, h.stride(), h.Spec.Value)
		s.Entries = []Entry{e}
	case errors.Is(err, unix.ENOENT):
		err = nil
	}
	return s, err
}

// Clear implements entries.
func (h *hash) Clear() error {
	keys, n, err := h.keys()
	if err != nil || n == 0 {
		return err
	}
	return h.DeleteMany(keys, n)
}

// Zero implements entries.
func (h *hash) Zero() error {
	keys, n, err := h.keys()
	if err != nil || n == 0 {
		return err
	}
	return h.UpdateMany(keys, make([]byte, n*h.entrySize()), n)
}

// put implements entries. Of a value for each CPU that of the first is written.
func (h *hash) put(key, val []byte) error {
	if val != nil {
		return h.Update(key, append(val, make([]byte, h.entrySize()-len(val))...))
	}
	err := h.Delete(key)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// keys lists the keys, one behind the other.
func (h *hash) keys() (keys []byte, n int, err error) {
	err = h.Walk(false, func(key, _ []byte) {
		keys = append(keys, key...)
		n++
	})
	return keys, n, err
}
