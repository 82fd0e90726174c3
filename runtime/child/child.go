// Package child makes the process of a command that is to be traced from its first
// instruction on: it exists, so that its id is known, and waits before its exec.
package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"fst/runtime/fork"
)

// Child is a process that waits before its exec until Release. Its exec is thus an
// event that a script sees. It has the standard streams of this process, unless it is made apart, and gets
// SIGTERM when this process ends without Stop, in whatever way. Its methods may be
// called by several goroutines.
type Child struct {
	PID  int
	Path string // of the program that it becomes
	gate int    // write a byte: go; close: never mind
	errs int    // a byte: it waits at the gate; then what exec says

	once  sync.Once
	freed bool
	// reaping is held while the process is waited for and while it is sent a
	// signal: its id is nobody else's until then.
	reaping sync.Mutex
	done    chan struct{} // closed when the process has ended
	status  syscall.WaitStatus
}

// Start makes a process that waits for Release to become argv. The command
// is looked up in PATH.
func Start(argv []string) (*Child, error) { return start(argv, nil) }

// start makes a process; out, which may be nil, is what NewApart takes.
func start(argv []string, out *os.File) (*Child, error) {
	if len(argv) == 0 {
		return nil, errors.New("no command")
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		why := error(err)
		if lookup := (*exec.Error)(nil); errors.As(err, &lookup) {
			why = lookup.Err
		}
		if file := (*fs.PathError)(nil); errors.As(why, &file) {
			why = file.Err
		}
		switch {
		case argv[0] == "":
			return nil, errors.New(`the command to run has no name: its first word is ""`)
		case errors.Is(err, exec.ErrNotFound):
			why = errors.New("there is no such program in $PATH")
		}
		return nil, fmt.Errorf("cannot run %s: %w", argv[0], why)
	}
	argv0, err := syscall.BytePtrFromString(path)
	if err != nil {
		return nil, err
	}
	args, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return nil, err
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return nil, err
	}
	var gate, errs [2]int
	if err := unix.Pipe2(gate[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	if err := unix.Pipe2(errs[:], unix.O_CLOEXEC); err != nil {
		unix.Close(gate[0])
		unix.Close(gate[1])
		return nil, err
	}
	a := &forkArgs{argv0, &args[0], &env[0], gate[0], gate[1], errs[1], -1, -1}
	if out != nil {
		nothing, err := os.Open(os.DevNull)
		if err != nil {
			return nil, errors.Join(err, unix.Close(gate[0]), unix.Close(gate[1]), unix.Close(errs[0]), unix.Close(errs[1]))
		}
		defer nothing.Close()
		a.in, a.out = int(nothing.Fd()), int(out.Fd())
	}
	pid, errno := 0, syscall.Errno(0)
	// For the kernel the parent is a thread. Those that run goroutines which are
	// not bound to them live as long as the process.
	var forked sync.WaitGroup
	forked.Go(func() {
		pid, errno = fork.Quietly(func(mask *fork.Mask) (int, syscall.Errno) { return forkChild(a, mask) })
	})
	forked.Wait()
	unix.Close(gate[0])
	unix.Close(errs[1])
	if errno != 0 {
		unix.Close(gate[1])
		unix.Close(errs[0])
		return nil, fmt.Errorf("cannot start the command: %w", errno)
	}
	var ready [1]byte
	for {
		if _, err := unix.Read(errs[0], ready[:]); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c := &Child{PID: pid, Path: path, gate: gate[1], errs: errs[0], done: make(chan struct{})}
	go c.reap()
	return c, nil
}

// reap waits for the end of the process.
func (c *Child) reap() {
	for errors.Is(unix.Waitid(unix.P_PID, c.PID, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	c.reaping.Lock()
	defer c.reaping.Unlock()
	for {
		if _, err := syscall.Wait4(c.PID, &c.status, 0, nil); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	close(c.done)
}

// terminate sends SIGTERM to the process if it has not ended.
func (c *Child) terminate() {
	c.reaping.Lock()
	defer c.reaping.Unlock()
	if !c.Ended() {
		syscall.Kill(c.PID, syscall.SIGTERM)
	}
}

// Release lets the child run its command, once. The error is that of its exec.
func (c *Child) Release() (err error) {
	err = errReleased
	c.once.Do(func() {
		c.freed = true
		defer unix.Close(c.errs)
		_, err = unix.Write(c.gate, []byte{1})
		unix.Close(c.gate)
		if err != nil {
			return
		}
		// The pipe closes with the exec, or brings its error.
		var code [4]byte
		for {
			n, e := unix.Read(c.errs, code[:])
			if errors.Is(e, unix.EINTR) {
				continue
			}
			if n == len(code) {
				err = fmt.Errorf("cannot run the command: %w", syscall.Errno(*(*uint32)(unsafe.Pointer(&code))))
			}
			return
		}
	})
	return err
}

var errReleased = errors.New("the command was run already, or ended before it was")

// Stop ends the child with SIGTERM if it still lives. One that was never
// released is gone for sure when Stop returns. It may be called twice.
func (c *Child) Stop() {
	c.once.Do(func() {
		unix.Close(c.gate)
		unix.Close(c.errs)
	})
	if c.Ended() {
		return
	}
	if c.freed {
		c.terminate()
		select {
		case <-c.done: // the usual case: no zombie is left behind
		case <-time.After(50 * time.Millisecond):
		}
		return
	}
	<-c.done
}

// Ended reports whether the process has ended. A nil child never does.
func (c *Child) Ended() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Done is closed when the process has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Status says how the process has ended. It is to be called only once it has.
func (c *Child) Status() string {
	if c.status.Signaled() {
		return "ended by the signal " + unix.SignalName(c.status.Signal())
	}
	return fmt.Sprintf("ended with exit code %d", c.status.ExitStatus())
}

// forkArgs is all that the child's side of fork uses.
type forkArgs struct {
	path                *byte
	argv, env           **byte
	gateRead, gateWrite int
	errs                int
	in, out             int // the standard streams if it is made apart, or -1
}

// forkChild returns in the parent only.
//
//go:norace
//go:nosplit
//go:noinline
func forkChild(a *forkArgs, mask *fork.Mask) (int, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return int(pid), errno
	}
	var b byte
	syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(a.gateWrite), 0, 0)
	if a.in >= 0 {
		syscall.RawSyscall(syscall.SYS_SETPGID, 0, 0, 0)
		syscall.RawSyscall(syscall.SYS_DUP3, uintptr(a.in), 0, 0)
		syscall.RawSyscall(syscall.SYS_DUP3, uintptr(a.out), 1, 0)
		syscall.RawSyscall(syscall.SYS_DUP3, uintptr(a.out), 2, 0)
	}
	// A signal must not find a handler of the Go runtime.
	for sig := uintptr(1); sig <= 64; sig++ {
		var act [4]uint64 // handler, flags, restorer, mask
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, 0, uintptr(unsafe.Pointer(&act)), 8, 0, 0)
		if act[0] > 1 {
			act = [4]uint64{}
			syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&act)), 0, 8, 0, 0)
		}
	}
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 2, uintptr(unsafe.Pointer(mask)), 0, 8, 0, 0)
	// If the parent has ended before, the gate is closed.
	syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGTERM), 0)
	// All that is left to do is the exec: scripts see what this process does.
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(a.errs), uintptr(unsafe.Pointer(&b)), 1)
	n, _, _ := syscall.RawSyscall(syscall.SYS_READ, uintptr(a.gateRead), uintptr(unsafe.Pointer(&b)), 1)
	if n == 1 {
		_, _, errno = syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(unsafe.Pointer(a.path)), uintptr(unsafe.Pointer(a.argv)), uintptr(unsafe.Pointer(a.env)))
		code := uint32(errno)
		syscall.RawSyscall(syscall.SYS_WRITE, uintptr(a.errs), uintptr(unsafe.Pointer(&code)), 4)
	}
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 127, 0, 0)
	}
}
