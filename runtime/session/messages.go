package session

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/maps"
)

// drain handles what is in the ring buffer now.
func (s *Session) drain() {
	if s.reader.Drain(s.handle) > 0 {
		s.lost.news = true
	}
}

// handle is called with each record in order.
func (s *Session) handle(record []byte) bool {
	s.do(record)
	s.handleKept()
	return true
}

// mostKept is how many bytes may wait for a map to be taken: what comes beyond
// stays in the ring buffer, and when that is full, is counted as lost.
const mostKept = 64 << 20

// keep keeps a record to be handled later. It is for when the one before it takes
// long: the ring buffer must not fill up.
func (s *Session) keep(record []byte) bool {
	s.kept = append(s.kept, bytes.Clone(record))
	s.keptSize += len(record)
	return true
}

// handleKept handles what was kept.
func (s *Session) handleKept() {
	for len(s.kept) > 0 {
		record := s.kept[0]
		s.kept = s.kept[1:]
		s.keptSize -= len(record)
		s.do(record)
	}
	s.kept = nil
}

// do does what a record asks for. After an exit nothing is done.
func (s *Session) do(record []byte) {
	if s.exited || len(record) < object.HeaderSize {
		return
	}
	id := binary.NativeEndian.Uint32(record)
	if int(id) >= len(s.obj.Messages) {
		s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("a message of unknown kind %d was left out", id)})
		return
	}
	m := s.obj.Messages[id]
	if len(record) < m.Size {
		s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("a message of %d bytes instead of %d was left out", len(record), m.Size)})
		return
	}
	switch m.Kind {
	case object.MsgErrorf:
		s.complained = true
		s.show(m, record)
	case object.MsgExit:
		s.exited = true
		s.exitCode = int(int32(number(m, record, 0)))
	case object.MsgPrintMap:
		s.withMap(m, "print", func(t *maps.Map) error {
			snap, err := s.snapshot(m, t)
			if err == nil {
				s.opts.Sink.Event(&event.Map{Map: t.Spec, Snapshot: snap, Top: number(m, record, 0), Div: number(m, record, 1)})
			}
			return err
		})
	case object.MsgHeat:
		s.withMap(m, "heat", func(t *maps.Map) error {
			snap, err := s.snapshot(m, t)
			if err == nil {
				s.opts.Sink.Event(&event.Heat{Message: m, Map: t.Spec, Snapshot: snap})
			}
			return err
		})
	case object.MsgPrintEntry:
		s.withMap(m, "print", func(t *maps.Map) error {
			f := m.Fields[0]
			one, err := s.element(m, t, record[f.Offset:f.Offset+f.Type.Size])
			if err != nil {
				return err
			}
			if t.Spec.Value.Kind == types.Stats {
				s.printStats(m, t.Spec.Value, one.Entries)
				return nil
			}
			s.opts.Sink.Event(&event.Map{Map: t.Spec, Snapshot: one})
			return nil
		})
	case object.MsgTable:
		s.table(m)
	case object.MsgClear:
		s.withMap(m, "clear", s.alone((*maps.Map).Clear))
	case object.MsgDrain:
		turn := uint64(number(m, record, 0)) // what is read meanwhile may overwrite the record
		s.withMap(m, "report", s.alone(func(t *maps.Map) (err error) {
			s.meanwhile(func() { s.drained[t.Spec.ID], err = t.Drain(turn) }, func() {
				if s.keptSize < mostKept {
					s.reader.Drain(s.keep)
				}
			})
			return err
		}))
	case object.MsgZero:
		s.withMap(m, "zero", s.alone((*maps.Map).Zero))
	case object.MsgSystem:
		// Commands may come faster than they end: whoever stops the script
		// must not wait for those that queue up.
		if s.stopped() {
			s.notRun++
			return
		}
		fallthrough
	default:
		s.show(m, record)
	}
}

// show hands a record on.
func (s *Session) show(m *object.Message, data []byte) {
	s.record = event.Record{Message: m, Data: data}
	s.opts.Sink.Event(&s.record)
}

// snapshot is what a message shows of a map.
func (s *Session) snapshot(m *object.Message, t *maps.Map) (*maps.Snapshot, error) {
	if snap := s.drained[t.Spec.ID]; m.Drained && snap != nil {
		return snap, nil
	}
	return t.Read()
}

// element is what a message shows of an element of a map.
func (s *Session) element(m *object.Message, t *maps.Map, key []byte) (*maps.Snapshot, error) {
	all := s.drained[t.Spec.ID]
	if !m.Drained || all == nil {
		return t.ReadKey(key)
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
func (s *Session) table(m *object.Message) {
	snapshots := make([]*maps.Snapshot, len(m.Table.Maps))
	for i, id := range m.Table.Maps {
		t := s.maps.Map(id)
		snap, err := s.snapshot(m, t)
		if err != nil {
			s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("table(%s): %v", t.Spec.Name, err)})
		}
		if snap == nil {
			snap = &maps.Snapshot{}
		}
		snapshots[i] = snap
	}
	s.opts.Sink.Event(&event.Table{Message: m, Snapshots: snapshots})
}

// printStats prints an element's numbers, zeros if there is no such element: a
// value like others, without the map's name.
func (s *Session) printStats(m *object.Message, t *types.Type, entries []maps.Entry) {
	numbers := make([]byte, t.Size)
	if len(entries) > 0 {
		numbers = entries[0].Value
	}
	shown := *m
	shown.Kind, shown.Map = object.MsgPrintValue, -1
	shown.Fields = []object.MessageField{{Type: t, Offset: object.HeaderSize}}
	shown.Size = object.HeaderSize + len(numbers)
	s.show(&shown, append(make([]byte, object.HeaderSize), numbers...))
}

// alone is f without a reader of the map beside it.
func (s *Session) alone(f func(*maps.Map) error) func(*maps.Map) error {
	return func(t *maps.Map) error {
		s.mapsMu.Lock()
		defer s.mapsMu.Unlock()
		return f(t)
	}
}

func (s *Session) withMap(m *object.Message, what string, f func(*maps.Map) error) {
	if m.Map < 0 || m.Map >= len(s.obj.Maps) {
		return
	}
	t := s.maps.Map(m.Map)
	if err := f(t); err != nil {
		s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("%s(%s): %v", what, t.Spec.Name, err)})
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

// printMaps prints all maps of the script that hold something, by name.
func (s *Session) printMaps() {
	for _, m := range s.obj.ScriptMaps() {
		snap, err := s.maps.Map(m.ID).Read()
		if err != nil {
			s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("reading %s: %v", m.Name, err)})
		}
		if len(snap.Entries) > 0 {
			s.opts.Sink.Event(&event.Map{Map: m, Snapshot: snap})
		}
	}
}
