package render

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// Perfetto shows a session as a trace that ui.perfetto.dev and trace_processor read, written at the end. Events of clauses
// without an action are on the track of their thread, those of io: on that of their disk, and what a thread ran (sched:run) on that of its CPU: as
// spans if they tell how long they took, else as instants. Rows and printed values are instants, and numbers of maps and tables are counters. All else goes to
// the error stream.
type Perfetto struct {
	text     *Text // of all else
	p        *printer
	out      io.Writer
	tracks   numbered[perfettoTrack]
	names    map[perfettoTrack]string
	spans    []perfettoSpan
	counts   protobuf // the values of counters
	synced   protobuf // how the clocks compare
	lastBoot int64
	dropped  int
}

// perfettoSpans is how many events are kept, which takes 300 MB or so.
const perfettoSpans = 1 << 20

// perfettoTrack is a line of the picture. Of lanes there are several where spans overlap.
type perfettoTrack struct {
	kind     byte // 't'hread, 'c'pu, 'd'isk, 'n'umber, 'r'ows
	pid, tid int
	name     string
	unit     types.Unit // of numbers
	lane     int
}

type perfettoSpan struct {
	track      perfettoTrack
	start, end int64 // ns of the boot clock; the same for an instant
	name       string
	notes      protobuf
}

// NewPerfetto returns a sink that writes a trace to out when it ends, and all else to errs.
func NewPerfetto(out, errs io.Writer, obj *object.Object, opts Options) *Perfetto {
	opts.NoExitLines = true
	f := &Perfetto{out: out, text: NewText(errs, errs, obj, opts), tracks: numbered[perfettoTrack]{}, names: map[perfettoTrack]string{}}
	f.p = &f.text.p
	return f
}

// Event implements event.Sink.
func (f *Perfetto) Event(e event.Event) {
	f.p.show(e)
	switch e := e.(type) {
	case *event.Attached:
		f.text.attached(e.Probes)
		return
	case *event.Record:
		switch m := e.Message; {
		case !m.Kind.HasValues():
		case f.p.shapes.of(m).nsecs != nil && len(m.Columns) == 0:
			f.event(e)
			return
		default:
			f.row(e)
			return
		}
	case *event.Map:
		if f.elements(e) {
			return
		}
	case *event.Table:
		f.table(e)
		return
	}
	f.text.Event(e)
}

// Flush implements event.Sink.
func (f *Perfetto) Flush() error { return f.text.Flush() }

// bootTime is the boot clock's time of an event, by the stamp of its record.
func (f *Perfetto) bootTime(r *event.Record) int64 {
	m := r.Message
	if m.Time == 0 {
		return f.lastBoot
	}
	boot := value.Of(types.U64, r.Data[m.Time:]).Int()
	if f.synced == nil && f.p.names.Clock != nil {
		f.synced.message(perfettoClocks, func(m *protobuf) {
			for clock, ns := range map[uint64]int64{clockBoot: boot, clockReal: f.p.names.Clock.Wall(boot).UnixNano()} {
				m.message(1, func(c *protobuf) {
					c.number(1, clock)
					c.signed(2, ns)
				})
			}
		})
	}
	f.lastBoot = max(f.lastBoot, boot)
	return boot
}

func (f *Perfetto) add(s perfettoSpan) {
	if len(f.spans) == perfettoSpans {
		f.dropped++
		return
	}
	f.spans = append(f.spans, s)
}

