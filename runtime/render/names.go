package render

import (
	"strconv"
	"strings"
	"syscall"
)

// errnoText is the C library's text of an error number, which may have the
// sign that the kernel gives it.
func errnoText(n int64) string {
	switch {
	case n == 0:
		return "Success"
	case n < 0:
		n = -n
	}
	if n == 133 {
		return "Memory page has hardware error" // newer than Go's table
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

// signalText is the C library's description of a signal.
func signalText(n int64) string {
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
