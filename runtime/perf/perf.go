// Package perf opens perf events (perf_event_open(2)): what the kernel counts, and the probes
// that BPF programs hang on.
package perf

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Attr is the attribute of an event of a type and configuration.
func Attr(typ uint32, config uint64) *unix.PerfEventAttr {
	return &unix.PerfEventAttr{Type: typ, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: config}
}

// Of the PMUs kprobe and uprobe, in an attribute's configuration. They are part of the kernel's
// interface (Linux 4.17) and the same everywhere: "config:0" and "config:32-63".
const (
	// Return is set for a probe of a function's returns.
	Return = 1 << 0
	// SemaphoreShift is where the offset of a uprobe's semaphore begins.
	SemaphoreShift = 32
)

// Probe is the attribute of a probe: disabled, as it needs not count to call a program.
func Probe(typ uint32, config uint64) *unix.PerfEventAttr {
	attr := Attr(typ, config)
	attr.Bits = unix.PerfBitDisabled
	return attr
}

// NoPMU is the error of a kernel without a PMU, which it names.
type NoPMU string

func (e NoPMU) Error() string {
	return "the kernel has no " + string(e) + " (perf PMU " + string(e) + ")"
}

// PMU returns the type of the events of a PMU, or NoPMU.
func PMU(name string) (uint32, error) {
	text, err := os.ReadFile("/sys/bus/event_source/devices/" + name + "/type")
	if err != nil {
		return 0, NoPMU(name)
	}
	typ, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
	return uint32(typ), err
}

// Open opens an event of a thread (-1: of all) on a CPU (-1: on all). Its errors are those of
// perf_event_open(2), but for EINTR.
func Open(attr *unix.PerfEventAttr, thread, cpu int) (fd int, err error) {
	for {
		fd, err := unix.PerfEventOpen(attr, thread, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// Named calls open while the attribute's first extension is a pointer to a name: of a kprobe's
// function, or of a uprobe's file.
func Named(attr *unix.PerfEventAttr, name string, open func() error) error {
	text, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	var pin runtime.Pinner
	pin.Pin(text)
	defer pin.Unpin()
	attr.Ext1 = uint64(uintptr(unsafe.Pointer(text)))
	return open()
}
