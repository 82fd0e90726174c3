package graph

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"fst/runtime/trace"
)

// witness sees the followed system calls with paired probes: the tracer does not
// tell their arguments and results, or not in words. The probes run outside of
// the functions that are followed. Those of other functions would run inside,
// and be in their trees and times.
type witness struct {
	own       *trace.Own
	functions map[string]string // the function by its probe

	mu   sync.Mutex
	seen map[witnessed][]sighting
}

// witnessed are the calls of a function by a thread.
type witnessed struct {
	tid      int
	function string
}

// sighting is a call that a probe saw.
type sighting struct {
	begin, end uint64
	args       []Arg
	result     *Arg
}

const (
	// mostWitnessed is for how many system calls probes are worth their time.
	mostWitnessed = 8
	// patience is how long a tree waits for what its probe saw.
	patience = 300 * time.Millisecond
)

// witness attaches the probes. The error is why there are none: the trees are
// there without.
func (g *Graph) witness(ctx context.Context, threads []int) (*witness, error) {
	var calls []string
	for _, f := range g.Functions() {
		if strings.HasPrefix(f, syscallPrefix[runtime.GOARCH]) {
			calls = append(calls, f)
		}
	}
	if len(calls) == 0 || len(calls) > mostWitnessed {
		return nil, fmt.Errorf("probes are for one to %d system calls, here are %d", mostWitnessed, len(calls))
	}
	w := &witness{functions: map[string]string{}, seen: map[witnessed][]sighting{}}
	var err error
	w.own, err = trace.StartOwn(ctx, g.kernel, w.program(calls, threads), w.saw)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// program is the text of the probes.
func (w *witness) program(functions []string, threads []int) string {
	var b strings.Builder
	only := fmt.Sprintf("pid != %d", os.Getpid())
	if threads != nil {
		only = "@followed[tid]"
		b.WriteString("BEGIN {")
		for _, t := range threads {
			fmt.Fprintf(&b, " @followed[%d] = 1;", t)
		}
		b.WriteString(" }\ntracepoint:sched:sched_process_fork /@followed[args.parent_pid]/ { @followed[args.child_pid] = 1; }\n")
	}
	for _, f := range functions {
		probe := "syscall:" + strings.TrimPrefix(f, syscallPrefix[runtime.GOARCH])
		w.functions[probe] = f
		fmt.Fprintf(&b, "%s /%s/\n", probe, only)
	}
	return b.String()
}

// saw keeps what a probe says.
func (w *witness) saw(e trace.Record) {
	function, ok := w.functions[e.Probe]
	if !ok {
		return
	}
	var s sighting
	var key = witnessed{function: function}
	var took uint64
	for _, f := range e.Fields {
		switch f.Name {
		case "nsecs":
			s.end = trace.Number(f.Value)
		case "tid":
			key.tid = int(trace.Number(f.Value))
		case "took":
			took = trace.Number(f.Value)
		case "comm", "pid", "probe":
		case "ret", "retval":
			s.result = &Arg{Name: f.Name, Value: f.Value, Errno: true}
		default:
			s.args = append(s.args, Arg{Name: f.Name, Value: f.Value})
		}
	}
	s.begin = s.end - min(s.end, took)
	w.mu.Lock()
	w.seen[key] = append(w.seen[key], s)
	w.mu.Unlock()
}

// describe tells a call the arguments and the result that were seen. ok is
// false if they may still come.
func (w *witness) describe(c *Call, now uint64) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := witnessed{c.TID, c.Name}
	list, end := w.seen[key], c.Time+uint64(c.Took)
	for i, s := range list {
		// Calls of a thread do not overlap: what does is the same.
		if s.begin < end && c.Time < s.end {
			c.Args, c.Result = s.args, s.result
			w.seen[key] = list[i+1:]
			return true
		}
	}
	return end+uint64(patience) < now
}

// forget drops what no tree will ask for.
func (w *witness) forget(before uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, list := range w.seen {
		for len(list) > 0 && list[0].end < before {
			list = list[1:]
		}
		if w.seen[key] = list; len(list) == 0 {
			delete(w.seen, key)
		}
	}
}

// close detaches the probes; what they saw until then is kept.
func (w *witness) close() { w.own.Stop() }
