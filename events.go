package fst

import (
	"fmt"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/runtime/event"
	"fst/runtime/render"
	"fst/runtime/value"
)

// Event is something that a script says or that happens to its session: a pointer to one
// of the types below, which a type switch tells apart. An event is decoded once and owns
// its memory: it may be kept and handed to other goroutines, but is not to be changed.
//
// String renders it as a terminal shows it, with its newline; it does so when it is
// called, so that nobody pays for text who does not want it. It must be called before the
// session is closed: afterwards stacks are shown empty.
type Event interface {
	fmt.Stringer
	isEvent()
}

type (
	// Hit is a clause without an action: its probe was hit.
	Hit struct {
		Stamp
		Probe string // which: "syscall:openat"
		// Fields are all that the terminal shows and more: nsecs, comm, pid, tid, the
		// arguments, retval and took.
		Fields
		said
	}
	// Message is printf(), warnf() or errorf(). Fields are its arguments, named as the
	// script calls them.
	Message struct {
		Stamp
		Level Level
		Fields
		said
	}
	// Value is print(x).
	Value struct {
		Stamp
		Field
		said
	}
	// Row is row(): a line of a table.
	Row struct {
		Stamp
		Fields
		said
	}
	// Table is table(): maps side by side.
	Table struct {
		Time time.Time // when its maps were read
		Rows []Fields
		More int // rows that --top leaves out
		said
	}
	// Snapshot is what a map holds at a moment: print(@m), heat(@m), and the maps at the
	// end; also what Map.Read returns. Entries are those that are shown, the largest value
	// last: of print(@m, 5) five. The div of print(@m, 5, div) divides only what is shown.
	Snapshot struct {
		// Time is when the map was read or, of what report: clauses show, when the report began.
		Time    time.Time
		Map     string // "@name"
		Unit    string // of the values; see Field
		Entries []Entry
		Final   bool // the script has ended
		said
	}
	// Clock is time(): its Stamp says it all.
	Clock struct {
		Stamp
		said
	}
	// Words is join().
	Words struct {
		Stamp
		Words []string
		said
	}
	// FileText is what cat() read, CommandOutput what the command of system() wrote.
	FileText struct {
		Stamp // of the call
		Data  []byte
		said
	}
	CommandOutput struct {
		Stamp // of the call
		Data  []byte
		said
	}
	// Failure is an action that failed: a file that cat() could not read, and the like.
	Failure struct {
		Text string
		said
	}
	// Warning is trouble that does not end the session.
	Warning struct {
		Text string
		said
	}
	// Note is something about the session that is no trouble, such as how far attaching is.
	Note struct {
		Text string
		said
	}
	// Lost tells of things that were lost since the last Lost of the same clause, kind and
	// place: those of one add up to all. Most kinds are told at the end (Session.Losses
	// knows earlier).
	Lost struct {
		Loss
		said
	}
)

// Stamp is when and where the kernel ran the statement of an event: its Time is the wall
// clock's, zero where the program was compiled for Options.Formats that do not tell it, and
// CPU is -1 there. However late an event is read, its Time is that of the kernel. Failure,
// Warning, Note and Lost, which are no statements' doing, have none.
type Stamp = event.Stamp

// Level is what a Message is for.
type Level int

const (
	LevelInfo    Level = iota // printf
	LevelWarning              // warnf
	LevelError                // errorf
)

// Loss is a number of things that were not seen, counted or shown.
type Loss struct {
	Clause int // its number in the script, from 0
	Kind   LossKind
	// File, Line and Col are the place in the script, if it is known; Line is else 0.
	File      string
	Line, Col int
	Count     uint64
}

// LossKind says what was lost.
type LossKind int

