// Package maps creates the maps of a compiled script in the kernel, reads them
// in batches with the values of all CPUs merged, and clears and zeroes them.
//
// Values are raw bytes in the layout of compiler/types; decoding and sorting
// are left to runtime/value and runtime/render. It must not import those that
// load programs, nor the compiler beyond object and types.
package maps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"fst/compiler/object"
	"fst/runtime/bpf"
	"fst/runtime/cpus"
	"fst/runtime/value"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// Snapshot is the content of a map at one moment, in no order: raw keys and
// values, the values of all CPUs merged into one.
type Snapshot = value.Snapshot

// Entry is an element of a Snapshot.
type Entry = value.Entry

// CreateError tells which map the kernel refused.
type CreateError struct {
	Map    *object.Map
	Err    error  // as the kernel gave it
	Reason string // in plain words; may be empty
	Remedy string // what helps; may be empty
}

// What says what failed and why, without what helps.
func (e *CreateError) What() string {
	what := "the map " + e.Map.Name
	if e.Map.Kind == object.MapRingBuf {
		what = "the buffer for messages"
	}
	if e.Reason == "" {
		return fmt.Sprintf("cannot create %s: %v", what, e.Err)
	}
	return fmt.Sprintf("cannot create %s: %s", what, e.Reason)
}

func (e *CreateError) Error() string {
	if e.Remedy != "" {
		return e.What() + "; " + e.Remedy
	}
	return e.What()
}

func (e *CreateError) Unwrap() error { return e.Err }

// Set is the maps of one script. Its methods may be called by one goroutine
// at a time.
type Set struct {
	maps []*Map
}

// Map is a map in the kernel.
type Map struct {
	Spec *object.Map
	fd   int
	cpus int // values an entry has: 1, or the number of possible CPUs
	set  *Set
	// turns has the two maps of one that takes turns; nil for others.
	turns *turns
	// stacks are those taken out of a map of stacks; nil until one was.
	stacks *stacks
	// memory is that of a map of kind MapShared.
	memory []byte
	// zeroed are the elements of an array of aggregations that Zero left at
	// zero: they are there, though their values are as if they had seen nothing.
	zeroed map[uint32]bool
	// drained are the values that Drain has returned of an array's elements that
	// add up,
	// which go on counting in the kernel.
	drained map[uint32][]byte
}

// Create creates all maps of a script, or none.
func Create(obj *object.Object) (*Set, error) {
	possible, err := cpus.Possible()
	if err != nil {
		return nil, err
	}
	s := &Set{}
	for _, spec := range obj.Maps {
		if spec.Unused {
			s.maps = append(s.maps, &Map{Spec: spec, fd: -1, cpus: 1})
			continue
		}
		m, err := create(spec, possible)
		if err != nil {
			s.Close()
			return nil, createError(spec, size(spec, possible), err)
		}
		m.set = s
		s.maps = append(s.maps, m)
	}
	for _, m := range s.maps {
		if t := m.Spec.Turns; t != nil && m.turns != nil {
			m.turns.share(s.maps[t.Map], t.Offset)
		}
	}
	return s, nil
}

// Close closes all maps. It may be called twice.
func (s *Set) Close() {
	for _, m := range s.maps {
		m.close()
	}
}

func (m *Map) close() {
	if m.turns != nil {
		for _, one := range m.turns.maps {
			if one != nil {
				one.close()
			}
		}
	}
	if m.memory != nil {
		unix.Munmap(m.memory)
		m.memory = nil
	}
	if m.fd >= 0 {
		unix.Close(m.fd)
		m.fd = -1
	}
}

// FD is the descriptor of the map with an index, -1 if there is none.
func (s *Set) FD(id int) int {
	if id < 0 || id >= len(s.maps) {
		return -1
	}
	return s.maps[id].fd
}

// Map returns the map with an index of Object.Maps.
func (s *Set) Map(id int) *Map { return s.maps[id] }

var kernelTypes = map[object.MapKind]bpf.MapType{
	object.MapHash: bpf.Hash, object.MapLRUHash: bpf.LRUHash, object.MapPerCPUHash: bpf.PerCPUHash,
	object.MapPerCPULRUHash: bpf.LRUPerCPUHash, object.MapArray: bpf.Array, object.MapPerCPUArray: bpf.PerCPUArray,
	object.MapRingBuf: bpf.RingBuf, object.MapStacks: bpf.Hash, object.MapTaskStorage: bpf.TaskStorage,
	object.MapUnwind: bpf.HashOfMaps, object.MapShared: bpf.Array,
}

