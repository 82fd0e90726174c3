package conformance

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// runs32 tells whether the machine runs 32-bit programs. A kernel that is built for
// them may be told otherwise, or run where the processor's mode for them is not to be
// had: it is tried.
var runs32 = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "fst-needs-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "exit")
	return os.WriteFile(path, exit32(), 0o755) == nil && exec.Command(path).Run() == nil
})

// exit32 is a program for i386 that calls exit(0).
func exit32() []byte {
	code := []byte{
		0xb8, 1, 0, 0, 0, // mov $__NR_exit, %eax
		0x31, 0xdb, // xor %ebx, %ebx
		0xcd, 0x80, // int $0x80
	}
	const base, headers = 0x8048000, 52 + 32
	le := binary.LittleEndian
	b := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	for _, half := range []uint16{2, 3} { // ET_EXEC, EM_386
		b = le.AppendUint16(b, half)
	}
	for _, word := range []uint32{1, base + headers, 52, 0, 0} { // version, entry, program headers, no sections, flags
		b = le.AppendUint32(b, word)
	}
	for _, half := range []uint16{52, 32, 1, 40, 0, 0} { // sizes and numbers of headers
		b = le.AppendUint16(b, half)
	}
	size := uint32(headers + len(code))
	for _, word := range []uint32{1, 0, base, base, size, size, 5, 4096} { // PT_LOAD, readable and executable
		b = le.AppendUint32(b, word)
	}
	return append(b, code...)
}

// watches tells whether the processor's breakpoints count: some virtual machines take
// them and never say that they were met.
var watches = sync.OnceValue(func() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	watched := new(atomic.Uint64)
	const writes, eightBytes = 2, 8 // HW_BREAKPOINT_W and HW_BREAKPOINT_LEN_8 of linux/hw_breakpoint.h
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_BREAKPOINT, Size: unix.PERF_ATTR_SIZE_VER5, Bp_type: writes,
		Ext1: uint64(uintptr(unsafe.Pointer(watched))), Ext2: eightBytes, Bits: unix.PerfBitExcludeKernel,
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	watched.Store(1)
	count := make([]byte, 8)
	n, err := unix.Read(fd, count)
	return err == nil && n == 8 && binary.NativeEndian.Uint64(count) > 0
})