// The kinds of losses. Those of which a value is told to have been used are of events that
// were seen.
const (
	LossRingFull   = LossKind(object.LossRingFull)   // events that found the buffer to user space full
	LossMapFull    = LossKind(object.LossMapFull)    // new keys that found a map full
	LossMissed     = LossKind(object.LossMissed)     // returns whose entry was not kept
	LossReadFailed = LossKind(object.LossReadFailed) // memory that could not be read: 0 was used
	LossOutside    = LossKind(object.LossOutside)    // indexes outside of their array: 0 was used
	LossNested     = LossKind(object.LossNested)     // events within events: the kernel did not run the program
	LossDivision   = LossKind(object.LossDivision)   // divisions by zero: 1 was used
	LossStack      = LossKind(object.LossStack)      // stacks that could not be recorded
	LossUnwind     = LossKind(object.LossUnwind)     // stacks that end early
	LossReturn     = LossKind(object.LossReturn)     // calls that the kernel did not follow to their return
	LossLoop       = LossKind(object.LossLoop)       // loops that were cut short
	LossOther      = LossKind(object.LossOther)
	// LossUnread are events that this process was told of and that nobody has read in time:
	// Events and Channel keep 32 MB of them.
	LossUnread = LossOther + 1
)

// String is the kind's name in JSON output: "ring_full".
func (k LossKind) String() string {
	if k == LossUnread {
		return "unread"
	}
	return render.LossName(object.LossKind(k))
}

// Entry is an element of a map.
type Entry struct {
	// Key has the parts of the key, named as the script calls them: comm and op of
	// @[comm, args.op]. It is empty for a map without keys.
	Key   Fields
	Value any // see Field
	said  element
}

// element is what an Entry was made of, for its text.
type element struct {
	single *render.Single
	of     *object.Map
	raw    value.Entry
	names  *event.Names
}

// String is the element as a terminal shows it, with the map's name and a newline. What
// Event says of String is true of it, too.
func (e *Entry) String() string {
	if e.said.single == nil {
		return ""
	}
	return e.said.single.Text(&event.Map{Map: e.said.of, Snapshot: &value.Snapshot{Entries: []value.Entry{e.said.raw}}, Names: e.said.names})
}

// What values of a script can be, besides Go's own types. All values are
//
//	int64, uint64          numbers, enums, pointers; count, sum, min, max, avg
//	bool, string, []byte
//	[]any                  tuples, arrays
//	Fields                 records and structs
//	time.Time, netip.Addr, net.HardwareAddr
//	Place, []Place         addresses in code; stacks, innermost first
//	[]Bucket               hist, lhist
//	Quantiles, Stats, []Slot  quantile, stats, tseries
//	nil                    no value
type (
	// Field is a value with its name and unit, Fields several in the script's order. Get
	// finds one by its name, Decode fills a struct.
	Field  = render.Field
	Fields = render.Fields
	// Place is an address with its name.
	Place = render.Place
	// Bucket is a bar of a hist or lhist.
	Bucket = render.Bucket
	// Quantiles is what quantile() counts to.
	Quantiles = render.Quantiles
	// Stats is what stats() counts to.
	Stats = render.Stats
	// Slot is an interval of a tseries.
	Slot = render.Slot
)

// said is what an event was made of, for its text.
type said struct {
	single *render.Single
	what   event.Event
}

func (said) isEvent() {}

// String implements fmt.Stringer; see Event.
func (s said) String() string {
	if s.single == nil {
		return ""
	}
	return s.single.Text(s.what)
}

// String implements fmt.Stringer; see Event.
func (l *Lost) String() string {
	if l.Kind == LossUnread {
		return fmt.Sprintf("Lost %d events: they were not read in time\n", l.Count)
	}
	return l.said.String()
}

// listener is the sink that makes events of what a session says.
type listener struct {
	object *object.Object
	values *render.Decoder
	single *render.Single
	queue  *queue
	exited bool
	told   map[object.Loss]uint64
}

func newListener(obj *object.Object, single *render.Single) *listener {
	return &listener{object: obj, values: render.NewDecoder(obj), single: single, queue: newQueue(), told: map[object.Loss]uint64{}}
}

