package types

import (
	"strconv"
	"strings"
	"syscall"
)

// ErrnoText is the C library's text of an error number, which may have the
// sign that the kernel gives it.
func ErrnoText(n int64) string {
	switch {
	case n == 0:
		return "Success"
	case n < 0:
		n = -n
	}
	if n == 133 {
		return "Memory page has hardware error" // newer than Go's table
	}
	if name := KernelErrors[n]; name != "" {
		return name + " (within the kernel)"
	}
	if n > 0 && n < 4096 {
		// Go's table is the C library's with a small first letter; texts
		// that it has not start with "errno".
		if s := syscall.Errno(n).Error(); !strings.HasPrefix(s, "errno ") {
			return capital(s)
		}
	}
	return "Unknown error"
}

// KernelErrors are the errors that the kernel knows besides those of programs
// (include/linux/errno.h): a system call that a signal has interrupted ends with
// one before it begins anew or fails with EINTR.
var KernelErrors = map[int64]string{
	512: "ERESTARTSYS", 513: "ERESTARTNOINTR", 514: "ERESTARTNOHAND", 515: "ENOIOCTLCMD", 516: "ERESTART_RESTARTBLOCK",
	517: "EPROBE_DEFER", 518: "EOPENSTALE", 519: "ENOPARAM", 521: "EBADHANDLE", 522: "ENOTSYNC", 523: "EBADCOOKIE",
	524: "ENOTSUPP", 525: "ETOOSMALL", 526: "ESERVERFAULT", 527: "EBADTYPE", 528: "EJUKEBOX", 529: "EIOCBQUEUED",
	530: "ERECALLCONFLICT", 531: "ENOGRACE",
}

// SignalText is the C library's description of a signal.
func SignalText(n int64) string {
	switch {
	case n == 16:
		return "Stack fault"
	case n >= 34 && n <= 64:
		return "Real-time signal " + strconv.FormatInt(n-34, 10)
	case n > 0 && n < 32:
		if s := syscall.Signal(n).String(); !strings.HasPrefix(s, "signal ") {
			return capital(s)
		}
	}
	if n < 0 || n > 64 {
		return "N/A"
	}
	return "Unknown signal " + strconv.FormatInt(n, 10)
}

func capital(s string) string {
	return strings.ToUpper(s[:1]) + s[1:]
}

// UnknownSyscall is shown for a number that is no system call's, and NoSyscall
// for -1, which stands for none.
const (
	UnknownSyscall = "Unknown syscall"
	NoSyscall      = "-"
)

// IsText reports whether values of kind k are numbers whose names are texts to a
// script: it may compare them with other texts, or keep both in one variable.
func (k Kind) IsText() bool { return k == Syscall || k == Errno || k == SignalName }

// TextOf is the type of the text that a value of such a kind is.
func TextOf(k Kind) *Type {
	if k == Errno {
		return StringType(64)
	}
	return StringType(32)
}

// IsContainer reports whether values of kind k are the NameNumber of a container's or pod's name.
func (k Kind) IsContainer() bool { return k == Container || k == Pod }

// namedBit tells a NameNumber from the id of a cgroup.
const namedBit = 1 << 63

// NameNumber is the number by which programs know the name of a container or pod: a hash of it (FNV-1a) that is no id
// of a cgroup. That of "" is 0.
func NameNumber(name string) uint64 {
	if name == "" {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h | namedBit
}

// IsNameNumber reports whether n is the NameNumber of some name, and no id of a cgroup.
func IsNameNumber(n uint64) bool { return n == 0 || n&namedBit != 0 }
