package ftrace

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"fst/compiler/target/facts"
)

// Kind says what an Event is.
type Kind uint8

const (
	Enter  Kind = iota // a function was called
	Return             // it returned
	Switch             // a CPU went from one thread to another
	Lost               // the kernel dropped records of a CPU before this one
)

// Contexts, bits of Event.Context.
const (
	HardIRQ = 0x08
	SoftIRQ = 0x10
	NMI     = 0x40
)

// Event is one record of the tracer.
type Event struct {
	Kind Kind
	CPU  int
	Time uint64 // nanoseconds since the system's start
	TID  int
	// Context tells what the CPU was doing for, besides the thread.
	Context uint8

	// Func and Depth are those of a call. Depths only compare with each other.
	Func  uint64
	Depth int
	// Args are the words of the argument registers, nil if the kernel does
	// not tell them.
	Args []uint64
	// Begin and End are the times of a call that returned.
	Begin, End uint64
	// Result is the word that was returned, if HasResult.
	Result    uint64
	HasResult bool

	// A Switch is from TID, whose name is Comm and whose state State, to NextTID.
	Comm, NextComm string
	State          uint64
	NextTID        int

	// Missing is the number of records that were lost; 0 if it is not known.
	Missing uint64
}

// field is a number in a record.
type field struct{ offset, size int }

func (f field) get(record []byte) uint64 {
	if f.size == 0 || f.offset+f.size > len(record) {
		return 0
	}
	b := record[f.offset:]
	switch f.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	case 8:
		return binary.NativeEndian.Uint64(b)
	}
	return 0
}

// comm is a thread's name in a record.
func (f field) comm(record []byte) string {
	if f.offset+f.size > len(record) {
		return ""
	}
	name, _, _ := bytes.Cut(record[f.offset:f.offset+f.size], []byte{0})
	return string(name)
}

// layout is a kind of record: its number and where its fields are.
type layout struct {
	id     uint16
	fields map[string]field
}

// Layouts are the records of one kernel.
type Layouts struct {
	enter, leave, change layout

	commonType, commonFlags, commonTID field

	enterFunc, enterDepth, args                     field
	leaveFunc, leaveDepth, begin, end, result       field
	prevTID, prevState, prevComm, nextTID, nextComm field

	hasArgs, hasResult bool
}

// NewLayouts reads the format files of funcgraph_entry, funcgraph_exit and
// sched_switch, which read returns.
func NewLayouts(read func(category, event string) (string, error)) (*Layouts, error) {
	l := &Layouts{commonType: field{0, 2}, commonFlags: field{2, 1}, commonTID: field{4, 4}}
	for _, e := range []struct {
		to              *layout
		category, event string
		needs           []string
	}{
		{&l.enter, "ftrace", "funcgraph_entry", []string{"func", "depth"}},
		{&l.leave, "ftrace", "funcgraph_exit", []string{"func", "depth", "calltime", "rettime"}},
		{&l.change, "sched", "sched_switch", []string{"prev_pid", "prev_state", "prev_comm", "next_pid", "next_comm"}},
	} {
		text, err := read(e.category, e.event)
		if err != nil {
			return nil, err
		}
		tp, err := facts.ParseFormat(e.category, e.event, text, nil)
		if err != nil {
			return nil, err
		}
		e.to.id = uint16(tp.ID)
		e.to.fields = map[string]field{}
		for _, f := range tp.Args.Fields() {
			e.to.fields[f.Name] = field{f.Offset, f.Type.Size}
		}
		for _, name := range e.needs {
			if _, ok := e.to.fields[name]; !ok {
				return nil, fmt.Errorf("this kernel's records of function calls are not understood: %s:%s has no field %s", e.category, e.event, name)
			}
		}
	}
	l.enterFunc, l.enterDepth, l.args = l.enter.fields["func"], l.enter.fields["depth"], l.enter.fields["args"]
	_, l.hasArgs = l.enter.fields["args"]
	l.leaveFunc, l.leaveDepth, l.begin, l.end = l.leave.fields["func"], l.leave.fields["depth"], l.leave.fields["calltime"], l.leave.fields["rettime"]
	l.result, l.hasResult = l.leave.fields["retval"]
	l.prevTID, l.prevState, l.prevComm = l.change.fields["prev_pid"], l.change.fields["prev_state"], l.change.fields["prev_comm"]
	l.nextTID, l.nextComm = l.change.fields["next_pid"], l.change.fields["next_comm"]
	return l, nil
}

// event decodes a record; ok is false for one of another kind.
func (l *Layouts) event(cpu int, time uint64, record []byte) (e Event, ok bool) {
	if len(record) < 8 {
		return e, false
	}
	e = Event{CPU: cpu, Time: time, TID: int(int32(l.commonTID.get(record))), Context: uint8(l.commonFlags.get(record)) & (HardIRQ | SoftIRQ | NMI)}
	switch uint16(l.commonType.get(record)) {
	case l.enter.id:
		e.Kind, e.Func, e.Depth = Enter, l.enterFunc.get(record), int(int32(l.enterDepth.get(record)))
		if l.hasArgs {
			for at := l.args.offset; at+8 <= len(record); at += 8 {
				e.Args = append(e.Args, binary.NativeEndian.Uint64(record[at:]))
			}
		}
	case l.leave.id:
		e.Kind, e.Func, e.Depth = Return, l.leaveFunc.get(record), int(int32(l.leaveDepth.get(record)))
		e.Begin, e.End = l.begin.get(record), l.end.get(record)
		e.Result, e.HasResult = l.result.get(record), l.hasResult
	case l.change.id:
		e.Kind, e.TID, e.State, e.Comm = Switch, int(int32(l.prevTID.get(record))), l.prevState.get(record), l.prevComm.comm(record)
		e.NextTID, e.NextComm = int(int32(l.nextTID.get(record))), l.nextComm.comm(record)
	default:
		return e, false
	}
	return e, true
}

// Page appends the events of a page of a CPU's buffer.
func (l *Layouts) Page(events []Event, cpu int, page []byte) ([]Event, error) {
	first := len(events)
	// Room for what was lost before the first record, which is told at its end.
	events = append(events, Event{Kind: Lost, CPU: cpu})
	lost, err := eachRecord(page, func(time uint64, record []byte) {
		if events[first].Time == 0 {
			events[first].Time = time
		}
		if e, ok := l.event(cpu, time, record); ok {
			events = append(events, e)
		}
	})
	if lost == 0 {
		return append(events[:first], events[first+1:]...), err
	}
	events[first].Missing = uint64(max(lost, 0))
	return events, err
}
