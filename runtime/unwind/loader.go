package unwind

import (
	"encoding/binary"
	"sync"

	"fst/compiler/object"
	"fst/runtime/elffile"
	"fst/runtime/vdso"
)

// Key names a file to the programs in the kernel.
type Key [object.UnwindKeySize]byte

// KeyOf makes the key of a file from its inode and the kernel's number of its
// device.
func KeyOf(inode uint64, dev uint32) (k Key) {
	binary.NativeEndian.PutUint64(k[:], inode)
	binary.NativeEndian.PutUint32(k[8:], dev)
	return k
}

// Loader gives the kernel the tables of files, each once. Its methods may be
// called by several goroutines.
type Loader struct {
	add  func(Key, []object.UnwindRow) error
	mu   sync.Mutex
	seen map[Key]bool // loaded, or being loaded
}

// NewLoader returns a loader that calls add for each table, until add returns an
// error.
func NewLoader(add func(Key, []object.UnwindRow) error) *Loader {
	return &Loader{add: add, seen: map[Key]bool{}}
}

// File loads the table of a file that open opens. Files that have none, or are
// none, get the empty table: frame pointers are followed there.
func (l *Loader) File(key Key, open func() (*elffile.File, error)) error {
	l.mu.Lock()
	known := l.seen[key]
	l.seen[key] = true
	l.mu.Unlock()
	if known {
		return nil
	}
	f, err := open()
	if err != nil {
		l.mu.Lock()
		delete(l.seen, key) // another process may show it later
		l.mu.Unlock()
		return nil
	}
	defer f.Close()
	table, _ := Read(f.File)
	return l.add(key, table.Encode(Segments(f.File)))
}

// VDSO loads the table of the code that the kernel maps into every process.
func (l *Loader) VDSO() error {
	image := vdso.Image()
	if image == nil {
		return nil
	}
	return l.File(Key{}, func() (*elffile.File, error) { return elffile.Parse(image) })
}
