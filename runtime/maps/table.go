package maps

import (
	"encoding/binary"
	"errors"

	"fst/compiler/object"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// batchBytes is about how much is read with one system call.
const batchBytes = 1 << 20

// table is a map as the kernel has it: keys, and behind each the values of all CPUs.
type table struct {
	Spec *object.Map
	fd   int
	cpus int // values an entry has: 1, or the number of possible CPUs
	// memory is that of a map of kind MapShared.
	memory []byte
}

// close closes the map. It may be called twice.
func (t *table) close() {
	if t.memory != nil {
		unix.Munmap(t.memory)
		t.memory = nil
	}
	if t.fd >= 0 {
		unix.Close(t.fd)
		t.fd = -1
	}
}

// stride is the distance between the values of two CPUs.
func (t *table) stride() int {
	if t.isPerCPU() {
		return (t.Spec.ValueSize + 7) &^ 7 // also where there is one CPU
	}
	return t.Spec.ValueSize
}

// isPerCPU reports whether the kernel keeps a value for each CPU.
func (t *table) isPerCPU() bool {
	switch t.Spec.Kind {
	case object.MapPerCPUHash, object.MapPerCPULRUHash, object.MapPerCPUArray:
		return true
	}
	return false
}

// entrySize is the size of all values of an entry.
func (t *table) entrySize() int { return t.stride() * t.cpus }

func (t *table) isArray() bool {
	return t.Spec.Kind == object.MapArray || t.Spec.Kind == object.MapPerCPUArray
}

// walk calls f with each key and the values of all CPUs. They stay valid if keep
// is set, else during the call only.
func (t *table) walk(keep bool, f func(key, vals []byte)) error {
	if t.isArray() && t.Spec.MaxEntries <= 4 {
		return t.walkKeys(f) // as cheap as a batch, and on every kernel
	}
	err := t.walkBatches(keep, f)
	if errors.Is(err, errNoBatches) {
		return t.walkKeys(f)
	}
	return err
}

var errNoBatches = errors.New("this kernel can't read such maps in batches")

// walkBatches is walk by the kernel's function for many entries. The error is
// errNoBatches if it does not know such maps.
func (t *table) walkBatches(keep bool, f func(key, vals []byte)) error {
	ks, vs := t.Spec.KeySize, t.entrySize()
	n := min(max(batchBytes/(ks+vs), 16), max(t.Spec.MaxEntries, 1))
	var keys, vals []byte
	cursors := [2][]byte{make([]byte, max(ks, 4)), make([]byte, max(ks, 4))}
	var in []byte
	seen := 0
	for turn := 0; ; turn++ {
		if keep || len(keys) < n*ks {
			keys, vals = make([]byte, n*ks), make([]byte, n*vs)
		}
		out := cursors[turn%2]
		got, err := bpf.LookupBatch(t.fd, in, out, keys, vals, n)
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
func (t *table) walkKeys(f func(key, vals []byte)) error {
	if t.isArray() {
		for i := range t.Spec.MaxEntries {
			key, vals := make([]byte, 4), make([]byte, t.entrySize())
			binary.NativeEndian.PutUint32(key, uint32(i))
			if err := bpf.Lookup(t.fd, key, vals); err != nil {
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
	for n := 0; n < 2*t.Spec.MaxEntries+16; n++ {
		key, vals := make([]byte, t.Spec.KeySize), make([]byte, t.entrySize())
		err := bpf.NextKey(t.fd, last, key)
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
		switch err := bpf.Lookup(t.fd, key, vals); {
		case err == nil:
			seen[string(key)] = true
			f(key, vals)
		case !errors.Is(err, unix.ENOENT):
			return err
		}
	}
	return nil
}