// maxPrealloc is what a map may take at once for values of each CPU: a small
// part of the machine's memory. Memory of all CPUs is hard to get while a
// program runs: the kernel has a few pages at hand, and new keys that come at
// once beyond them are lost.
func maxPrealloc() uint64 {
	const least, part = 64 << 20, 64
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return least
	}
	return max(least, uint64(info.Totalram)*uint64(info.Unit)/part)
}

func create(spec *object.Map, possible []int) (*Map, error) {
	typ, ok := kernelTypes[spec.Kind]
	if !ok {
		return nil, unix.EINVAL
	}
	if spec.Turns != nil {
		return createTurns(spec, possible)
	}
	if spec.Kind == object.MapStacks {
		few := *spec
		few.ValueSize = min(spec.ValueSize, 8+8*maxFrames())
		spec = &few
	}
	b := bpf.MapSpec{Type: typ, Name: spec.Name, Key: spec.KeySize, Value: spec.ValueSize, Entries: spec.MaxEntries}
	if spec.EachCPU {
		b.Entries *= possible[len(possible)-1] + 1
	}
	m := &Map{Spec: spec, cpus: 1}
	switch spec.Kind {
	case object.MapHash:
		if spec.NoPrealloc {
			b.Flags |= bpf.NoPrealloc
		}
	case object.MapPerCPUHash:
		m.cpus = len(possible)
		if spec.NoPrealloc && uint64(m.entrySize()*spec.MaxEntries) > maxPrealloc() {
			b.Flags |= bpf.NoPrealloc
		}
	case object.MapPerCPULRUHash, object.MapPerCPUArray:
		m.cpus = len(possible)
	case object.MapRingBuf:
		b.Key, b.Value, b.Entries = 0, 0, ringSize(b.Entries)
	case object.MapUnwind:
		table, err := createRows(1)
		if err != nil {
			return nil, err
		}
		defer unix.Close(table)
		b.Inner = table
	case object.MapTaskStorage:
		// Task storage wants types for its key (an int) and value.
		b.Entries, b.Flags = 0, bpf.NoPrealloc
		i32 := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
		u64 := &btf.Int{Name: "long", Size: 8}
		h, key, val, err := btf.MarshalMapKV(i32, &btf.Array{Index: i32, Type: u64, Nelems: uint32(spec.ValueSize / 8)})
		if err != nil {
			return nil, err
		}
		defer h.Close()
		b.BTF, b.KeyTypeID, b.ValTypeID = h.FD(), uint32(key), uint32(val)
	}
	var err error
	if spec.Kind == object.MapShared {
		b.Flags |= bpf.Mmapable
	}
	if m.fd, err = bpf.CreateMap(&b); err != nil {
		return nil, err
	}
	if spec.Kind == object.MapShared {
		if m.memory, err = unix.Mmap(m.fd, 0, spec.ValueSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			m.close()
			return nil, err
		}
	}
	return m, nil
}

