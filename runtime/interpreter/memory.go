package interpreter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"

	"fst/compiler/ir/interp"
	"fst/compiler/object"
	"fst/runtime/maps"

	"golang.org/x/sys/unix"
)

// memory implements maps.Backing: the maps are in this process.
type memory struct {
	mu     *sync.Mutex
	maps   []interp.Map // by Map.ID
	tables map[[object.UnwindKeySize]byte][]object.UnwindRow
}

// Open implements maps.Backing.
func (m *memory) Open(spec *object.Map) (maps.Storage, int, error) {
	var of interp.Map
	switch spec.Kind {
	case object.MapArray, object.MapPerCPUArray, object.MapShared:
		of = interp.NewArray(max(spec.MaxEntries, 1), spec.ValueSize)
	case object.MapUnwind:
		of = m.unwind(spec)
	default:
		lru := spec.Kind == object.MapLRUHash || spec.Kind == object.MapPerCPULRUHash
		of = &interp.Hash{Key: spec.KeySize, Val: spec.ValueSize, Max: spec.MaxEntries, LRU: lru}
	}
	m.maps[spec.ID] = of
	return &stored{m.mu, of}, 1, nil
}

// Pair implements maps.Backing.
func (m *memory) Pair(spec *object.Map, both [2]maps.Storage) (maps.Storage, error) {
	of := &interp.OfMaps{Hash: interp.Hash{Key: 4, Val: 4}, Maps: map[string]interp.Map{}}
	for i, one := range both {
		of.Maps[string([]byte{byte(i), 0, 0, 0})] = one.(*stored).of
	}
	m.maps[spec.ID] = of
	return &stored{m.mu, of}, nil
}

// unwind is the map of the unwind tables.
func (m *memory) unwind(spec *object.Map) interp.Map {
	of := &interp.OfMaps{Hash: interp.Hash{Key: spec.KeySize, Val: spec.ValueSize}, Maps: map[string]interp.Map{}}
	for key, rows := range m.tables {
		table := interp.NewArray(len(rows), 8)
		for i, row := range rows {
			binary.LittleEndian.PutUint64(table.Values[i], uint64(row))
		}
		of.Maps[string(key[:])] = table
	}
	return of
}

// Enter implements maps.Backing: both are there already, and programs that run are waited for.
func (m *memory) Enter(maps.Storage, int, maps.Storage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return nil
}

// stored implements maps.Storage.
type stored struct {
	mu *sync.Mutex
	of interp.Map
}

// Lookup implements maps.Storage.
func (s *stored) Lookup(key, vals []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.of.Lookup(key)
	if v == nil {
		return unix.ENOENT
	}
	copy(vals, v)
	return nil
}

// Update implements maps.Storage.
func (s *stored) Update(key, vals []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return failure(s.of.Update(key, vals[:s.of.ValueSize()], 0))
}

// Delete implements maps.Storage.
func (s *stored) Delete(key []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return failure(s.of.Delete(key))
}

// failure is the error of a helper's result.
func failure(result int64) error {
	if result < 0 {
		return unix.Errno(-result)
	}
	return nil
}

// UpdateMany implements maps.Storage.
func (s *stored) UpdateMany(keys, vals []byte, n int) error {
	for i := range n {
		if err := s.Update(part(keys, i, n), part(vals, i, n)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteMany implements maps.Storage.
func (s *stored) DeleteMany(keys []byte, n int) error {
	for i := range n {
		if err := s.Delete(part(keys, i, n)); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}

// part is the i-th of n equal parts.
func part(b []byte, i, n int) []byte {
	size := len(b) / n
	return b[i*size : (i+1)*size]
}

// Walk implements maps.Storage.
func (s *stored) Walk(_ bool, f func(key, vals []byte)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.of.Keys() {
		f(key, bytes.Clone(s.of.Lookup(key)))
	}
	return nil
}

// Memory implements maps.Storage.
func (s *stored) Memory() []byte { return s.of.(*interp.Array).Values[0] }

// Close implements maps.Storage.
func (s *stored) Close() {}
