package clock

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWall: a time of the boot clock is that of the wall clock now, to what two readings differ.
func TestWall(t *testing.T) {
	c := New()
	before := time.Now()
	at := c.Wall(Read(unix.CLOCK_BOOTTIME))
	after := time.Now()
	if at.Before(before.Add(-time.Microsecond)) || at.After(after.Add(time.Microsecond)) {
		t.Errorf("%v is not between %v and %v", at, before, after)
	}
	if off := c.TAIOffset(); off < 0 || off > time.Hour {
		t.Errorf("TAI is %v ahead", off)
	}
}

// TestSet: times from before the clock was set keep their distance, whenever they are shown.
func TestSet(t *testing.T) {
	c := At(time.Unix(1000, 0))
	c.update() // this system's clock is another
	if at := c.Wall(5); !at.Equal(time.Unix(1000, 5)) {
		t.Errorf("an old time became %v", at)
	}
	if at := c.Wall(Read(unix.CLOCK_BOOTTIME)); time.Since(at) > time.Second || time.Since(at) < -time.Second {
		t.Errorf("now is %v", at)
	}
	steps := len(*c.steps.Load())
	c.update()
	if n := len(*c.steps.Load()); n != steps {
		t.Errorf("%d steps, though nobody has set the clock", n-steps)
	}
	for i := range int64(1000) {
		c.add(step{1e18 + i, i * 1e9}, 0)
	}
	if n := len(*c.steps.Load()); n != mostSteps {
		t.Errorf("%d steps are kept", n)
	}
	if at := c.Wall(1e18 + 998); !at.Equal(time.Unix(0, 998e9+1e18+998)) {
		t.Errorf("the last but one gives %v", at)
	}
}

// TestFollow: following ends when it is told to.
func TestFollow(t *testing.T) {
	stop := New().Follow()
	done := make(chan struct{})
	go func() { stop(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
}