// Event implements event.Sink.
func (l *listener) Event(what event.Event) {
	const each = 512
	size := each
	what = event.Own(what)
	e := l.decode(what, said{l.single, what})
	if e == nil {
		return
	}
	spare := true
	switch what := what.(type) {
	case *event.Record:
		size += 4*len(what.Data) + what.Names.Bytes()
		spare = !what.Message.Kind.IsVital()
	case *event.Map:
		size += 4*what.Snapshot.Bytes() + what.Names.Bytes()
	case *event.Heat:
		size += 4*what.Snapshot.Bytes() + what.Names.Bytes()
	case *event.Table:
		size += what.Names.Bytes()
		for _, s := range what.Snapshots {
			size += 4 * s.Bytes()
		}
	case *event.Output:
		size += len(what.Text)
	default: // a session can't be understood without it
		spare = false
	}
	l.queue.push(e, size, spare)
}

// Flush implements event.Sink.
func (l *listener) Flush() error { return nil }

// decode makes an event; nil for what is none.
func (l *listener) decode(what event.Event, s said) Event {
	switch what := what.(type) {
	case *event.Record:
		return l.record(what, s)
	case *event.Map:
		return l.snapshot(what.Elements(l.exited), s)
	case *event.Heat:
		return l.snapshot(what.Elements(), s)
	case *event.Table:
		rows, more := l.values.Rows(what)
		return &Table{what.Time(), rows, more, s}
	case *event.Output:
		if what.Message.Kind == object.MsgCat {
			return &FileText{what.Stamp, what.Text, s}
		}
		return &CommandOutput{what.Stamp, what.Text, s}
	case *event.Failure:
		return &Failure{what.Text, s}
	case *event.Warning:
		return &Warning{what.Text, s}
	case *event.Remark:
		return &Note{what.Text, s}
	case *event.Lost:
		return l.loss(what)
	case *event.Exit:
		l.exited = true
	}
	return nil
}

func (l *listener) record(r *event.Record, s said) Event {
	m := r.Message
	switch m.Kind {
	case object.MsgEvent:
		return &Hit{r.Stamp, l.values.Probe(r), l.values.Record(r), s}
	case object.MsgPrintf:
		return &Message{r.Stamp, LevelInfo, l.values.Record(r), s}
	case object.MsgWarnf:
		return &Message{r.Stamp, LevelWarning, l.values.Record(r), s}
	case object.MsgErrorf:
		return &Message{r.Stamp, LevelError, l.values.Record(r), s}
	case object.MsgPrintValue:
		v := &Value{Stamp: r.Stamp, said: s}
		if list := l.values.Record(r); len(list) > 0 {
			v.Field = list[0]
		}
		return v
	case object.MsgRow:
		row := &Row{r.Stamp, l.values.Record(r), s}
		if m.Stamped {
			row.Fields = row.Fields[1:]
		}
		return row
	case object.MsgTime:
		return &Clock{r.Stamp, s}
	case object.MsgJoin:
		return &Words{r.Stamp, l.values.Words(m, r.Data), s}
	case object.MsgRuntimeError:
		if text, news := l.values.RuntimeError(m, r.Data); news {
			return &Warning{text, s}
		}
	}
	return nil
}

// loss makes of the totals at the end what is new in them.
func (l *listener) loss(lost *event.Lost) Event {
	n := lost.Count
	if l.exited {
		n -= min(n, l.told[lost.What])
	}
	if n == 0 {
		return nil
	}
	l.told[lost.What] += n
	return &Lost{newLoss(l.object, l.values, lost.What, n), said{l.single, &event.Lost{What: lost.What, Count: n}}}
}

// newLoss is a loss with its place.
func newLoss(obj *object.Object, values *render.Decoder, what object.Loss, n uint64) Loss {
	loss := Loss{Clause: what.Clause, Kind: LossKind(what.Kind), Count: n}
	if span := values.LossPlace(what); obj.Sources != nil && span.IsValid() {
		if pos := obj.Sources.Position(span.Start); pos.File != nil {
			loss.File, loss.Line, loss.Col = pos.File.Name, pos.Line, pos.Col
		}
	}
	return loss
}

func (l *listener) snapshot(shown event.Elements, text said) *Snapshot {
	snap := newSnapshot(l.values, shown, text)
	snap.Final = l.exited
	return snap
}

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
