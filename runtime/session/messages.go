package session

import (
	"bytes"
	"encoding/binary"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/clock"
	"fst/runtime/event"
	"fst/runtime/maps"
)

// dispatcher does what the records of the ring buffer ask for, in order.
type dispatcher struct {
	obj    *object.Object
	sink   event.Sink
	reader Records
	maps   *Maps
	clock  *clock.Clock
	// drained is what each map had when a report last began it anew.
	drained map[int]*maps.Snapshot
	// printed are the maps that the script has shown by itself.
	printed map[int]bool

	// kept are records that came while the one before them was being handled, or, once
	// the session is over, before its probes were detached: maps may be shown so often that
	// nobody can keep up with it.
	kept backlog

	// shown is the event of a record: there is one at a time.
	shown event.Record

	// exited is set by exit(): what follows is discarded.
	exited   bool
	exitCode int
	// complained is set by each errorf().
	complained bool
	// stopped reports whether the session was ended from outside, until END speaks:
	// commands that still wait are then not run but counted.
	stopped func() bool
	notRun  int
	// over reports whether the session is to end and its probes are still attached.
	over func() bool
}

// backlog are records that wait.
type backlog struct {
	records [][]byte
	size    int // of all, in bytes
}

func (b *backlog) add(record []byte) {
	b.records = append(b.records, bytes.Clone(record))
	b.size += len(record)
}

// next takes the oldest.
func (b *backlog) next() (record []byte) {
	record, b.records = b.records[0], b.records[1:]
	b.size -= len(record)
	if len(b.records) == 0 {
		b.records = nil
	}
	return record
}

// isFull reports whether what comes must stay in the ring buffer.
func (b *backlog) isFull() bool { return b.size >= mostKept }

func never() bool { return false }

// handle is called with each record in order.
func (d *dispatcher) handle(record []byte) bool {
	if len(d.kept.records) > 0 {
		return d.keep(record)
	}
	d.do(record)
	d.handleKept()
	return true
}

// mostKept is how many bytes may wait for a map to be taken: what comes beyond
// stays in the ring buffer, and when that is full, is counted as lost.
const mostKept = 64 << 20

// keep keeps a record to be handled later. It is for when the one before it takes
// long: the ring buffer must not fill up.
func (d *dispatcher) keep(record []byte) bool {
	d.kept.add(record)
	return true
}

// handleKept handles what was kept, unless the session is over.
func (d *dispatcher) handleKept() {
	for len(d.kept.records) > 0 && !d.over() {
		d.do(d.kept.next())
	}
}

// do does what a record asks for. After an exit nothing is done.
func (d *dispatcher) do(record []byte) {
	if d.exited || len(record) < object.HeaderSize {
		return
	}
	id := binary.NativeEndian.Uint32(record)
	if int(id) >= len(d.obj.Messages) {
		warn(d.sink, "a message of unknown kind %d was dropped", id)
		return
	}
	m := d.obj.Messages[id]
	if len(record) < m.Size {
		warn(d.sink, "a message of %d bytes instead of %d was dropped", len(record), m.Size)
		return
	}
	switch m.Kind {
	case object.MsgErrorf:
		d.complained = true
		d.show(m, record)
	case object.MsgExit:
		d.exited = true
		d.exitCode = int(int32(number(m, record, 0)))
	case object.MsgPrintMap:
		d.withMap(m, "print", func(t *maps.Map) error {
			snap, err := d.snapshot(m, t)
			if err == nil {
				d.sink.Event(&event.Map{Message: m, Map: t.Spec, Snapshot: snap, Top: number(m, record, 0), Div: number(m, record, 1)})
			}
			return err
		})
	case object.MsgHeat:
		d.withMap(m, "heat", func(t *maps.Map) error {
			snap, err := d.snapshot(m, t)
			if err == nil {
				d.sink.Event(&event.Heat{Message: m, Map: t.Spec, Snapshot: snap})
			}
			return err
		})
	case object.MsgPrintEntry:
		d.withMap(m, "print", func(t *maps.Map) error {
			f := m.Fields[0]
			one, err := d.element(m, t, record[f.Offset:f.Offset+f.Type.Size])
			if err != nil {
				return err
			}
			if t.Spec.Value.Kind.Has(types.Totals) {
				d.printStats(m, t.Spec.Value, one)
				return nil
			}
			d.sink.Event(&event.Map{Message: m, Map: t.Spec, Snapshot: one})
			return nil
		})
	case object.MsgTable:
		d.table(m)
	case object.MsgClear:
		d.withMap(m, "clear", d.alone(func(t *maps.Map) error { return d.maps.taken.before(t, t.Clear) }))
	case object.MsgDrain:
		// What is read meanwhile may overwrite the record.
		turn, began := uint64(number(m, record, 0)), event.StampOf(m, record, d.clock).Time
		d.withMap(m, "report", d.alone(func(t *maps.Map) (err error) {
			now := time.Now()
			meanwhile(func() { d.drained[t.Spec.ID], err = t.Drain(turn) }, func() {
				if !d.kept.isFull() {
					d.reader.Drain(d.keep)
				}
			})
			if s := d.drained[t.Spec.ID]; s != nil {
				s.Time = now
				if t.Spec.Turns != nil && !began.IsZero() { // else it goes on counting until it is read
					s.Time = began
				}
				d.maps.taken.add(t.Spec, s)
			}
			return err
		}))
	case object.MsgZero:
		d.withMap(m, "zero", d.alone(func(t *maps.Map) error { return d.maps.taken.before(t, t.Zero) }))
	case object.MsgSystem:
		// Commands may come faster than they end: whoever stops the script
		// must not wait for those that queue up.
		if d.stopped() {
			d.notRun++
			return
		}
		fallthrough
	default:
		d.show(m, record)
	}
}

