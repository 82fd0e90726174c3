package cli

import "syscall"

// tellSystemd sends a state ("READY=1") to the service manager that started
// fst, if one did and asked for it. A unit of Type=notify is up when the
// probes are attached.
func (a *app) tellSystemd(state string) {
	path := a.env["NOTIFY_SOCKET"]
	if path == "" {
		return
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(fd)
	// An error means that nobody listens any more.
	syscall.Sendto(fd, []byte(state), syscall.MSG_NOSIGNAL, &syscall.SockaddrUnix{Name: path})
}
