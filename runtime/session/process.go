package session

import (
	"errors"
	"fmt"
	"fst/runtime/child"

	"golang.org/x/sys/unix"
)

// process is that of -p or -c, with whose end a session ends, and whom a session follows.
type process struct {
	fd    int          // of the process of -p, or -1
	child *child.Child // of -c, or nil
	// followed is object.FollowMapName's value, or nil.
	followed []byte
}

// ended reports whether there is such a process and it has ended.
func (p *process) ended() bool {
	if p.fd < 0 {
		return p.child.Ended()
	}
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, 0)
	return n > 0
}

// close ends the child.
func (p *process) close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
	}
	if p.child != nil {
		p.child.Stop()
	}
}

// OpenProcess returns a descriptor of a process, which can be read from when that has
// ended. The error wraps ESRCH if there is none.
func OpenProcess(pid int) (fd int, err error) {
	fd, err = unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		err = noProcess(pid)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // newer kernels say the second
		err = fmt.Errorf("%d is a thread, not a process", pid)
	case err != nil:
		err = fmt.Errorf("process %d can't be watched: %w", pid, err)
	default:
		// It is readable once all threads have ended, though the parent has not asked for it yet.
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); n > 0 {
			unix.Close(fd)
			return -1, fmt.Errorf("process %d has ended: it is a zombie", pid)
		}
	}
	return fd, err
}

// noProcess is the error for a process that is not there.
type noProcess int

func (pid noProcess) Error() string { return fmt.Sprintf("there is no process %d", int(pid)) }

// Unwrap implements the interface of package errors.
func (noProcess) Unwrap() error { return unix.ESRCH }
