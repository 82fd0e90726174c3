package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/lang/printable"
	"fst/runtime/event"
)

// Trials shows the tests or benchmarks of a script in the form of bpftrace. It
// stands between the session and its output: what a test prints is shown if
// the test fails, and is part of its record in JSON.
type Trials struct {
	event.Sink            // where output goes now
	main       event.Sink // outside of tests
	inside     *Text      // of a test, into said
	said       bytes.Buffer
	out        io.Writer
	json       bool
	count      int
	failed     []string
	width      int // of the column of names
}

// NewTrials returns the trials of a script, which go to out; main is the sink of what is
// said outside of them, and errs gets what is said about the script.
func NewTrials(main event.Sink, out, errs io.Writer, json bool, obj *object.Object, o Options) *Trials {
	t := &Trials{Sink: main, main: main, out: out, json: json}
	t.inside = NewText(&t.said, errs, obj, o)
	return t
}

// Begin implements session.Trials.
func (t *Trials) Begin(bench bool, names []string) {
	const usual, others = 41, 25 // columns: of the names, and of what stands behind them
	t.count, t.failed, t.width = len(names), nil, usual
	for _, n := range names {
		t.width = max(t.width, len(n)+1)
	}
	switch {
	case t.json:
	case bench:
		fmt.Fprintf(t.out, "%-*s%-15s%s\n%s\n", t.width, "Benchmark", "Time(ns)", "Iterations", strings.Repeat("-", t.width+others))
	default:
		t.line(green, "==========", "Running %d tests.", t.count)
	}
}

// Start implements session.Trials.
func (t *Trials) Start(string) {
	t.said.Reset()
	t.Sink = t.inside
}

// stop ends a trial and returns what it has said.
func (t *Trials) stop() string {
	t.inside.Flush()
	t.Sink = t.main
	return t.said.String()
}

// Test implements session.Trials.
func (t *Trials) Test(name string, passed bool, took time.Duration) {
	said := t.stop()
	if t.json {
		t.record("test_result", name, `"duration": %d, "passed": %t, "output": %s`, took.Nanoseconds(), passed, quoted(said))
		return
	}
	t.line(green, " RUN      ", "%s", name)
	if passed {
		t.line(green, "       OK ", "%s (%d μs)", name, took.Microseconds())
		return
	}
	t.failed = append(t.failed, name)
	io.WriteString(t.out, said)
	t.line(red, "  FAILED  ", "%s (%d μs)", name, took.Microseconds())
}

// Bench implements session.Trials.
func (t *Trials) Bench(name string, average float64, runs uint64) {
	t.stop()
	ns := uint64(average + 0.5)
	if t.json {
		t.record("benchmark_result", name, `"average": %d, "iters": %d`, ns, runs)
		return
	}
	fmt.Fprintf(t.out, "%-*s%-15d%d\n", t.width, name, ns, runs)
}

// End implements session.Trials.
func (t *Trials) End(bench bool) {
	if t.json || bench {
		return
	}
	tests := func(n int) string {
		if n == 1 {
			return "1 test"
		}
		return fmt.Sprintf("%d tests", n)
	}
	t.line(green, "==========", "%s ran.", tests(t.count))
	t.line(green, "  PASSED  ", "%s.", tests(t.count-len(t.failed)))
	if len(t.failed) > 0 {
		t.line(red, "  FAILED  ", "%s, listed below:", tests(len(t.failed)))
		for _, name := range t.failed {
			t.line(red, "  FAILED  ", "%s", name)
		}
	}
}

const (
	green = "\x1b[32m"
	red   = "\x1b[31m"
	plain = "\x1b[0m"
)

func (t *Trials) line(color, label, format string, args ...any) {
	fmt.Fprintf(t.out, "%s[%s]%s %s\n", color, label, plain, fmt.Sprintf(format, args...))
}

// record writes {"type": kind, "data": {name: {...}}}.
func (t *Trials) record(kind, name, format string, args ...any) {
	fmt.Fprintf(t.out, "{\"type\": %q, \"data\": {%s: {%s}}}\n", kind, quoted(name), fmt.Sprintf(format, args...))
}

// quoted is a text as JSON writes it.
func quoted(text string) string { return string(printable.AppendJSON(nil, text)) }
