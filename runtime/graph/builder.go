package graph

import (
	"slices"
	"time"

	"fst/runtime/ftrace"
)

// mostCalls is how large a tree gets. Calls beyond are left out, and it is said.
const mostCalls = 1 << 20

// Builder makes trees of events. Records may be lost anywhere: what is there is
// put together as far as it is certain, and marked.
type Builder struct {
	// Emit is called with each tree when its outermost call has returned.
	Emit func(*Call)
	// Roots reports whether a function may be the outermost one of a tree.
	Roots func(addr uint64) bool

	tasks map[task]*stack
	comms map[int]string
	last  uint64

	// Lost is how many records the kernel said it dropped; LostUnknown how
	// often it did not say how many.
	Lost, LostUnknown uint64
	// Headless is how many returns had no call that they belong to.
	Headless uint64
}

// task is a thread; the idle threads of all CPUs have the same number.
type task struct{ tid, cpu int }

// stack is where a thread is.
type stack struct {
	calls []*Call // the outermost first
	size  int
	// off is when the thread was taken from its CPU, 0 if it runs; state is
	// its state then.
	off   uint64
	state uint64
	cpu   int
}

func key(tid, cpu int) task {
	if tid == 0 {
		return task{0, cpu}
	}
	return task{tid: tid}
}

// Comm is the last name of a thread that the events told, or "".
func (b *Builder) Comm(tid int) string { return b.comms[tid] }

// Add takes the next event.
func (b *Builder) Add(e ftrace.Event) {
	if b.tasks == nil {
		b.tasks, b.comms = map[task]*stack{}, map[int]string{}
	}
	b.last = max(b.last, e.Time)
	switch e.Kind {
	case ftrace.Enter:
		b.enter(e)
	case ftrace.Return:
		b.leave(e)
	case ftrace.Switch:
		b.comms[e.TID], b.comms[e.Switch.NextTID] = e.Switch.Comm, e.Switch.NextComm
		b.switched(e)
	case ftrace.Lost:
		b.Lost += e.Missing
		if e.Missing == 0 {
			b.LostUnknown++
		}
		// A thread may have come to this CPU and left it unseen.
		for _, s := range b.tasks {
			for _, c := range s.calls {
				c.Incomplete = true
			}
		}
	}
}

func (b *Builder) enter(e ftrace.Event) {
	k := key(e.TID, e.CPU)
	s := b.tasks[k]
	if s != nil && e.Depth <= s.calls[0].rec.depth {
		// The return of the outermost call was lost.
		root := s.calls[0]
		s.cut(root.rec.depth)
		b.emit(k, root)
		s = nil
	}
	if s == nil {
		if b.Roots != nil && !b.Roots(e.Func) {
			return // the call that it belongs to began before the recording
		}
		s = &stack{}
		b.tasks[k] = s
	}
	s.cut(e.Depth)
	s.push(&Call{Thread: Thread{TID: e.TID}, CPU: e.CPU, Time: e.Time,
		rec: recorded{addr: e.Func, words: e.Args, depth: e.Depth, entered: e.Context}})
}

// push begins a call.
func (s *stack) push(c *Call) {
	s.add(c)
	s.calls = append(s.calls, c)
}

// add puts a call below the one that made it.
func (s *stack) add(c *Call) {
	if len(s.calls) == 0 {
		return
	}
	if s.size++; s.size > mostCalls {
		s.calls[0].Hidden++
		return
	}
	parent := s.calls[len(s.calls)-1]
	parent.Calls = append(parent.Calls, c)
}

// cut ends the calls that are at least so deep: their returns were lost.
func (s *stack) cut(depth int) {
	for n := len(s.calls); n > 0 && s.calls[n-1].rec.depth >= depth; n-- {
		s.calls[n-1].rec.endIsLost, s.calls[n-1].Incomplete = true, true
		s.calls = s.calls[:n-1]
	}
}

func (b *Builder) leave(e ftrace.Event) {
	k := key(e.TID, e.CPU)
	s := b.tasks[k]
	if s == nil {
		b.Headless++
		return
	}
	root := s.calls[0]
	if e.Depth < root.rec.depth {
		// The return of the outermost call was lost with what came behind it.
		b.Headless++
		s.cut(root.rec.depth)
		b.emit(k, root)
		return
	}
	s.cut(e.Depth + 1)
	c := s.calls[len(s.calls)-1]
	if c.rec.depth != e.Depth || c.rec.addr != e.Func {
		// Its begin was lost, but its return tells when that was.
		s.cut(e.Depth)
		c = &Call{Thread: Thread{TID: e.TID}, CPU: e.CPU, Time: e.Time - min(e.Time, e.End-e.Begin), Incomplete: true,
			rec: recorded{addr: e.Func, depth: e.Depth, entered: e.Context}}
		if len(s.calls) == 0 {
			b.emit(k, root)
			return
		}
		s.push(c)
	}
	c.rec.begin, c.rec.end, c.rec.left = e.Begin, e.End, e.Context
	c.Took, c.Returned = time.Duration(e.End-e.Begin), true
	c.rec.word, c.rec.hasWord = e.Result, e.HasResult
	s.calls = s.calls[:len(s.calls)-1]
	if c == root {
		b.emit(k, root)
	}
}

// switched notes that a thread stops or goes on. A thread that stops still
// returns from some functions after the event, so what goes on is told by the
// event alone.
func (b *Builder) switched(e ftrace.Event) {
	if s := b.tasks[key(e.TID, e.CPU)]; s != nil {
		s.off, s.state, s.cpu = e.Time, e.Switch.State, e.CPU
	}
	if s := b.tasks[key(e.Switch.NextTID, e.CPU)]; s != nil {
		s.goesOn(e.Switch.NextTID, e.CPU, e.Time)
	}
}

// goesOn notes that the thread has a CPU again.
func (s *stack) goesOn(tid, cpu int, now uint64) {
	if s.off == 0 {
		return // the event before was lost, or the thread has just begun
	}
	s.add(&Call{Kind: OffCPU, Name: stateName(s.state), Thread: Thread{TID: tid}, CPU: s.cpu, Time: s.off,
		Took: time.Duration(now - s.off), Returned: true, rec: recorded{toCPU: cpu, entered: s.calls[len(s.calls)-1].rec.entered}})
	s.off = 0
}

// stateName is the letter of a thread's state when it was switched out.
func stateName(state uint64) string {
	for i, letter := range []string{"S", "D", "T", "t", "X", "Z", "P", "I"} {
		if state&(1<<i) != 0 {
			return letter
		}
	}
	return "R"
}

func (b *Builder) emit(k task, root *Call) {
	delete(b.tasks, k)
	b.Emit(root)
}

// Finish emits the trees of calls that have not returned.
func (b *Builder) Finish() {
	var open []task
	for k := range b.tasks {
		open = append(open, k)
	}
	slices.SortFunc(open, func(x, y task) int {
		a, b := b.tasks[x].calls[0].Time, b.tasks[y].calls[0].Time
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return x.tid - y.tid
	})
	for _, k := range open {
		s := b.tasks[k]
		if s.off != 0 {
			s.goesOn(k.tid, s.cpu, b.last)
		}
		for _, c := range s.calls {
			c.Took = time.Duration(b.last - min(b.last, c.Time))
		}
		b.emit(k, s.calls[0])
	}
}
