// Package fork makes processes that share this one's program without an exec.
package fork

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Mask is a set of signals.
type Mask [1]uint64

// Quietly runs clone, which must call clone(2) itself and return in the parent
// only. What runs in the child has one thread of a program that has many: it
// may make raw system calls and nothing else, in functions that need no more
// stack. All signals are blocked there, so that no handler of the Go runtime
// runs; mask is how they were before.
func Quietly(clone func(mask *Mask) (pid int, errno syscall.Errno)) (pid int, errno syscall.Errno) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	all, old := Mask{^uint64(0)}, Mask{}
	setMask(&all, &old)
	pid, errno = clone(&old)
	setMask(&old, nil)
	return pid, errno
}

func setMask(set, old *Mask) {
	const setMask = 2 // SIG_SETMASK
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(*set), 0, 0)
}
