package event

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
)

// counter is a sink that checks the order of numbers.
type counter struct {
	next    uint64
	wrong   int
	others  []string
	flushed atomic.Int64
	err     error
	stopped chan struct{} // no event is taken until it is closed
}

func (c *counter) Event(e Event) {
	if c.stopped != nil {
		<-c.stopped
	}
	r, ok := e.(*Record)
	if !ok {
		c.others = append(c.others, fmt.Sprintf("%T", e))
		return
	}
	if n := Field(&r.Message.Fields[0], r.Data).Uint(); n != c.next {
		c.wrong++
	}
	c.next++
}

func (c *counter) Flush() error { c.flushed.Add(1); return c.err }

// TestFan: of four sinks one is stopped, at 200,000 events a second. The others miss nothing, and what was left
// out for that one is counted.
func TestFan(t *testing.T) {
	const events = 300_000
	sinks := []*counter{{}, {}, {}, {stopped: make(chan struct{})}}
	f := NewFan(sinks[0], sinks[1], sinks[2], sinks[3])
	m := &object.Message{Fields: []object.MessageField{{Type: types.U64, Offset: object.HeaderSize}}}
	r := &Record{Message: m, Data: make([]byte, object.HeaderSize+8)}
	for i := range uint64(events) {
		binary.NativeEndian.PutUint64(r.Data[object.HeaderSize:], i) // the record is used again
		f.Event(r)
		if i%20_000 == 0 {
			time.Sleep(100 * time.Millisecond) // 200,000 a second
		}
	}
	f.Event(&Exit{})
	missed, err := f.Close(300 * time.Millisecond)
	if err != nil {
		t.Error(err)
	}
	for i, s := range sinks[:3] {
		if s.next != events || s.wrong != 0 || len(s.others) != 1 || s.flushed.Load() == 0 || missed[i] != (Shortfall{}) {
			t.Errorf("sink %d: %d events, %d out of order, then %q, flushed %d times, %d dropped", i, s.next, s.wrong, s.others, s.flushed.Load(), missed[i].Dropped)
		}
	}
	if missed[3] != (Shortfall{events + 1, true}) {
		t.Errorf("%v for the stopped sink, not all %d dropped", missed[3], events+1)
	}
	close(sinks[3].stopped)
}

// TestFanSlow: a sink that is slow for a while gets what was kept, and the end.
func TestFanSlow(t *testing.T) {
	slow := &counter{stopped: make(chan struct{})}
	f := NewFan(slow)
	m := &object.Message{Fields: []object.MessageField{{Type: types.U64, Offset: 0}}}
	const size = 1 << 20
	for i := range uint64(100) {
		data := make([]byte, size)
		binary.NativeEndian.PutUint64(data, i)
		f.Event(&Record{Message: m, Data: data})
	}
	f.Event(&Exit{})
	close(slow.stopped)
	missed, err := f.Close(time.Minute)
	if err != nil || missed[0].Stuck || missed[0].Dropped+slow.next != 100 || slow.next < queueBytes/size-1 || slow.wrong != 0 || len(slow.others) != 1 {
		t.Errorf("%d dropped, %d taken, %d out of order, then %q: %v", missed[0].Dropped, slow.next, slow.wrong, slow.others, err)
	}
}

func TestFanError(t *testing.T) {
	bad := &counter{err: errors.New("the disk is full")}
	f := NewFan(&counter{}, bad)
	f.Event(&Exit{})
	for bad.flushed.Load() == 0 {
		f.Flush()
	}
	if _, err := f.Close(time.Minute); err == nil || err.Error() != bad.err.Error() {
		t.Errorf("%q", err) // which is said once
	}
}
