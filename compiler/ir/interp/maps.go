package interp

import (
	"encoding/binary"
	"slices"
)

// Array is an array map of values of Size bytes.
type Array struct {
	Values [][]byte
	Size   int
}

// NewArray returns an array of n zeroed values.
func NewArray(n, size int) *Array {
	a := &Array{Size: size}
	for range n {
		a.Values = append(a.Values, make([]byte, size))
	}
	return a
}

// Lookup implements Map.
func (a *Array) Lookup(key []byte) []byte {
	if i := uint64(get(key)); i < uint64(len(a.Values)) {
		return a.Values[i]
	}
	return nil
}

// Update implements Map.
func (a *Array) Update(key, value []byte, _ uint64) int64 {
	v := a.Lookup(key)
	if v == nil {
		return -7 // E2BIG
	}
	copy(v, value)
	return 0
}

// Delete implements Map: elements of arrays cannot be deleted.
func (a *Array) Delete([]byte) int64 { return -22 }

// KeySize implements Map.
func (a *Array) KeySize() int { return 4 }

// Keys implements Map.
func (a *Array) Keys() [][]byte {
	var keys [][]byte
	for i := range a.Values {
		keys = append(keys, binary.LittleEndian.AppendUint32(nil, uint32(i)))
	}
	return keys
}

// ValueSize implements Map.
func (a *Array) ValueSize() int { return a.Size }

// Hash is a hash map.
type Hash struct {
	Values   map[string][]byte
	Key, Val int
	Max      int // entries; 0 for no limit
	// LRU makes room for a new key by that which was used least recently.
	LRU  bool
	used map[string]int // when a key was last used
	time int
}

// Lookup implements Map.
func (h *Hash) Lookup(key []byte) []byte {
	v := h.Values[string(key)]
	if v != nil {
		h.use(key)
	}
	return v
}

func (h *Hash) use(key []byte) {
	if h.LRU {
		if h.used == nil {
			h.used = map[string]int{}
		}
		h.time++
		h.used[string(key)] = h.time
	}
}

// evict removes the key that was used least recently.
func (h *Hash) evict() {
	oldest, at := "", h.time+1
	for k := range h.Values {
		if h.used[k] < at {
			oldest, at = k, h.used[k]
		}
	}
	h.Delete([]byte(oldest))
}

// Update implements Map with the flags BPF_ANY, BPF_NOEXIST and BPF_EXIST.
func (h *Hash) Update(key, value []byte, flags uint64) int64 {
	old := h.Values[string(key)]
	switch {
	case old != nil && flags == 1:
		return -17 // EEXIST
	case old == nil && flags == 2:
		return -2 // ENOENT
	case old == nil && h.Max > 0 && len(h.Values) >= h.Max:
		if !h.LRU {
			return -7 // E2BIG
		}
		h.evict()
	}
	h.use(key)
	if h.Values == nil {
		h.Values = map[string][]byte{}
	}
	h.Values[string(key)] = append([]byte(nil), value...)
	return 0
}

// Delete implements Map.
func (h *Hash) Delete(key []byte) int64 {
	if h.Values[string(key)] == nil {
		return -2
	}
	delete(h.Values, string(key))
	delete(h.used, string(key))
	return 0
}

// KeySize implements Map.
func (h *Hash) KeySize() int { return h.Key }

// Keys implements Map.
func (h *Hash) Keys() [][]byte {
	var keys [][]byte
	for k := range h.Values {
		keys = append(keys, []byte(k))
	}
	slices.SortFunc(keys, slices.Compare)
	return keys
}

// ValueSize implements Map.
func (h *Hash) ValueSize() int { return h.Val }

// OfMaps is a map of maps, an array or a hash. Programs can only look them up.
type OfMaps struct {
	Hash // of nothing: it has the size of keys
	Maps map[string]Map
}
