package maps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"fst/runtime/value"

	"golang.org/x/sys/unix"
)

// tasks is task storage. It has no list of its keys: every thread of the system is
// asked.
type tasks struct{ *table }

// Read implements entries.
func (t *tasks) Read() (*Snapshot, error) {
	s := &Snapshot{}
	err := t.each(func(tid int, _, val []byte) error {
		if !isSet(t.Spec, val) {
			return nil
		}
		e := Entry{Value: append([]byte(nil), val[:t.Spec.ValueSize]...)}
		if of := t.Spec.Key; of != nil {
			k := make([]byte, max(8, of.Size))
			binary.NativeEndian.PutUint64(k, uint64(tid))
			e.Key = k[:of.Size]
		}
		s.Entries = append(s.Entries, e)
		return nil
	})
	return s, err
}

// ReadKey implements entries.
func (t *tasks) ReadKey(key []byte) (*Snapshot, error) {
	s, err := t.Read()
	s.Entries = slices.DeleteFunc(s.Entries, func(e Entry) bool { return !bytes.Equal(e.Key, key) })
	return s, err
}

// Clear implements entries.
func (t *tasks) Clear() error {
	return t.each(func(_ int, key, _ []byte) error { return t.Delete(key) })
}

// Zero implements entries.
func (t *tasks) Zero() error {
	return t.each(func(_ int, key, val []byte) error { return t.Update(key, zeroed(t.Spec, val, t.stride())) })
}

// put implements entries.
func (t *tasks) put(key, val []byte) error {
	if val != nil {
		return fmt.Errorf("%s is kept with each thread by the kernel: it can't be written from outside", t.Spec.Name)
	}
	return t.each(func(tid int, fd, _ []byte) error {
		if t.Spec.Key != nil && value.Of(t.Spec.Key, key).Uint() != uint64(tid) {
			return nil
		}
		return t.Delete(fd)
	})
}

// pidfdThread is PIDFD_THREAD (6.9): without it only a process' first thread
// has a descriptor.
const pidfdThread = unix.O_EXCL

// each calls f with each thread that has a value, and a descriptor of it as the key.
func (t *tasks) each(f func(tid int, key, val []byte) error) error {
	pids, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	val, key := make([]byte, t.entrySize()), make([]byte, 4)
	for _, p := range pids {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		tids, err := os.ReadDir("/proc/" + p.Name() + "/task")
		if err != nil {
			continue // gone
		}
		for _, thread := range tids {
			tid, _ := strconv.Atoi(thread.Name())
			fd, err := unix.PidfdOpen(tid, pidfdThread)
			if err != nil {
				if fd, err = unix.PidfdOpen(tid, 0); err != nil {
					continue
				}
			}
			binary.NativeEndian.PutUint32(key, uint32(fd))
			if err = t.Lookup(key, val); err == nil {
				err = f(tid, key, val)
			}
			unix.Close(fd)
			if err != nil && !errors.Is(err, unix.ENOENT) {
				return err
			}
		}
	}
	return nil
}
