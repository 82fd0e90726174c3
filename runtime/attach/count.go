package attach

import (
	"encoding/binary"

	"fst/runtime/cpus"
	"fst/runtime/perf"

	"golang.org/x/sys/unix"
)

// Counter counts how often a tracepoint is reached, on all CPUs, without a
// program.
type Counter struct{ fds []int }

// OpenCounter begins to count.
func OpenCounter(category, event string) (*Counter, error) {
	var t tracefs
	defer t.close()
	id, err := t.id(category, event)
	if err != nil {
		return nil, err
	}
	online, err := cpus.Online()
	if err != nil {
		return nil, err
	}
	attr := perf.Attr(unix.PERF_TYPE_TRACEPOINT, id)
	c := &Counter{}
	for _, cpu := range online {
		fd, err := perf.Open(attr, -1, cpu)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.fds = append(c.fds, fd)
	}
	return c, nil
}

// Read is how often it was reached since OpenCounter.
func (c *Counter) Read() (uint64, error) {
	var sum uint64
	var buf [8]byte
	for _, fd := range c.fds {
		if _, err := unix.Read(fd, buf[:]); err != nil {
			return 0, err
		}
		sum += binary.NativeEndian.Uint64(buf[:])
	}
	return sum, nil
}

// Close ends counting. It may be called twice.
func (c *Counter) Close() {
	for _, fd := range c.fds {
		unix.Close(fd)
	}
	c.fds = nil
}
