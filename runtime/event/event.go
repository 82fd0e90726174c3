// Package event has what a session says, as values: each kind of thing is a type,
// and whoever listens is a Sink. Sessions, actions and sinks know nothing else of
// each other.
package event

import (
	"encoding/binary"
	"time"

	"fst/compiler/object"
	"fst/runtime/clock"
	"fst/runtime/value"
)

// Event is one thing that a session says. It is one of the types below.
type Event interface{ isEvent() }

type (
	// Attached says that the probes are in place. It counts probes, as people do,
	// not links of the kernel.
	Attached struct{ Probes int }
	// Record is a record of the ring buffer that shows something or asks for an
	// action: printf, a printed value, a row, an event and the like. Message
	// describes its fields: names, types and places in Data.
	Record struct {
		Stamp
		Message *object.Message
		Data    []byte
		Names   *Names
	}
	// Map is print(@m, Top, Div), which Message asks for, or, after Exit, a map that is shown at
	// the end, without a Message.
	Map struct {
		Message  *object.Message
		Map      *object.Map
		Snapshot *value.Snapshot
		Top, Div int64
		Names    *Names

		elements once[Elements]
	}
	// Heat is heat(@m, unit); Message.Sep is the unit.
	Heat struct {
		Message  *object.Message
		Map      *object.Map
		Snapshot *value.Snapshot
		Names    *Names

		elements once[Elements]
	}
	// Table is table(), with the maps of Message.Table.Maps and a snapshot of each.
	Table struct {
		Message   *object.Message
		Maps      []*object.Map
		Snapshots []*value.Snapshot
		Names     *Names

		rows Rows
	}
	// Output is what an action has brought: the contents of the file of cat(), what
	// the command of system() wrote.
	Output struct {
		Stamp   // of the record that asked for it
		Message *object.Message
		Text    []byte
	}
	// Failure is an action that failed, as a sentence.
	Failure struct{ Text string }
	// Lost says that Count things of a clause were lost: while the script runs, how
	// many records found the ring buffer full since the last one; after Exit and
	// the maps, the totals of every kind.
	Lost struct {
		What  object.Loss
		Count uint64
	}
	// Warning is trouble that does not end the session.
	Warning struct{ Text string }
	// Remark is something about the session that is no trouble.
	Remark struct{ Text string }
	// Exit comes before the maps that are shown at the end, also if there are none.
	Exit struct{}
)

func (*Attached) isEvent() {}
func (*Record) isEvent()   {}
func (*Map) isEvent()      {}
func (*Heat) isEvent()     {}
func (*Table) isEvent()    {}
func (*Output) isEvent()   {}
func (*Failure) isEvent()  {}
func (*Lost) isEvent()     {}
func (*Warning) isEvent()  {}
func (*Remark) isEvent()   {}
func (*Exit) isEvent()     {}

// Stamp is when and where an event happened.
type Stamp struct {
	// Time is the wall clock's when the kernel ran the statement, or zero where the record does not
	// tell it. A clause without an action and a row with a time of day always do, all others
	// if the script is compiled for who wants to know.
	Time time.Time
	// CPU is the processor that ran it, or -1 where the record does not tell it.
	CPU int
}

// StampOf reads the stamp of a record.
func StampOf(m *object.Message, data []byte, c *clock.Clock) Stamp {
	s := Stamp{CPU: int(binary.NativeEndian.Uint32(data[4:])) - 1}
	if m.Time != 0 {
		s.Time = c.Wall(int64(binary.NativeEndian.Uint64(data[m.Time:])))
	}
	return s
}

// Sink takes the events of a session, in order and one at a time.
type Sink interface {
	// Event takes one event. A Record and its data are valid during the call only
	// (Own makes one that lasts); what other events refer to is not changed any
	// more, by sinks neither.
	Event(Event)
	// Flush is called whenever there is nothing to read at the moment: what was
	// kept back is to be shown now. The error is the first that showing met.
	Flush() error
}

// Ender is a sink whose output is one document.
type Ender interface {
	// End writes it, when all events have come.
	End() error
}

// Field is the value of a field in a record's data; one that the data has no room for
// is empty.
func Field(f *object.MessageField, data []byte) value.Value {
	return value.Of(f.Type, data[min(f.Offset, len(data)):])
}

// Own returns an event that lasts: a record with data and names of its own, any other
// event as it is.
func Own(e Event) Event {
	if r, ok := e.(*Record); ok {
		return &Record{r.Stamp, r.Message, append([]byte(nil), r.Data...), r.Names.clone()}
	}
	return e
}
