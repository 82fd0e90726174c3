package prompt

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkEcho measures how long it takes from a key that is pressed until it is shown, while an entry
// prints 50,000 lines a second: the median and the 99th percentile in ms, and the lines that really came.
//
//	go test ./tests/prompt -bench Echo -benchtime 500x
func BenchmarkEcho(b *testing.B) {
	out := make(chan []byte, 1<<16)
	s := runIn(b, b.TempDir(), unix.Winsize{Row: rows, Col: columns}, nil)
	s.wait("fst> ")
	s.mu.Lock()
	s.instead = out
	s.mu.Unlock()
	s.key(fmt.Sprintf("syscall:getppid /pid == %d/ { printf(\"%%d a line that is as long as lines are\\n\", nsecs); }\r", os.Getpid()))
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		const each, calls = 2 * time.Millisecond, 100
		for next := time.Now(); ; next = next.Add(each) {
			for range calls {
				syscall.Getppid()
			}
			select {
			case <-stop:
				return
			case <-time.After(time.Until(next)):
			}
		}
	}()
	await(b, out, "lines are\r\n")
	lines, began := 0, time.Now()
	var times []time.Duration
	typed := ""
	for b.Loop() {
		if len(typed) == 30 {
			s.key("\x15") // gives the line up
			typed = ""
			n, _ := await(b, out, "> \x1b")
			lines += n
		}
		typed += string(rune('a' + len(typed)%26))
		pressed := time.Now()
		s.key(typed[len(typed)-1:])
		n, _ := await(b, out, "> "+typed)
		lines += n
		times = append(times, time.Since(pressed))
		time.Sleep(20 * time.Millisecond)
	}
	slices.Sort(times)
	ms := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))]) / float64(time.Millisecond)
	}
	b.ReportMetric(ms(.5), "ms-p50")
	b.ReportMetric(ms(.99), "ms-p99")
	b.ReportMetric(float64(lines)/time.Since(began).Seconds(), "lines/s")
}

// await reads until one of some texts has come, and returns how many lines came before, and what came last.
func await(b *testing.B, out <-chan []byte, texts ...string) (lines int, seen []byte) {
	b.Helper()
	for late := time.After(10 * time.Second); ; {
		select {
		case piece := <-out:
			lines += bytes.Count(piece, []byte("\n"))
			seen = append(seen[max(0, len(seen)-len(texts[0])):], piece...)
			if slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(seen, []byte(text)) }) {
				return lines, seen
			}
		case <-late:
			b.Fatalf("%q was not shown; last came %q", texts, seen)
		}
	}
}
