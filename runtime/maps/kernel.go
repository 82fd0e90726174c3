package maps

import (
	"encoding/binary"
	"errors"

	"fst/compiler/object"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// inKernel is a map of the kernel.
type inKernel struct {
	spec   *object.Map
	fd     int    // -1: there is none
	size   int    // of all values of an entry
	memory []byte // of a map of kind MapShared
}

// Lookup implements Storage.
func (k *inKernel) Lookup(key, vals []byte) error { return bpf.Lookup(k.fd, key, vals) }

// Update implements Storage.
func (k *inKernel) Update(key, vals []byte) error { return bpf.Update(k.fd, key, vals) }

// Delete implements Storage.
func (k *inKernel) Delete(key []byte) error { return bpf.Delete(k.fd, key) }

// UpdateMany implements Storage.
func (k *inKernel) UpdateMany(keys, vals []byte, n int) error {
	if _, err := bpf.UpdateBatch(k.fd, keys, vals, n); err == nil {
		return nil
	}
	for i := range n {
		if err := bpf.Update(k.fd, k.key(keys, i), vals[i*k.size:(i+1)*k.size]); err != nil {
			return err
		}
	}
	return nil
}

// DeleteMany implements Storage.
func (k *inKernel) DeleteMany(keys []byte, n int) error {
	// A batch ends at the first key that is gone already: then one by one.
	if _, err := bpf.DeleteBatch(k.fd, keys, n); err == nil {
		return nil
	}
	for i := range n {
		if err := bpf.Delete(k.fd, k.key(keys, i)); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}

func (k *inKernel) key(keys []byte, i int) []byte {
	return keys[i*k.spec.KeySize : (i+1)*k.spec.KeySize]
}

// Memory implements Storage.
func (k *inKernel) Memory() []byte { return k.memory }

// Close implements Storage.
func (k *inKernel) Close() {
	if k.memory != nil {
		unix.Munmap(k.memory)
		k.memory = nil
	}
	if k.fd >= 0 {
		unix.Close(k.fd)
		k.fd = -1
	}
}

func (k *inKernel) isArray() bool {
	return k.spec.Kind == object.MapArray || k.spec.Kind == object.MapPerCPUArray
}

// batchBytes is about how much is read with one system call.
const batchBytes = 1 << 20

// Walk implements Storage: it calls f with each key and the values of all CPUs. They stay valid if keep
// is set, else during the call only.
func (k *inKernel) Walk(keep bool, f func(key, vals []byte)) error {
	if k.isArray() && k.spec.MaxEntries <= 4 {
		return k.walkKeys(f) // as cheap as a batch, and on every kernel
	}
	err := k.walkBatches(keep, f)
	if errors.Is(err, errNoBatches) {
		return k.walkKeys(f)
	}
	return err
}

var errNoBatches = errors.New("this kernel can't read such maps in batches")

// walkBatches is walk by the kernel's function for many entries. The error is
// errNoBatches if it does not know such maps.
func (k *inKernel) walkBatches(keep bool, f func(key, vals []byte)) error {
	ks, vs := k.spec.KeySize, k.size
	n := min(max(batchBytes/(ks+vs), 16), max(k.spec.MaxEntries, 1))
	var keys, vals []byte
	cursors := [2][]byte{make([]byte, max(ks, 4)), make([]byte, max(ks, 4))}
	var in []byte
	seen := 0
	for turn := 0; ; turn++ {
		if keep || len(keys) < n*ks {
			keys, vals = make([]byte, n*ks), make([]byte, n*vs)
		}
		out := cursors[turn%2]
		got, err := bpf.LookupBatch(k.fd, in, out, keys, vals, n)
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
func (k *inKernel) walkKeys(f func(key, vals []byte)) error {
	if k.isArray() {
		for i := range k.spec.MaxEntries {
			key, vals := make([]byte, 4), make([]byte, k.size)
			binary.NativeEndian.PutUint32(key, uint32(i))
			if err := bpf.Lookup(k.fd, key, vals); err != nil {
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
	for n := 0; n < 2*k.spec.MaxEntries+16; n++ {
		key, vals := make([]byte, k.spec.KeySize), make([]byte, k.size)
		err := bpf.NextKey(k.fd, last, key)
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
		switch err := bpf.Lookup(k.fd, key, vals); {
		case err == nil:
			seen[string(key)] = true
			f(key, vals)
		case !errors.Is(err, unix.ENOENT):
			return err
		}
	}
	return nil
}
