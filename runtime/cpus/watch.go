package cpus

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Watcher tells of processors that come online.
type Watcher struct{ f *os.File }

// Watch begins to listen to the kernel's notices about its devices.
func Watch() (*Watcher, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return nil, err
	}
	const kernel = 1 // the group that the kernel itself speaks to
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: kernel}); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &Watcher{os.NewFile(uintptr(fd), "uevents")}, nil
}

// Next waits for a processor that comes online and returns its number. It ends with
// an error when the watcher is closed.
func (w *Watcher) Next() (cpu int, err error) {
	buf := make([]byte, 8192)
	for {
		n, err := w.f.Read(buf)
		if errors.Is(err, unix.ENOBUFS) {
			continue // of very many notices some were dropped
		}
		if err != nil {
			return 0, err
		}
		if cpu, ok := cameOnline(buf[:n]); ok {
			return cpu, nil
		}
	}
}

// Close ends Next.
func (w *Watcher) Close() { w.f.Close() }

// cameOnline is the processor that a notice is about, if one came online.
func cameOnline(notice []byte) (cpu int, ok bool) {
	what, _, _ := bytes.Cut(notice, []byte{0})
	number, ok := bytes.CutPrefix(what, []byte("online@/devices/system/cpu/cpu"))
	if !ok {
		return 0, false
	}
	cpu, err := strconv.Atoi(string(number))
	return cpu, err == nil
}
