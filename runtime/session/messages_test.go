package session

import (
	"encoding/binary"
	"slices"
	"testing"

	"fst/compiler/object"
	"fst/runtime/clock"
	"fst/runtime/event"
)

type shown []uint64

func (s *shown) Event(e event.Event) {
	*s = append(*s, binary.NativeEndian.Uint64(e.(*event.Record).Data[object.HeaderSize:]))
}

func (s *shown) Flush() error { return nil }

// TestOver: what came while a record was being handled waits, once the session is over, until the probes are detached,
// and so does what comes then. Whoever is slower than the events comes to an end.
func TestOver(t *testing.T) {
	var got shown
	over := false
	d := dispatcher{obj: &object.Object{Messages: []*object.Message{{Kind: object.MsgPrintf, Size: object.HeaderSize + 8, Map: -1}}},
		sink: &got, clock: clock.New(), stopped: never, over: func() bool { return over }}
	record := func(n uint64) []byte {
		return binary.NativeEndian.AppendUint64(make([]byte, object.HeaderSize), n)
	}
	d.handle(record(1))
	d.keep(record(2))
	d.keep(record(3))
	over = true
	d.handleKept()
	d.handle(record(4))
	if want := (shown{1}); !slices.Equal(got, want) {
		t.Errorf("shown when the session is over: %v, not %v", got, want)
	}
	over = false
	d.handleKept()
	d.handle(record(5))
	if want := (shown{1, 2, 3, 4, 5}); !slices.Equal(got, want) || d.kept.size != 0 {
		t.Errorf("shown at the end: %v, not %v; %d bytes are kept", got, want, d.kept.size)
	}
}