// show hands a record on.
func (d *dispatcher) show(m *object.Message, data []byte) {
	d.shown = event.Record{Stamp: event.StampOf(m, data, d.clock), Message: m, Data: data}
	d.sink.Event(&d.shown)
}

// snapshot is what a message shows of a map.
func (d *dispatcher) snapshot(m *object.Message, t *maps.Map) (*maps.Snapshot, error) {
	d.printed[t.Spec.ID] = true
	if snap := d.drained[t.Spec.ID]; m.Drained && snap != nil {
		return snap, nil
	}
	return d.maps.Read(t.Spec)
}

// element is what a message shows of an element of a map.
func (d *dispatcher) element(m *object.Message, t *maps.Map, key []byte) (*maps.Snapshot, error) {
	all := d.drained[t.Spec.ID]
	if !m.Drained || all == nil {
		return d.maps.ReadKey(t.Spec, key)
	}
	one := *all
	one.Entries = nil
	for _, e := range all.Entries {
		if bytes.Equal(e.Key, key) {
			one.Entries = append(one.Entries, e)
		}
	}
	return &one, nil
}

// table reads the maps of a table and shows them.
func (d *dispatcher) table(m *object.Message) {
	e := &event.Table{Message: m}
	for _, id := range m.Table.Maps {
		t := d.maps.set.Map(id)
		snap, err := d.snapshot(m, t)
		if err != nil {
			warn(d.sink, "table(%s): %v", t.Spec.Name, err)
		}
		if snap == nil {
			snap = &maps.Snapshot{Time: time.Now()}
		}
		e.Maps, e.Snapshots = append(e.Maps, t.Spec), append(e.Snapshots, snap)
	}
	d.sink.Event(e)
}

// printStats prints an element's numbers, zeros if there is no such element: a
// value like others, without the map's name.
func (d *dispatcher) printStats(m *object.Message, t *types.Type, one *maps.Snapshot) {
	numbers := make([]byte, t.Size)
	if len(one.Entries) > 0 {
		numbers = one.Entries[0].Value
	}
	shown := *m
	shown.Kind, shown.Map = object.MsgPrintValue, -1
	shown.Fields = []object.MessageField{{Type: t, Offset: object.HeaderSize}}
	of := d.obj.Maps[m.Map].Schema
	shown.Schema = &object.Schema{Fields: of.Fields[of.Keys:]}
	shown.Size = object.HeaderSize + len(numbers)
	d.sink.Event(&event.Record{Stamp: event.Stamp{Time: one.Time, CPU: -1}, Message: &shown,
		Data: append(make([]byte, object.HeaderSize), numbers...)})
}

// alone is f without a reader of the map beside it.
func (d *dispatcher) alone(f func(*maps.Map) error) func(*maps.Map) error {
	return func(t *maps.Map) error {
		d.maps.set.Lock()
		defer d.maps.set.Unlock()
		return f(t)
	}
}

func (d *dispatcher) withMap(m *object.Message, what string, f func(*maps.Map) error) {
	if m.Map < 0 || m.Map >= len(d.obj.Maps) {
		return
	}
	t := d.maps.set.Map(m.Map)
	if err := f(t); err != nil {
		warn(d.sink, "%s(%s): %v", what, t.Spec.Name, err)
	}
}

// number reads an integer field of a message, 0 if it has no such field.
func number(m *object.Message, record []byte, field int) int64 {
	if field >= len(m.Fields) {
		return 0
	}
	f := m.Fields[field]
	size := 8
	if f.Type != nil && f.Type.Size > 0 {
		size = f.Type.Size
	}
	if f.Offset+size > len(record) {
		return 0
	}
	b := record[f.Offset:]
	switch size {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.NativeEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.NativeEndian.Uint32(b)))
	}
	return int64(binary.NativeEndian.Uint64(b))
}

// refresh shows the maps that would be printed at the end, but those that the script shows by itself.
func (d *dispatcher) refresh() {
	if !d.obj.Config.PrintMapsOnExit {
		return
	}
	for _, m := range d.obj.ScriptMaps() {
		if d.printed[m.ID] {
			continue
		}
		if snap, err := d.maps.Read(m); err == nil {
			d.sink.Event(&event.Map{Map: m, Snapshot: snap})
		}
	}
}

// printMaps prints all maps of the script that hold something, by name.
func (d *dispatcher) printMaps() {
	for _, m := range d.obj.ScriptMaps() {
		snap, err := d.maps.Read(m)
		if err != nil {
			warn(d.sink, "reading %s: %v", m.Name, err)
		}
		if snap != nil && len(snap.Entries) > 0 {
			d.sink.Event(&event.Map{Map: m, Snapshot: snap})
		}
	}
}
