package maps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"fst/compiler/object"
)

// array is a map whose entries are always there: which of them were set is told by
// their values.
type array struct {
	*table
	*arrayState
}

// arrayState is what the values of an array do not tell.
type arrayState struct {
	// zeroed are the elements of an array of aggregations that Zero left at
	// zero: they are there, though their values are as if they had seen nothing.
	zeroed map[uint32]bool
	// drained are the values that drain has returned of elements that add up,
	// which go on counting in the kernel.
	drained map[uint32][]byte
}

// Read implements entries.
func (a *array) Read() (*Snapshot, error) { return a.read(false) }

// drain implements Map.Drain.
func (a *array) drain() (*Snapshot, error) { return a.read(true) }

// read reads the elements that have a value, and forgets them if drain is set. Without
// keys there is only the first.
func (a *array) read(drain bool) (*Snapshot, error) {
	if a.Spec.Key == nil {
		return a.element(0, drain)
	}
	s, val := &Snapshot{}, make([]byte, a.Spec.ValueSize)
	var torn error
	err := a.Walk(false, func(key, vals []byte) { torn = errors.Join(torn, a.add(s, key, vals, val, drain)) })
	return s, errors.Join(err, torn)
}

// ReadKey implements entries.
func (a *array) ReadKey(key []byte) (*Snapshot, error) {
	index, ok := indexOf(a.Spec, key)
	if !ok {
		return &Snapshot{}, nil
	}
	return a.element(index, false)
}

// indexOf is the index of the element with a key; ok is false if it is outside.
func indexOf(spec *object.Map, key []byte) (index uint32, ok bool) {
	if spec.Key == nil {
		return 0, true
	}
	var wide [8]byte
	copy(wide[:], key)
	n := binary.NativeEndian.Uint64(wide[:])
	return uint32(n), n < uint64(spec.MaxEntries)
}

// put implements entries.
func (a *array) put(key, val []byte) error {
	index, ok := indexOf(a.Spec, key)
	values := make([]byte, a.entrySize())
	switch {
	case !ok && val == nil:
		return nil
	case !ok:
		return fmt.Errorf("the key is outside of the %d of %s", a.Spec.MaxEntries, a.Spec.Name)
	case val == nil:
		delete(a.zeroed, index)
		delete(a.drained, index)
	default:
		copy(values, val)
		if p := a.Spec.Present; p >= 0 {
			binary.NativeEndian.PutUint64(values[p:], 1)
		}
	}
	return a.Update(binary.NativeEndian.AppendUint32(nil, index), values)
}

// element is read for one element.
func (a *array) element(index uint32, drain bool) (*Snapshot, error) {
	s, key, vals := &Snapshot{}, make([]byte, 4), make([]byte, a.entrySize())
	binary.NativeEndian.PutUint32(key, index)
	err := a.Lookup(key, vals)
	if err == nil {
		err = a.add(s, key, vals, make([]byte, a.Spec.ValueSize), drain)
	}
	return s, err
}

// add adds an element to s if it has a value, and forgets it if drain is set. val is
// room for one.
func (a *array) add(s *Snapshot, key, vals, val []byte, drain bool) error {
	if err := a.settled(key, vals); err != nil {
		return err
	}
	clear(val)
	merge(val, vals, a.stride(), a.Spec.Value)
	index := binary.NativeEndian.Uint32(key)
	value := slices.Clone(val)
	if before := a.drained[index]; before != nil {
		for i := range len(value) / 8 {
			put64(value, i, u64(value, i)-u64(before, i))
		}
	}
	if isSet(a.Spec, value) || a.zeroed[index] {
		s.Entries = append(s.Entries, Entry{Key: a.key(key), Value: value})
	}
	if drain {
		if a.drained == nil {
			a.drained = map[uint32][]byte{}
		}
		a.drained[index] = slices.Clone(val)
		delete(a.zeroed, index)
	}
	return nil
}

// key is an index in the layout of the map's key type; nil if the map has no keys.
func (a *array) key(index []byte) []byte {
	if a.Spec.Key == nil {
		return nil
	}
	key := make([]byte, max(8, a.Spec.Key.Size))
	binary.NativeEndian.PutUint64(key, uint64(binary.NativeEndian.Uint32(index)))
	return key[:a.Spec.Key.Size]
}

// Clear implements entries.
func (a *array) Clear() error {
	a.zeroed, a.drained = nil, nil
	return a.overwrite(nil)
}

// Zero implements entries.
func (a *array) Zero() error {
	a.drained = nil
	return a.overwrite(func(key, val []byte) []byte {
		if isAggregation(a.Spec) { // those have no mark that they are there
			if a.zeroed == nil {
				a.zeroed = map[uint32]bool{}
			}
			a.zeroed[binary.NativeEndian.Uint32(key)] = true
		}
		return zeroed(a.Spec, val, a.stride())
	})
}

// overwrite writes every value that is not zero already: with what f makes of it, or
// with zeros.
func (a *array) overwrite(f func(key, val []byte) []byte) error {
	var dirty []uint32
	var values [][]byte
	err := a.Walk(false, func(key, vals []byte) {
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
	val := make([]byte, a.entrySize())
	for i, d := range dirty {
		if f != nil {
			val = values[i]
		}
		binary.NativeEndian.PutUint32(key[:], d)
		if err := a.Update(key[:], val); err != nil {
			return err
		}
	}
	return nil
}
