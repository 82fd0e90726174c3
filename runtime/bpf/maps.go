package bpf

import (
	"unsafe"
)

// MapType is a kernel map type.
type MapType uint32

// The map types that fst uses.
const (
	Hash          MapType = 1
	Array         MapType = 2
	PerCPUHash    MapType = 5
	PerCPUArray   MapType = 6
	LRUHash       MapType = 9
	LRUPerCPUHash MapType = 10
	ArrayOfMaps   MapType = 12
	HashOfMaps    MapType = 13
	RingBuf       MapType = 27
	TaskStorage   MapType = 29
)

// NoPrealloc is the flag BPF_F_NO_PREALLOC; Mmapable BPF_F_MMAPABLE; InnerMap
// BPF_F_INNER_MAP: arrays in one map of maps may differ in length.
const (
	NoPrealloc = 1
	Mmapable   = 1 << 10
	InnerMap   = 1 << 12
)

// MapSpec is a map to create.
type MapSpec struct {
	Type                 MapType
	Name                 string
	Key, Value, Entries  int
	Flags                uint32
	Inner                int    // descriptor of a map like those in this map of maps, or 0
	BTF                  int    // descriptor of BTF, or 0
	KeyTypeID, ValTypeID uint32 // in it
}

// CreateMap creates a map.
func CreateMap(m *MapSpec) (int, error) {
	a := struct {
		typ                        MapType
		key, value, entries, flags uint32
		inner, numa                uint32
		name                       [16]byte
		ifindex, btf, keyID, valID uint32
	}{typ: m.Type, key: uint32(m.Key), value: uint32(m.Value), entries: uint32(m.Entries), flags: m.Flags, name: Name(m.Name),
		inner: uint32(m.Inner), btf: uint32(m.BTF), keyID: m.KeyTypeID, valID: m.ValTypeID}
	return call(cmdMapCreate, unsafe.Pointer(&a), unsafe.Sizeof(a))
}

type elemAttr struct {
	fd, _      uint32
	key, value pointer
	_          uint64 // flags
}

func elem(cmd command, fd int, key, value []byte) error {
	a := elemAttr{fd: uint32(fd), key: slicePtr(key), value: slicePtr(value)}
	_, err := call(cmd, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return err
}

// Lookup reads the value at key; a per-CPU map gives the values of all
// possible CPUs, each rounded up to 8 bytes.
func Lookup(fd int, key, value []byte) error { return elem(cmdMapLookup, fd, key, value) }

// Update writes the value at key (of all CPUs for a per-CPU map).
func Update(fd int, key, value []byte) error { return elem(cmdMapUpdate, fd, key, value) }

// Delete removes a key.
func Delete(fd int, key []byte) error { return elem(cmdMapDelete, fd, key, nil) }

// NextKey puts the key after key (nil: the first one) into next; ENOENT at the end.
func NextKey(fd int, key, next []byte) error { return elem(cmdMapNextKey, fd, key, next) }

func batch(cmd command, fd int, in, out, keys, values []byte, count int) (int, error) {
	a := struct {
		in, out, keys, values pointer
		count, fd             uint32
		elemFlags, flags      uint64
	}{in: slicePtr(in), out: slicePtr(out), keys: slicePtr(keys), values: slicePtr(values), count: uint32(count), fd: uint32(fd)}
	_, err := call(cmd, unsafe.Pointer(&a), unsafe.Sizeof(a))
	return int(a.count), err
}

// LookupBatch reads up to count entries. in is nil for the first call, and
// then what the last call put into out (both at least as long as a key and 4
// bytes). At the end the error is ENOENT, and n entries are valid all the same.
func LookupBatch(fd int, in, out, keys, values []byte, count int) (n int, err error) {
	return batch(cmdMapLookupBatch, fd, in, out, keys, values, count)
}

// DeleteBatch removes count keys.
func DeleteBatch(fd int, keys []byte, count int) (n int, err error) {
	return batch(cmdMapDeleteBatch, fd, nil, nil, keys, nil, count)
}

// UpdateBatch writes count entries.
func UpdateBatch(fd int, keys, values []byte, count int) (n int, err error) {
	return batch(cmdMapUpdateBatch, fd, nil, nil, keys, values, count)
}
