package ftrace

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"fst/runtime/fork"
)

// step is something to do to have the system as it was.
type step struct {
	path string
	// text is written to the file, from its start if truncate is set. Without
	// text the file is only truncated.
	text     string
	truncate bool
	// remove takes the directory away instead.
	remove bool
}

// guard is a process that waits for this one to close its pipe, or to end in
// whatever way, and then takes its steps. It is the only one that takes them:
// what restores the system after a crash is what restores it every time.
type guard struct {
	pid   int
	pipe  int // the end that is open for as long as this process wants
	steps []step
}

// rawStep is a step as system calls want it.
type rawStep struct {
	path   *byte
	text   *byte
	length int
	flags  int
	remove bool
}

// guardArgs is all that the guard's side of fork uses.
type guardArgs struct {
	steps []rawStep
	name  *byte
	pipe  int // to read from
	// low and high are the descriptors that it keeps: pipe and the lock.
	low, high int
	pause     unix.Timespec // between two tries
}

const (
	tries    = 500
	anyFault = 100 // the exit status of a guard whose first failed step has a higher number
)

// startGuard starts the process. It keeps lock open as long as it lives.
func startGuard(steps []step, lock int) (*guard, error) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	a := &guardArgs{pipe: pipe[0], low: min(pipe[0], lock), high: max(pipe[0], lock), pause: unix.NsecToTimespec(10e6)}
	a.name, _ = unix.BytePtrFromString("fst-guard")
	for _, s := range steps {
		r := rawStep{flags: unix.O_WRONLY | unix.O_CLOEXEC, length: len(s.text), remove: s.remove}
		if s.truncate {
			r.flags |= unix.O_TRUNC
		}
		var err error
		if r.path, err = unix.BytePtrFromString(s.path); err == nil {
			r.text, err = unix.BytePtrFromString(s.text)
		}
		if err != nil {
			unix.Close(pipe[0])
			unix.Close(pipe[1])
			return nil, err
		}
		a.steps = append(a.steps, r)
	}
	pid, errno := fork.Quietly(func(*fork.Mask) (int, syscall.Errno) { return forkGuard(a) })
	runtime.KeepAlive(a)
	unix.Close(pipe[0])
	if errno != 0 {
		unix.Close(pipe[1])
		return nil, fmt.Errorf("cannot start the process that restores the tracer's settings: %w", errno)
	}
	return &guard{pid: pid, pipe: pipe[1], steps: steps}, nil
}

// restore has the guard take its steps and waits for it.
func (g *guard) restore() error {
	status := g.end()
	switch n := status.ExitStatus(); {
	case !status.Exited():
		return errors.New("the process that restores the tracer's settings was killed: " + g.advice(g.steps))
	case n > 0 && n <= len(g.steps):
		return errors.New("the tracer's settings could not all be restored: " + g.advice(g.steps[n-1:n]))
	case n > 0:
		return errors.New("the tracer's settings could not all be restored: " + g.advice(g.steps))
	}
	return nil
}

// dismiss ends the guard without its steps.
func (g *guard) dismiss() {
	unix.Write(g.pipe, []byte{0})
	g.end()
}

// end closes the pipe and waits for the guard.
func (g *guard) end() (status unix.WaitStatus) {
	unix.Close(g.pipe)
	for {
		_, err := unix.Wait4(g.pid, &status, 0, nil)
		if !errors.Is(err, unix.EINTR) {
			return status
		}
	}
}

// advice says what is left to do by hand.
func (g *guard) advice(steps []step) string {
	text := "what is left to do:"
	for _, s := range steps {
		if s.remove {
			text += "\n  rmdir " + s.path
		} else {
			text += fmt.Sprintf("\n  echo %q > %s", s.text, s.path)
		}
	}
	return text
}

// forkGuard returns in the parent only.
//
//go:norace
//go:nosplit
//go:noinline
func forkGuard(a *guardArgs) (int, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return int(pid), errno
	}
	// Neither the terminal's Ctrl-C nor a signal to the group is meant for it,
	// and whoever waits for fst's output to end must not wait for it.
	syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	syscall.RawSyscall(syscall.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(a.name)), 0)
	closeRange(0, a.low-1)
	closeRange(a.low+1, a.high-1)
	closeRange(a.high+1, 1<<31-1)
	var b byte
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(a.pipe), uintptr(unsafe.Pointer(&b)), 1)
		if n == 1 {
			exit(0) // dismissed
		}
		if errno != syscall.EINTR {
			break
		}
	}
	fault := 0
	for i := range a.steps {
		if !take(&a.steps[i], &a.pause) && fault == 0 {
			fault = min(i+1, anyFault)
		}
	}
	exit(fault)
	return 0, 0
}

//go:norace
//go:nosplit
func exit(code int) {
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0)
	}
}

//go:norace
//go:nosplit
func closeRange(first, last int) {
	if first <= last {
		syscall.RawSyscall(unix.SYS_CLOSE_RANGE, uintptr(first), uintptr(last), 0)
	}
}

// take takes a step, again and again while the kernel is busy: files of the
// tracer may still be open in a process that is about to end.
//
//go:norace
//go:nosplit
func take(s *rawStep, pause *unix.Timespec) bool {
	for range tries {
		errno := try(s)
		switch errno {
		case 0, syscall.ENOENT:
			return true // what is not there needs no restoring
		case syscall.EBUSY, syscall.EINTR, syscall.EAGAIN, syscall.ENOMEM:
			syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(pause)), 0, 0)
		default:
			return false
		}
	}
	return false
}

//go:norace
//go:nosplit
func try(s *rawStep) syscall.Errno {
	at := unix.AT_FDCWD
	if s.remove {
		_, _, errno := syscall.RawSyscall(syscall.SYS_UNLINKAT, uintptr(at), uintptr(unsafe.Pointer(s.path)), unix.AT_REMOVEDIR)
		return errno
	}
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(s.path)), uintptr(s.flags), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	// Lists take a word with each write.
	for done := 0; done < s.length; {
		n, _, e := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Add(unsafe.Pointer(s.text), done)), uintptr(s.length-done))
		if e != 0 {
			errno = e
			break
		}
		if n == 0 {
			break
		}
		done += int(n)
	}
	_, _, closed := syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	if errno == 0 {
		errno = closed
	}
	return errno
}
