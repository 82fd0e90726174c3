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

	// Switch is what a Switch is from, besides TID, and to.
	Switch Switched

	// Missing is the number of records that were lost; 0 if it is not known.
	Missing uint64
}

// Switched is what a CPU went from and to: a thread's name and state, and the next
// thread.
type Switched struct {
	Comm     string
	State    uint64
	NextTID  int
	NextComm string
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

// Layouts are the records of one kernel: of each kind its number, and where its
// fields are.
type Layouts struct {
	kind, flags, tid field // of all records

	enter struct {
		id              uint16
		function, depth field
		args            field
		hasArgs         bool
	}
	leave struct {
		id                                  uint16
		function, depth, begin, end, result field
		hasResult                           bool
	}
	change struct {
		id                                              uint16
		prevTID, prevState, prevComm, nextTID, nextComm field
	}
}

// NewLayouts reads the format files of funcgraph_entry, funcgraph_exit and
// sched_switch, which read returns.
func NewLayouts(read func(category, event string) (string, error)) (*Layouts, error) {
	l := &Layouts{kind: field{0, 2}, flags: field{2, 1}, tid: field{4, 4}}
	enter, leave, change := &l.enter, &l.leave, &l.change
	fields, err := readLayout(read, "ftrace", "funcgraph_entry", &enter.id,
		map[string]*field{"func": &enter.function, "depth": &enter.depth})
	if err != nil {
		return nil, err
	}
	enter.args, enter.hasArgs = fields["args"]
	fields, err = readLayout(read, "ftrace", "funcgraph_exit", &leave.id,
		map[string]*field{"func": &leave.function, "depth": &leave.depth, "calltime": &leave.begin, "rettime": &leave.end})
	if err != nil {
		return nil, err
	}
	leave.result, leave.hasResult = fields["retval"]
	_, err = readLayout(read, "sched", "sched_switch", &change.id, map[string]*field{"prev_pid": &change.prevTID,
		"prev_state": &change.prevState, "prev_comm": &change.prevComm, "next_pid": &change.nextTID, "next_comm": &change.nextComm})
	return l, err
}

// readLayout reads the format of a kind of record: its number, the fields that it must
// have, and all that it has.
func readLayout(read func(category, event string) (string, error), category, event string, id *uint16, needs map[string]*field) (map[string]field, error) {
	text, err := read(category, event)
	if err != nil {
		return nil, err
	}
	tp, err := facts.ParseFormat(category, event, text, nil)
	if err != nil {
		return nil, err
	}
	*id = uint16(tp.ID)
	fields := map[string]field{}
	for _, f := range tp.Args.Fields() {
		fields[f.Name] = field{f.Offset, f.Type.Size}
	}
	for name, to := range needs {
		f, ok := fields[name]
		if !ok {
			return nil, fmt.Errorf("this kernel's records of function calls are not understood: %s:%s has no field %s", category, event, name)
		}
		*to = f
	}
	return fields, nil
}

// event decodes a record; ok is false for one of another kind.
func (l *Layouts) event(cpu int, time uint64, record []byte) (e Event, ok bool) {
	if len(record) < 8 {
		return e, false
	}
	e = Event{CPU: cpu, Time: time, TID: int(int32(l.tid.get(record))), Context: uint8(l.flags.get(record)) & (HardIRQ | SoftIRQ | NMI)}
	switch uint16(l.kind.get(record)) {
	case l.enter.id:
		in := &l.enter
		e.Kind, e.Func, e.Depth = Enter, in.function.get(record), int(int32(in.depth.get(record)))
		if in.hasArgs {
			for at := in.args.offset; at+8 <= len(record); at += 8 {
				e.Args = append(e.Args, binary.NativeEndian.Uint64(record[at:]))
			}
		}
	case l.leave.id:
		in := &l.leave
		e.Kind, e.Func, e.Depth = Return, in.function.get(record), int(int32(in.depth.get(record)))
		e.Begin, e.End = in.begin.get(record), in.end.get(record)
		e.Result, e.HasResult = in.result.get(record), in.hasResult
	case l.change.id:
		in := &l.change
		e.Kind, e.TID = Switch, int(int32(in.prevTID.get(record)))
		e.Switch = Switched{Comm: in.prevComm.comm(record), State: in.prevState.get(record),
			NextTID: int(int32(in.nextTID.get(record))), NextComm: in.nextComm.comm(record)}
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
