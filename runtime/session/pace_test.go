package session

import (
	"testing"
	"time"
)

// TestPace: how long attaching still takes is told by how fast it goes now, however slow it was before, and not without a measurement.
func TestPace(t *testing.T) {
	start := time.Unix(1, 0)
	p := newPace(start)
	for _, step := range []struct {
		ms   int
		done int
		want string
	}{
		{1900, 1, ""}, // the first one alone takes long
		{2100, 3, "3 of 1000 probes are attached"},
		{2900, 40, ""},
		{3000, 60, ""},
		{4200, 100, "100 of 1000 probes are attached; the others take about 20 s"}, // 60 in 1.3 s
		{5300, 600, ""},
		{8400, 640, "640 of 1000 probes are attached; the others take about 28 s"}, // 40 in 3.1 s
		{9000, 1000, ""},
		{20000, 1000, ""},
	} {
		if got := p.progress(start.Add(time.Duration(step.ms)*time.Millisecond), step.done, 1000); got != step.want {
			t.Errorf("after %d ms: %q, not %q", step.ms, got, step.want)
		}
	}
}
