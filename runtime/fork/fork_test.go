package fork

import (
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// TestQuietly makes a child that ends at once with a code that says whether all
// signals were blocked in it; afterwards they are here as they were before.
func TestQuietly(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := blocked()
	var inside Mask
	pid, errno := Quietly(func(mask *Mask) (int, syscall.Errno) {
		inside = *mask
		return child()
	})
	if errno != 0 {
		t.Fatal(errno)
	}
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
			break
		}
	}
	if !status.Exited() || status.ExitStatus() != 42 {
		t.Errorf("the child ended with %#x: not all signals were blocked, or it is not a child", status)
	}
	if after := blocked(); after != before || inside != before {
		t.Errorf("blocked are %x, were %x, and the child was told %x", after, before, inside)
	}
}

// child clones a process that ends with 42 if SIGTERM is blocked in it, with 1 if
// not.
//
//go:norace
//go:nosplit
//go:noinline
func child() (int, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return int(pid), errno
	}
	var mask Mask
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, 0, uintptr(unsafe.Pointer(&mask)), unsafe.Sizeof(mask), 0, 0)
	code := uintptr(1)
	if mask[0]&(1<<(syscall.SIGTERM-1)) != 0 {
		code = 42
	}
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, code, 0, 0)
	}
}

// blocked is this thread's set of blocked signals.
func blocked() (mask Mask) {
	setMask(nil, &mask)
	return mask
}
