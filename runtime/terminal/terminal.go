// Package terminal lends a program the terminal that it runs on, and gives it back as it was
// however the program ends.
package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"fst/runtime/fork"
)

// Terminal is a terminal that shows one screen of a program: keys come without Enter and are not
// echoed, but those that send signals do so. What this process and its children write to the terminal
// by their standard streams meanwhile is kept off the screen. A second process, which waits for the end of
// this one, restores the terminal: every end is the same, also those by SIGKILL or a panic.
type Terminal struct {
	in, out *os.File // the terminal; in is nil if the standard input is another file
	stray   *os.File // what the standard streams get instead
	kept    []keptStream
	guard   int           // its id
	pipe    int           // is open as long as this process wants the terminal; a byte tells that it has shown something
	drained chan struct{} // closed when stray has everything
	enter   sync.Once
	restore sync.Once
}

// keptStream is a standard stream that is something else meanwhile.
type keptStream struct{ fd, saved int }

const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?7l" // the other screen, no cursor, no wrapping
	leave = "\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// Take takes over the terminal that is the standard output. stray gets what is written to it otherwise.
func Take(stray func([]byte)) (t *Terminal, err error) {
	if inBackground() {
		return nil, errors.New("a live view needs the terminal, and fst runs in the background")
	}
	t = &Terminal{}
	mode, err := unix.IoctlGetTermios(1, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("the standard output is no terminal: %w", err)
	}
	out, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	t.out = os.NewFile(uintptr(out), "terminal")
	crash, err := unix.MemfdCreate("crash", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err := t.startGuard(out, crash, mode); err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(crash), "crash")
	debug.SetCrashOutput(f, debug.CrashOptions{}) // of a panic, which the guard shows
	f.Close()
	defer func() {
		if err != nil {
			t.Restore()
		}
	}()
	if err := t.divert(stray); err != nil {
		return nil, err
	}
	keys := *mode
	keys.Lflag &^= unix.ICANON | unix.ECHO
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME], keys.Cc[unix.VSUSP] = 1, 0, 0 // a stopped view would leave a strange terminal
	if err := unix.IoctlSetTermios(out, unix.TCSETS, &keys); err != nil {
		return nil, err
	}
	return t, nil
}

// inBackground reports whether a change of the terminal would stop this process.
func inBackground() bool {
	group, err := unix.IoctlGetInt(1, unix.TIOCGPGRP)
	return err == nil && group != unix.Getpgrp()
}

// divert has the standard streams that are the terminal be something else.
func (t *Terminal) divert(stray func([]byte)) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	t.stray, t.drained = read, make(chan struct{})
	unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, 1<<20) // a panic must not wait for a reader that is gone
	unix.SetNonblock(int(write.Fd()), false)
	for fd, to := range []*os.File{null, write, write} {
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
			continue
		}
		saved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return err
		}
		t.kept = append(t.kept, keptStream{fd, saved})
		if fd == 0 {
			t.in = os.NewFile(uintptr(saved), "keys")
		}
		if err := unix.Dup3(int(to.Fd()), fd, 0); err != nil {
			return err
		}
	}
	go func() {
		defer close(t.drained)
		b := make([]byte, 32<<10)
		for {
			n, err := read.Read(b)
			if err != nil {
				return
			}
			stray(b[:n])
		}
	}()
	return nil
}

// Write implements io.Writer: it writes to the screen, which it opens first.
func (t *Terminal) Write(b []byte) (int, error) {
	t.enter.Do(func() {
		unix.Write(t.pipe, []byte{1})
		t.out.WriteString(enter)
	})
	return t.out.Write(b)
}

// Keys are what is typed; nil if the standard input is no terminal.
func (t *Terminal) Keys() io.Reader {
	if t.in == nil {
		return nil
	}
	return t.in
}

// Size is how large the terminal is.
func (t *Terminal) Size() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 80, 24
	}
	return int(size.Col), int(size.Row)
}

// Restore gives the terminal back. It may be called more than once.
func (t *Terminal) Restore() {
	t.restore.Do(func() {
		for _, k := range t.kept {
			unix.Dup3(k.saved, k.fd, 0)
		}
		debug.SetCrashOutput(nil, debug.CrashOptions{})
		if t.stray != nil { // a child may have it open, too
			t.stray.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			<-t.drained
			t.stray.Close()
		}
		unix.Close(t.pipe)
		for {
			if _, err := unix.Wait4(t.guard, nil, 0, nil); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
}

// guardArgs is all that the guard's side of fork uses.
type guardArgs struct {
	terminal, crash, pipe int
	mode                  *unix.Termios
	name, leave           *byte
	room                  [4096]byte
}

// startGuard starts the process that restores the terminal.
func (t *Terminal) startGuard(terminal, crash int, mode *unix.Termios) error {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	a := &guardArgs{terminal: terminal, crash: crash, pipe: pipe[0], mode: mode}
	a.name, _ = unix.BytePtrFromString("fst-terminal")
	a.leave, _ = unix.BytePtrFromString(leave)
	pid, errno := fork.Quietly(func(*fork.Mask) (int, syscall.Errno) { return forkGuard(a, pipe[1]) })
	runtime.KeepAlive(a)
	unix.Close(pipe[0])
	if errno != 0 {
		unix.Close(pipe[1])
		return fmt.Errorf("cannot start the process that restores the terminal: %w", errno)
	}
	t.guard, t.pipe = pid, pipe[1]
	return nil
}

// forkGuard returns in the parent only.
//
//go:norace
//go:nosplit
//go:noinline
func forkGuard(a *guardArgs, others int) (int, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		return int(pid), errno
	}
	// No signal of the terminal is meant for it, and without one of its own it may change this one.
	syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	syscall.RawSyscall(syscall.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(a.name)), 0)
	for fd := 0; fd < 3; fd++ { // whoever waits for fst's output to end must not wait for it
		syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(fd), 0, 0)
	}
	syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(others), 0, 0)
	entered := false
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(a.pipe), uintptr(unsafe.Pointer(&a.room[0])), 1)
		if errno == 0 && n == 1 {
			entered = true
		} else if errno != syscall.EINTR {
			break
		}
	}
	syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(a.terminal), unix.TCSETS, uintptr(unsafe.Pointer(a.mode)))
	if entered {
		syscall.RawSyscall(syscall.SYS_WRITE, uintptr(a.terminal), uintptr(unsafe.Pointer(a.leave)), uintptr(len(leave)))
	}
	syscall.RawSyscall(syscall.SYS_LSEEK, uintptr(a.crash), 0, 0)
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(a.crash), uintptr(unsafe.Pointer(&a.room[0])), uintptr(len(a.room)))
		if errno != 0 || n == 0 {
			break
		}
		syscall.RawSyscall(syscall.SYS_WRITE, uintptr(a.terminal), uintptr(unsafe.Pointer(&a.room[0])), n)
	}
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}
