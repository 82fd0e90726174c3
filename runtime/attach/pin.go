package attach

import (
	"runtime"
	"unsafe"
)

// withPointer calls f with the address p stored in an integer field of a
// system call's argument. p is pinned meanwhile.
func withPointer(field *uint64, p unsafe.Pointer, f func() error) error {
	var pinner runtime.Pinner
	pinner.Pin(p)
	defer pinner.Unpin()
	*field = uint64(uintptr(p))
	return f()
}
