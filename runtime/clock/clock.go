// Package clock turns times of the kernel into those of the wall.
package clock

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Clock tells how the system's clocks stand to each other. Events carry the time of the
// boot clock: it never jumps and runs at the wall clock's rate, since NTP slews both
// alike. Their distance is thus a constant until somebody sets the wall clock. It is
// measured when the Clock is made and, if Follow runs, again each time the clock is set.
// Events from before keep the old distance: a time of the kernel has one time of the
// wall, whenever it is asked for. Its methods may be called by several goroutines.
type Clock struct {
	steps atomic.Pointer[[]step] // from old to new, at least one
}

// step is the distance from a time of the boot clock on, both in nanoseconds.
type step struct{ since, ahead int64 }

// mostSteps bounds how much is remembered where something sets the clock all the time.
const mostSteps = 64

// New returns a Clock as the clocks stand now.
func New() *Clock {
	_, ahead, _ := measure()
	return At(time.Unix(0, ahead))
}

// At returns a Clock of a system that started at a time.
func At(start time.Time) *Clock {
	c := &Clock{}
	c.steps.Store(&[]step{{0, start.UnixNano()}})
	return c
}

// Wall is the wall clock's time at a time of the boot clock, in nanoseconds.
func (c *Clock) Wall(boot int64) time.Time {
	steps := *c.steps.Load()
	i := len(steps) - 1
	for i > 0 && boot < steps[i].since {
		i--
	}
	return time.Unix(0, steps[i].ahead+boot)
}

// measure reads how far the wall clock is ahead of the boot clock, now by the latter, and
// to how many nanoseconds that is known: it takes the quickest of some readings between
// two of the boot clock.
func measure() (now, ahead, within int64) {
	for i := range 5 {
		before := Read(unix.CLOCK_BOOTTIME)
		wall := Read(unix.CLOCK_REALTIME)
		after := Read(unix.CLOCK_BOOTTIME)
		if d := after - before; i == 0 || d < within {
			now, ahead, within = after, wall-before-d/2, d
		}
	}
	return now, ahead, within
}

// update measures again. What may be no more than the error of the measurement is no change.
func (c *Clock) update() {
	now, ahead, within := measure()
	c.add(step{now, ahead}, within)
}

func (c *Clock) add(s step, within int64) {
	steps := *c.steps.Load()
	if d := s.ahead - steps[len(steps)-1].ahead; max(d, -d) <= max(within, int64(time.Microsecond)) {
		return
	}
	steps = append(steps[max(0, len(steps)-mostSteps+1):len(steps):len(steps)], s)
	c.steps.Store(&steps)
}

// Follow follows the wall clock until stop is called: the kernel cancels a timer that asks for it
// when the clock is set.
func (c *Clock) Follow() (stop func()) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return func() {}
	}
	f := os.NewFile(uintptr(fd), "timer")
	const never = 1 << 32 // seconds: in the year 2106
	wait := func() error {
		return unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET,
			&unix.ItimerSpec{Value: unix.Timespec{Sec: never}}, nil)
	}
	if wait() != nil {
		f.Close()
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := make([]byte, 8); ; {
			if _, err := f.Read(b); !errors.Is(err, unix.ECANCELED) || wait() != nil {
				return
			}
			c.update()
		}
	}()
	return func() {
		f.Close()
		<-done
	}
}

// TAIOffset is how far the TAI clock is ahead of the wall clock: the leap
// seconds, or 0 if nothing told the kernel of them.
func (*Clock) TAIOffset() time.Duration {
	return time.Duration(Read(unix.CLOCK_TAI) - Read(unix.CLOCK_REALTIME)).Round(time.Second)
}

// Read reads a clock in nanoseconds, 0 if the kernel has not got it.
func Read(id int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0
	}
	return t.Nano()
}
