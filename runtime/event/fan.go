package event

import (
	"errors"
	"sync"
	"time"
)

// queueBytes is how much memory the events may take that wait for one sink of a Fan.
const queueBytes = 32 << 20

// Fan is a sink that hands events to several, each at its own pace: what waits for
// one is kept, up to 32 MB. What a sink can't take then is dropped for that sink alone
// and counted; the others, and whoever makes the events, do not wait. Events that end
// or explain a session are kept all the same.
type Fan struct{ branches []*branch }

// branch is the way to one sink.
type branch struct {
	sink    Sink
	mu      sync.Mutex
	changed *sync.Cond // of the fields below
	waiting []Event
	bytes   int
	queued  uint64 // how many events came for the sink,
	taken   uint64 // how many it has taken of them,
	dropped uint64 // and how many others there was no room for
	err     error  // the sink's first
	flush   bool   // the sink is to be flushed when nothing waits
	closed  bool   // nothing comes any more
	done    chan struct{}
}

// NewFan starts to serve sinks. It must be closed.
func NewFan(sinks ...Sink) *Fan {
	f := &Fan{}
	for _, s := range sinks {
		b := &branch{sink: s, done: make(chan struct{})}
		b.changed = sync.NewCond(&b.mu)
		f.branches = append(f.branches, b)
		go b.serve()
	}
	return f
}

// Event implements Sink. It never waits for a sink.
func (f *Fan) Event(e Event) {
	e = Own(e)
	for _, b := range f.branches {
		b.add(e)
	}
}

// Flush implements Sink: it lets each sink be flushed when nothing waits for it. The
// error is the first that one of them has met so far.
func (f *Fan) Flush() error {
	var errs []error
	for _, b := range f.branches {
		b.mu.Lock()
		b.flush = true
		b.changed.Signal()
		errs = append(errs, b.err)
		b.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Shortfall is what a sink of a Fan did not take.
type Shortfall struct {
	Dropped uint64
	// Stuck: it was still busy with an event when it was given up. What it was writing may be cut.
	Stuck bool
}

// Close lets the sinks have what waits for them. It gives up on one that has not
// taken an event for so long: what still waits there counts as dropped. missed has
// an element for each sink, and err is as that of Flush.
func (f *Fan) Close(patience time.Duration) (missed []Shortfall, err error) {
	f.Flush() // what it has to say is said below
	for _, b := range f.branches {
		b.mu.Lock()
		b.closed = true
		b.changed.Signal()
		b.mu.Unlock()
	}
	for _, b := range f.branches {
		missed = append(missed, b.end(patience))
		b.mu.Lock()
		err = errors.Join(err, b.err)
		b.mu.Unlock()
	}
	return missed, err
}

// end waits until all was taken, or nothing is any more.
func (b *branch) end(patience time.Duration) (s Shortfall) {
	for before := b.progress(); ; {
		select {
		case <-b.done:
		case <-time.After(patience):
			if now := b.progress(); now != before {
				before = now
				continue
			}
			s.Stuck = true
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting = nil
		s.Dropped = b.dropped + b.queued - b.taken
		return s
	}
}

func (b *branch) progress() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken
}

// add queues an event, or drops it.
func (b *branch) add(e Event) {
	size, spare := weight(e)
	b.mu.Lock()
	defer b.mu.Unlock()
	if spare && b.bytes+size > queueBytes {
		b.dropped++
		return
	}
	b.waiting, b.bytes, b.queued = append(b.waiting, e), b.bytes+size, b.queued+1
	b.changed.Signal()
}

// weight is about how much memory an event takes. spare tells that a session can be
// understood without it.
func weight(e Event) (size int, spare bool) {
	const each = 128
	switch e := e.(type) {
	case *Record:
		return each + len(e.Data) + e.Names.Bytes(), !e.Message.Kind.IsVital()
	case *Output:
		return each + len(e.Text), true
	case *Map:
		return each + e.Snapshot.Bytes() + e.Names.Bytes(), true
	case *Heat:
		return each + e.Snapshot.Bytes() + e.Names.Bytes(), true
	case *Table:
		size = each + e.Names.Bytes()
		for _, s := range e.Snapshots {
			size += s.Bytes()
		}
		return size, true
	}
	return each, false
}

// serve gives the sink what comes.
func (b *branch) serve() {
	defer close(b.done)
	for {
		b.mu.Lock()
		for len(b.waiting) == 0 && !b.flush && !b.closed {
			b.changed.Wait()
		}
		list, flush, over := b.waiting, b.flush, b.closed
		b.waiting = nil
		b.mu.Unlock()
		for i, e := range list {
			b.sink.Event(e)
			size, _ := weight(e)
			b.mu.Lock()
			b.taken, b.bytes = b.taken+1, b.bytes-size
			b.mu.Unlock()
			list[i] = nil
		}
		if len(list) > 0 {
			continue
		}
		if flush {
			err := b.sink.Flush()
			b.mu.Lock()
			b.flush = len(b.waiting) > 0
			if b.err == nil {
				b.err = err
			}
			b.mu.Unlock()
			continue
		}
		if over {
			return
		}
	}
}
