package symbol

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Clock tells how the system's clocks stand to each other. The zero value is ready to
// be used.
type Clock struct {
	once sync.Once
	boot time.Time
}

// BootTime is the wall clock's time when the boot clock was 0, as the clocks
// stood at the first call: an event's time has one text, whenever it is shown.
func (c *Clock) BootTime() time.Time {
	c.once.Do(func() { c.boot = time.Unix(0, clock(unix.CLOCK_REALTIME)-clock(unix.CLOCK_BOOTTIME)) })
	return c.boot
}

// TAIOffset is how far the TAI clock is ahead of the wall clock: the leap
// seconds, or 0 if nothing told the kernel of them.
func (*Clock) TAIOffset() time.Duration {
	return time.Duration(clock(unix.CLOCK_TAI) - clock(unix.CLOCK_REALTIME)).Round(time.Second)
}

// clock reads a clock in nanoseconds, 0 if the kernel has not got it.
func clock(id int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0
	}
	return t.Nano()
}
