package perf

import (
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestNoPMU(t *testing.T) {
	_, err := PMU("no_such_pmu")
	if !errors.Is(err, NoPMU("no_such_pmu")) {
		t.Errorf("the error of a PMU that is not there: %v", err)
	}
}

// A name is there while its event is opened, and one that the kernel would read
// a part of only is refused.
func TestNamed(t *testing.T) {
	attr := Probe(0, Return)
	opened := false
	err := Named(attr, "vfs_read", func() error {
		opened = true
		if got := unix.BytePtrToString(*(**byte)(unsafe.Pointer(&attr.Ext1))); got != "vfs_read" {
			t.Errorf("the name is %q", got)
		}
		return unix.ENOENT
	})
	if !opened || !errors.Is(err, unix.ENOENT) {
		t.Errorf("opened: %t, with %v", opened, err)
	}
	if err := Named(attr, "vfs\x00read", func() error { t.Error("opened"); return nil }); err == nil {
		t.Error("a name with a NUL is taken")
	}
}

// An event counts from when it is opened, a probe's never.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		attr   *unix.PerfEventAttr
		counts bool
	}{
		{Attr(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK), true},
		{Probe(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK), false},
	} {
		c.attr.Bits |= unix.PerfBitExcludeKernel
		fd, err := Open(c.attr, 0, -1)
		if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
			t.Skip("perf events are not for everybody here: ", err)
		} else if err != nil {
			t.Fatal(err)
		}
		var count [8]byte
		_, err = unix.Read(fd, count[:])
		unix.Close(fd)
		if n := binary.NativeEndian.Uint64(count[:]); err != nil || (n > 0) != c.counts {
			t.Errorf("read %d, %v; counts: %t", n, err, c.counts)
		}
	}
}