// event adds an event of a clause without an action.
func (f *Perfetto) event(r *event.Record) {
	m, s := r.Message, f.p.shapes.of(r.Message)
	span := perfettoSpan{name: string(f.p.eventProbe(nil, m, s, r.Data)), end: f.bootTime(r)}
	span.start = span.end
	if s.took != nil {
		span.start -= min(event.Field(s.took, r.Data).Int(), span.end)
	}
	// Whose it is: that of the thread in which it happened. An argument of that name, as the pid of kill(), is another's.
	whose := map[string]value.Value{}
	for _, list := range [][]eventArg{s.args, s.thread} {
		for _, a := range list {
			whose[a.name] = event.Field(a.MessageField, r.Data)
		}
	}
	number := func(name string) int {
		if v, ok := whose[name]; ok && v.Type.Kind == types.Int {
			return int(v.Int())
		}
		return 0
	}
	comm := ""
	if v, ok := whose["comm"]; ok {
		comm = string(f.p.text(nil, v))
	}
	disk, onDisk := whose["disk"]
	switch t := &span.track; {
	case onDisk && disk.IsText():
		t.kind, t.name = 'd', string(f.p.text(nil, disk))
		if op, ok := whose["op"]; ok {
			span.name = string(f.p.text(nil, op))
		}
	case span.name == "sched:run" && r.CPU >= 0:
		t.kind, t.tid, span.name = 'c', r.CPU, comm
	case number("tid") != 0:
		t.kind, t.pid, t.tid = 't', number("pid"), number("tid")
		f.names[*t] = comm
	case number("pid") != 0:
		t.kind, t.pid, t.tid = 't', number("pid"), number("pid")
		f.names[*t] = comm
	default:
		t.kind, t.tid = 'c', max(0, r.CPU)
	}
	for _, a := range s.args {
		f.note(&span.notes, withUnit(unitBehind, a.name, a.unit), event.Field(a.MessageField, r.Data))
	}
	if s.ret != nil {
		f.note(&span.notes, "ret", event.Field(s.ret, r.Data))
	}
	if span.track.kind != 't' && comm != "" {
		f.note(&span.notes, "comm", whose["comm"])
	}
	f.add(span)
}

// note adds an argument of an event.
func (f *Perfetto) note(to *protobuf, name string, v value.Value) {
	to.message(eventNote, func(n *protobuf) {
		n.text(10, name)
		switch {
		case v.Type.Kind == types.Int && v.Signed():
			n.signed(4, v.Int())
		case v.Type.Kind == types.Int:
			n.number(3, v.Uint())
		default:
			n.text(6, strings.ToValidUTF8(strings.TrimSpace(string(f.p.text(nil, v))), "\uFFFD"))
		}
	})
}

// row adds a record of row(), or a printed value.
func (f *Perfetto) row(r *event.Record) {
	m := r.Message
	at := f.bootTime(r)
	span := perfettoSpan{name: "row", start: at, end: at, track: perfettoTrack{kind: 'r', name: "rows"}}
	if len(m.Columns) == 0 {
		span.name, span.track.name = "value", "values"
	}
	for i := range m.Fields {
		if i == 0 && m.Stamped {
			continue
		}
		for part, v := range shownParts(&m.Schema.Fields[i], event.Field(&m.Fields[i], r.Data)) {
			f.note(&span.notes, withUnit(unitBehind, part.Name, part.Unit), v)
		}
	}
	f.add(span)
}

// elements makes counters of a map of numbers; ok is false for one that has none.
func (f *Perfetto) elements(e *event.Map) (ok bool) {
	if e.Map.Value == nil {
		return true
	}
	if !isCounter(e.Map) {
		return false
	}
	r := e.Elements(true)
	field := &e.Map.Schema.Fields[e.Map.Schema.Keys]
	f.p.div = divisor(e.Div)
	for i := range r.Entries {
		name := string(liner{f.p}.elementName(nil, r, i))
		for part, v := range shownParts(field, r.Value(i)) {
			own := name
			if part != field {
				own += "." + part.Name
			}
			f.number(r.Time, own, part.Unit, e.Div, v)
		}
	}
	f.p.div = 0
	return true
}

