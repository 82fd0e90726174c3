package fst

import (
	"sync"

	"fst/runtime/event"
)

// queueBytes is how much memory the events may take that nobody has read yet, about.
const queueBytes = 32 << 20

// queue keeps events until they are read. Who adds some never waits: those for which
// there is no room are dropped and counted, and the reader is told.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []queued
	bytes   int
	dropped uint64
	ended   bool // nothing is added any more
	closed  bool // nothing is read any more
}

type queued struct {
	event Event
	size  int
}

func newQueue() *queue {
	q := &queue{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// push adds an event; one that can be spared only if there is room.
func (q *queue) push(e Event, size int, spare bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return
	case spare && q.bytes+size > queueBytes:
		q.dropped++
		return
	}
	q.tell()
	q.waiting = append(q.waiting, queued{e, size})
	q.bytes += size
	q.changed.Signal()
}

// tell adds how many events were dropped before.
func (q *queue) tell() {
	if q.dropped == 0 {
		return
	}
	lost := &Lost{Loss: Loss{Kind: LossUnread, Count: q.dropped}}
	q.waiting = append(q.waiting, queued{lost, 0})
	q.dropped = 0
	q.changed.Signal()
}

// pop waits for an event. ok is false if there are no more.
func (q *queue) pop() (e Event, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 && !q.ended && !q.closed {
		q.changed.Wait()
	}
	if len(q.waiting) == 0 || q.closed {
		return nil, false
	}
	first := q.waiting[0]
	q.waiting[0] = queued{}
	q.waiting = q.waiting[1:]
	q.bytes -= first.size
	return first.event, true
}

// end says that no more is added.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tell()
	q.ended = true
	q.changed.Broadcast()
}

// close drops what has not been read.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.waiting, q.bytes = true, nil, 0
	q.changed.Broadcast()
}

var _ event.Sink = (*listener)(nil)