// maxFrames is how many frames of a stack the kernel records at most.
func maxFrames() int {
	const path, usual = "/proc/sys/kernel/perf_event_max_stack", 127
	text, err := os.ReadFile(path)
	if err != nil {
		return usual
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 1 {
		return usual
	}
	return n
}

// ringSize rounds a size up to what a ring buffer may have: a power of two of
// at least a page.
func ringSize(n int) int {
	size := os.Getpagesize()
	for size < n {
		size *= 2
	}
	return size
}

// size is about the memory of a map that is full.
func size(spec *object.Map, possible []int) uint64 {
	n := uint64(max(spec.MaxEntries, 1)) * uint64(spec.KeySize+spec.ValueSize)
	switch {
	case spec.Kind == object.MapRingBuf:
		return uint64(ringSize(spec.MaxEntries))
	case spec.EachCPU:
		return n * uint64(possible[len(possible)-1]+1)
	case (&Map{Spec: spec}).isPerCPU():
		return n * uint64(len(possible))
	}
	return n
}

// littleMemory is what any machine has for a map: if it is refused, the cause is
// not the map's size.
const littleMemory = 1 << 20

// createError says why the kernel has not made a map of a size.
func createError(m *object.Map, size uint64, err error) *CreateError {
	e := &CreateError{Map: m, Err: err}
	limited := false
	if errors.Is(err, unix.EPERM) {
		e.Reason, e.Remedy, limited = bpf.MemoryLimit()
	}
	switch {
	case limited:
	case errors.Is(err, unix.EPERM):
		e.Reason = "the kernel forbids it"
		e.Remedy = "fst needs root, or CAP_BPF and CAP_PERFMON"
	case errors.Is(err, unix.ENOMEM) && m.Kind == object.MapRingBuf:
		e.Reason = fmt.Sprintf("it takes %d bytes, and the kernel gives no more memory", size)
		e.Remedy = "take less: config = { perf_rb_pages = 16 }; or raise the limit of the control group that fst runs in (memory.max)"
	case errors.Is(err, unix.ENOMEM) && size <= littleMemory:
		e.Reason = fmt.Sprintf("it takes %d bytes, and the kernel gives no more memory", size)
		e.Remedy = "free some, or raise the limit of the control group that fst runs in (memory.max)"
	case m.MaxEntries == 1 && (errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.E2BIG)):
		e.Reason = fmt.Sprintf("a value of %d bytes is larger than the kernel takes", m.ValueSize)
		e.Remedy = "lower the number of its slots or buckets, or max_strlen if it holds strings"
	case errors.Is(err, unix.ENOMEM), errors.Is(err, unix.E2BIG) && m.KeySize <= 512:
		e.Reason = fmt.Sprintf("%d entries of %d bytes need more memory than the kernel gives", m.MaxEntries, m.KeySize+m.ValueSize)
		e.Remedy = "lower max_map_keys or the number in its declaration, or max_strlen if it holds strings"
	case errors.Is(err, unix.E2BIG):
		e.Reason = fmt.Sprintf("this kernel takes keys of at most 512 bytes, not of %d", m.KeySize)
		e.Remedy = "lower max_strlen, or shorten the strings of the key: str(p, n)"
	case errors.Is(err, unix.EINVAL) && m.Kind == object.MapTaskStorage:
		e.Reason = "this kernel has no task storage"
	}
	return e
}

// stride is the distance between the values of two CPUs.
func (m *Map) stride() int {
	if m.isPerCPU() {
		return (m.Spec.ValueSize + 7) &^ 7 // also where there is one CPU
	}
	return m.Spec.ValueSize
}

// isPerCPU reports whether the kernel keeps a value for each CPU.
func (m *Map) isPerCPU() bool {
	switch m.Spec.Kind {
	case object.MapPerCPUHash, object.MapPerCPULRUHash, object.MapPerCPUArray:
		return true
	}
	return false
}

// entrySize is the size of all values of an entry.
func (m *Map) entrySize() int { return m.stride() * m.cpus }

func (m *Map) isArray() bool {
	return m.Spec.Kind == object.MapArray || m.Spec.Kind == object.MapPerCPUArray
}

// isAggregation reports whether the map's values are aggregations.
func (m *Map) isAggregation() bool { return m.Spec.Value != nil && m.Spec.Value.Kind.IsAggregation() }

// isSet reports whether an array's or task storage's value counts as there.
func (m *Map) isSet(val []byte) bool {
	switch {
	case m.Spec.Present >= 0 && m.Spec.Present+8 <= len(val):
		return binary.NativeEndian.Uint64(val[m.Spec.Present:]) != 0
	case m.isAggregation():
		return !isEmpty(val, m.Spec.Value)
	}
	for _, b := range val {
		if b != 0 {
			return true
		}
	}
	return false
}

// Counters reads an array whose only value are u64 counters.
func (m *Map) Counters() ([]uint64, error) {
	val := make([]byte, m.Spec.ValueSize)
	if err := bpf.Lookup(m.fd, make([]byte, 4), val); err != nil {
		return nil, err
	}
	counters := make([]uint64, len(val)/8)
	for i := range counters {
		counters[i] = binary.NativeEndian.Uint64(val[8*i:])
	}
	return counters, nil
}

// Word is a u64 of a map of kind MapShared: programs and this process have it at the
// same time, until the map is closed.
func (m *Map) Word(offset int) *uint64 { return (*uint64)(unsafe.Pointer(&m.memory[offset])) }

// RingSize is the size of a ring buffer's data as it was created.
func (m *Map) RingSize() int { return ringSize(m.Spec.MaxEntries) }