// table makes counters of the numbers of a table.
func (f *Perfetto) table(e *event.Table) {
	s := e.Message.Schema
	for _, row := range e.Rows().Rows {
		var key []byte
		for i, v := range row[:s.Keys] {
			if i > 0 {
				key = append(key, ", "...)
			}
			key = f.p.text(key, v)
		}
		for i, v := range row[s.Keys:] {
			field := &s.Fields[s.Keys+i]
			f.number(e.Time(), fmt.Sprintf("%s[%s]", field.Name, key), field.Unit, 0, v)
		}
	}
}

// number adds what a value counts, if it does: one counter, or one for each part of it.
func (f *Perfetto) number(at time.Time, name string, unit types.Unit, div int64, v value.Value) {
	if !isNumber(v) {
		return
	}
	switch shapeOfValue(v.Type) {
	case types.Single:
		f.count(at, name, dividedUnit(unit, div), int64(f.p.div.scaled(v)))
	case types.Totals, types.Quantiles:
		headings := displayOf(v.Type).columns(v.Type)
		for n, part := range f.p.div.parts(v) {
			f.count(at, name+"."+part.name, headings[n].unit(unit, div), int64(part.n))
		}
	}
}

// count adds a value of a counter, at a time.
func (f *Perfetto) count(at time.Time, name string, unit types.Unit, n int64) {
	boot := f.lastBoot + at.Sub(f.p.names.Clock.Wall(f.lastBoot)).Nanoseconds()
	id, _ := f.tracks.number(perfettoTrack{kind: 'n', name: name, unit: unit})
	packet(&f.counts, boot, func(m *protobuf) {
		m.message(perfettoEvent, func(m *protobuf) {
			m.number(eventType, eventCounter)
			m.number(eventTrack, id)
			m.signed(eventCount, n)
		})
	})
}

