package maps

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"fst/compiler/object"
	"fst/runtime/bpf"
	"fst/runtime/cpus"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

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

// Create creates all maps of a script in the kernel, or none; those that are kept it takes
// from a store, which may be nil. gate is the descriptor of the object.GateMapName of the script whose place it takes,
// or -1. The error may be a CreateError or a StoreError.
func Create(obj *object.Object, store *Store, gate int) (*Set, error) {
	possible, err := cpus.Possible()
	if err != nil {
		return nil, err
	}
	return New(obj, kernel{possible, gate}, store)
}

// New is Create for any Backing.
func New(obj *object.Object, in Backing, store *Store) (_ *Set, err error) {
	s := &Set{Locker: &sync.Mutex{}}
	if store != nil {
		s.Locker = &store.mu
	}
	for _, spec := range obj.Maps {
		m := &Map{table: &table{Storage: &inKernel{fd: -1}, Spec: spec, cpus: 1}}
		switch {
		case spec.Unused:
		case spec.Kept && store != nil:
			m, err = store.adopt(spec, obj.Sources, in)
		default:
			m, err = create(spec, in)
		}
		if err != nil {
			s.Close()
			return nil, err
		}
		s.maps = append(s.maps, m)
	}
	for _, m := range s.maps {
		if t, ok := m.entries.(*turns); ok {
			t.share(s)
		}
	}
	for _, id := range obj.Stacks {
		s.maps[id].entries = newStacks(s.maps[id].table)
	}
	return s, nil
}

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

// create creates a map, and finds out how its entries are kept.
func create(spec *object.Map, in Backing) (*Map, error) {
	if spec.Turns != nil {
		return createTurns(spec, in)
	}
	if spec.Kind == object.MapStacks {
		few := *spec
		few.ValueSize = min(spec.ValueSize, 8+8*maxFrames())
		spec = &few
	}
	storage, cpus, err := in.Open(spec)
	if err != nil {
		return nil, err
	}
	t := &table{Storage: storage, Spec: spec, cpus: cpus}
	m := &Map{table: t}
	switch spec.Kind {
	case object.MapHash, object.MapLRUHash, object.MapPerCPUHash, object.MapPerCPULRUHash, object.MapStacks:
		m.entries = &hash{t}
	case object.MapArray, object.MapPerCPUArray:
		m.entries = &array{t, &arrayState{}}
	case object.MapTaskStorage:
		m.entries = &tasks{t}
	}
	return m, nil
}

// kernel is the Backing of the kernel.
type kernel struct {
	possible []int // the numbers of the CPUs
	gate     int   // another script's map object.GateMapName, or -1
}

// Open implements Backing. The error is a CreateError.
func (k kernel) Open(spec *object.Map) (Storage, int, error) {
	m, cpus, err := k.open(spec)
	if err != nil {
		return nil, 0, createError(spec, size(spec, k.possible), err)
	}
	return m, cpus, nil
}

// Pair implements Backing.
func (k kernel) Pair(spec *object.Map, both [2]Storage) (Storage, error) {
	fd, err := bpf.CreateMap(&bpf.MapSpec{Type: bpf.ArrayOfMaps, Name: spec.Name, Key: 4, Value: 4, Entries: 2, Inner: both[0].(*inKernel).fd})
	if err != nil {
		return nil, createError(spec, size(spec, k.possible), err)
	}
	return &inKernel{spec: spec, fd: fd, size: 4}, nil
}

// Enter implements Backing.
func (k kernel) Enter(pair Storage, i int, one Storage) error {
	return pair.Update(bytesOf([]uint32{uint32(i)}), bytesOf([]uint32{uint32(one.(*inKernel).fd)}))
}

func (k kernel) open(spec *object.Map) (_ Storage, cpus int, err error) {
	typ, ok := kernelTypes[spec.Kind]
	if !ok {
		return nil, 0, unix.EINVAL
	}
	b := bpf.MapSpec{Type: typ, Name: spec.Name, Key: spec.KeySize, Value: spec.ValueSize, Entries: spec.MaxEntries}
	if spec.EachCPU {
		b.Entries *= k.possible[len(k.possible)-1] + 1
	}
	cpus = 1
	if isPerCPU(spec) {
		cpus = len(k.possible)
	}
	m := &inKernel{spec: spec, fd: -1, size: (&table{Spec: spec, cpus: cpus}).entrySize()}
	switch spec.Kind {
	case object.MapHash:
		if spec.NoPrealloc {
			b.Flags |= bpf.NoPrealloc
		}
	case object.MapPerCPUHash:
		if spec.NoPrealloc && uint64(m.size*spec.MaxEntries) > maxPrealloc() {
			b.Flags |= bpf.NoPrealloc
		}
	case object.MapRingBuf:
		b.Key, b.Value, b.Entries = 0, 0, ringSize(b.Entries)
	case object.MapUnwind:
		rows, err := createRows(1)
		if err != nil {
			return nil, 0, err
		}
		defer unix.Close(rows)
		b.Inner = rows
	case object.MapTaskStorage:
		// Task storage wants types for its key (an int) and value.
		b.Entries, b.Flags = 0, bpf.NoPrealloc
		i32 := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
		u64 := &btf.Int{Name: "long", Size: 8}
		h, key, val, err := btf.MarshalMapKV(i32, &btf.Array{Index: i32, Type: u64, Nelems: uint32(spec.ValueSize / 8)})
		if err != nil {
			return nil, 0, err
		}
		defer h.Close()
		b.BTF, b.KeyTypeID, b.ValTypeID = h.FD(), uint32(key), uint32(val)
	}
	if spec.Kind == object.MapShared {
		b.Flags |= bpf.Mmapable
	}
	if spec.Name == object.GateMapName && k.gate >= 0 {
		m.fd, err = unix.FcntlInt(uintptr(k.gate), unix.F_DUPFD_CLOEXEC, 0)
	} else {
		m.fd, err = bpf.CreateMap(&b)
	}
	if err != nil {
		return nil, 0, err
	}
	if spec.Kind == object.MapShared {
		if m.memory, err = unix.Mmap(m.fd, 0, spec.ValueSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			m.Close()
			return nil, 0, err
		}
	}
	return m, cpus, nil
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

// RingSize is the size of a ring buffer's data as it is created.
func RingSize(spec *object.Map) int { return ringSize(spec.MaxEntries) }

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
		return uint64(RingSize(spec))
	case spec.EachCPU:
		return n * uint64(possible[len(possible)-1]+1)
	case isPerCPU(spec):
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
		e.Remedy = "take less: config = { perf_rb_pages = 16 }; or raise the limit of the cgroup that fst runs in (memory.max)"
	case errors.Is(err, unix.ENOMEM) && size <= littleMemory:
		e.Reason = fmt.Sprintf("it takes %d bytes, and the kernel gives no more memory", size)
		e.Remedy = "free some, or raise the limit of the cgroup that fst runs in (memory.max)"
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