// End implements event.Ender.
func (f *Perfetto) End() error {
	if f.dropped > 0 {
		f.text.complain(fmt.Sprintf("WARNING: %d events are not in the trace, which has room for %d: let it tell fewer by a filter", f.dropped, perfettoSpans))
	}
	slices.SortStableFunc(f.spans, func(a, b perfettoSpan) int { // those within others behind them
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	lanes := map[perfettoTrack][]perfettoLane{}
	for i := range f.spans {
		s := &f.spans[i]
		all := lanes[s.track]
		n := slices.IndexFunc(all, func(l perfettoLane) bool { return l.fits(s) })
		if n < 0 {
			n = len(all)
			track := s.track
			track.lane = n
			id, _ := f.tracks.number(track)
			all = append(all, perfettoLane{id: id})
		}
		all[n].add(s)
		lanes[s.track] = all
	}
	var all protobuf
	if f.synced != nil {
		all.message(tracePacket, func(m *protobuf) { *m = append(*m, f.synced...) })
	}
	processes := map[int]uint64{}
	for i, t := range f.tracks.inOrder() {
		f.describe(&all, uint64(i+1), t, processes)
	}
	all = append(all, f.counts...)
	_, err := f.out.Write(all)
	for _, t := range f.tracks.inOrder() {
		if l := lanes[t.first()]; err == nil && t.kind != 'n' {
			l[t.lane].leave(math.MaxInt64)
			_, err = f.out.Write(l[t.lane].to)
		}
	}
	return err
}

// first is the lane of a track that there is always.
func (t perfettoTrack) first() perfettoTrack {
	t.lane = 0
	return t
}

// perfettoLane is a track whose spans are beside or within each other.
type perfettoLane struct {
	id   uint64
	open []int64 // the ends of the spans that others may be within
	to   protobuf
}

// fits reports whether a span overlaps none of the open ones without lying within it.
func (l perfettoLane) fits(s *perfettoSpan) bool {
	for _, end := range slices.Backward(l.open) {
		if end > s.start {
			return s.end <= end
		}
	}
	return true
}

func (l *perfettoLane) add(s *perfettoSpan) {
	l.leave(s.start)
	kind := uint64(eventInstant)
	if s.end > s.start {
		kind = eventBegin
		l.open = append(l.open, s.end)
	}
	packet(&l.to, s.start, func(m *protobuf) {
		m.message(perfettoEvent, func(m *protobuf) {
			m.number(eventType, kind)
			m.number(eventTrack, l.id)
			m.text(eventName, s.name)
			*m = append(*m, s.notes...)
		})
	})
}

// leave ends the spans that are over at a time.
func (l *perfettoLane) leave(at int64) {
	for len(l.open) > 0 && l.open[len(l.open)-1] <= at {
		end := l.open[len(l.open)-1]
		l.open = l.open[:len(l.open)-1]
		packet(&l.to, end, func(m *protobuf) {
			m.message(perfettoEvent, func(m *protobuf) {
				m.number(eventType, eventEnd)
				m.number(eventTrack, l.id)
			})
		})
	}
}

// packet adds a packet of a trace with a time.
func packet(to *protobuf, boot int64, fill func(*protobuf)) {
	to.message(tracePacket, func(m *protobuf) {
		m.signed(packetTime, boot)
		m.number(packetSequence, 1)
		fill(m)
	})
}

// describe says what a track is, and before that, once, its process.
func (f *Perfetto) describe(to *protobuf, id uint64, t perfettoTrack, processes map[int]uint64) {
	descriptor := func(id uint64, fill func(*protobuf)) {
		to.message(tracePacket, func(m *protobuf) {
			m.number(packetSequence, 1)
			m.message(perfettoDescriptor, func(m *protobuf) {
				m.number(trackID, id)
				fill(m)
			})
		})
	}
	name := t.name
	switch t.kind {
	case 't':
		if processes[t.pid] == 0 {
			processes[t.pid] = 1<<32 + uint64(t.pid)
			comm := f.names[perfettoTrack{kind: 't', pid: t.pid, tid: t.pid}]
			descriptor(processes[t.pid], func(m *protobuf) {
				m.message(trackProcess, func(m *protobuf) {
					m.number(1, uint64(t.pid))
					m.text(6, cmp.Or(comm, f.names[t.first()]))
				})
			})
		}
		name = f.names[t.first()]
		if t.lane == 0 {
			descriptor(id, func(m *protobuf) {
				m.number(trackParent, processes[t.pid])
				m.message(trackThread, func(m *protobuf) {
					m.number(1, uint64(t.pid))
					m.number(2, uint64(t.tid))
					m.text(5, name)
				})
			})
			return
		}
		descriptor(id, func(m *protobuf) { // what overlaps is no call within a call
			m.number(trackParent, processes[t.pid])
			m.text(trackName, fmt.Sprintf("%s %d (%d)", name, t.tid, t.lane+1))
		})
		return
	case 'c':
		name = "CPU " + strconv.Itoa(t.tid)
	case 'd':
		name = "disk " + t.name
	}
	descriptor(id, func(m *protobuf) {
		m.text(trackName, name)
		if t.kind == 'n' {
			m.message(trackCounter, func(c *protobuf) {
				if unit := t.unit.String(); unit != "" {
					c.text(counterUnit, unit)
				}
			})
		}
	})
}

// The fields of a trace: https://github.com/google/perfetto/tree/main/protos/perfetto/trace (trace.proto, trace_packet.proto,
// clock_snapshot.proto, and track_descriptor.proto, track_event.proto, debug_annotation.proto of track_event).
const (
	tracePacket = 1

	perfettoClocks     = 6 // of a packet
	packetTime         = 8
	packetSequence     = 10
	perfettoEvent      = 11
	perfettoDescriptor = 60

	trackID      = 1
	trackName    = 2
	trackProcess = 3
	trackThread  = 4
	trackParent  = 5
	trackCounter = 8

	counterUnit = 6

	eventNote  = 4
	eventType  = 9
	eventTrack = 11
	eventName  = 23
	eventCount = 30

	eventBegin   = 1
	eventEnd     = 2
	eventInstant = 3
	eventCounter = 4

	clockReal = 1
	clockBoot = 6
)
