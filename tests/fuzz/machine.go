package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"fst/compiler/ir"
	"fst/compiler/ir/interp"
	"fst/compiler/object"
	"fst/compiler/types"
	happening "fst/runtime/event"
	"fst/runtime/maps"
	"fst/runtime/render"
	"fst/runtime/value"
)

// interpret runs a program's BEGIN, timer and END clauses in the IR's
// interpreter, and shows what they say as a session would. It stands for one
// CPU.
func interpret(obj *object.Object, progs []*ir.Program) (*output, error) {
	var out, errs bytes.Buffer
	m := &machine{obj: obj, drained: map[int]*value.Snapshot{}, zeroed: map[int]bool{}, out: render.NewText(&out, &errs, obj, newResolver(), render.Options{Quiet: true, Location: time.UTC})}
	for _, spec := range obj.Maps {
		m.maps = append(m.maps, newMap(spec))
	}
	if len(progs) != len(obj.Programs) {
		return nil, fmt.Errorf("%d programs, IR of %d", len(obj.Programs), len(progs))
	}
	run := func(kinds ...object.HookKind) (any bool, err error) {
		for i, p := range obj.Programs {
			for _, h := range p.Hooks {
				if slices.Contains(kinds, h.Kind) {
					any = true
					if err := m.run(progs[i]); err != nil {
						return any, fmt.Errorf("%s: %w\n%s", h.Name, err, progs[i])
					}
				}
			}
		}
		return any, nil
	}
	if _, err := run(object.HookBegin); err != nil {
		return nil, err
	}
	m.drain()
	for i := 0; i < 1000 && !m.exited; i++ {
		if any, err := run(object.HookInterval); err != nil {
			return nil, err
		} else if !any {
			break
		}
		m.drain()
	}
	m.exited = false
	if _, err := run(object.HookEnd); err != nil {
		return nil, err
	}
	m.drain()
	m.out.Event(&happening.Exit{})
	if obj.Config.PrintMapsOnExit {
		m.printMaps()
	}
	if err := m.out.Flush(); err != nil {
		return nil, err
	}
	return &output{out.String(), errs.String()}, nil
}

// machine is a session of interpreted programs.
type machine struct {
	obj     *object.Object
	out     *render.Text
	maps    []interp.Map
	ring    [][]byte // records that were submitted
	pending map[uint64][]byte
	drained map[int]*value.Snapshot // by map, as the last MsgDrain found it
	zeroed  map[int]bool            // aggregations without keys that zero() has found set
	exited  bool
}

func newMap(spec *object.Map) interp.Map {
	if spec.Turns != nil {
		one := *spec
		one.Turns = nil
		return &interp.OfMaps{Array: *interp.NewArray(0, 4), Maps: []interp.Map{newMap(&one), newMap(&one)}}
	}
	switch spec.Kind {
	case object.MapArray, object.MapPerCPUArray, object.MapShared:
		return interp.NewArray(max(spec.MaxEntries, 1), spec.ValueSize)
	}
	return &interp.Hash{Key: spec.KeySize, Val: spec.ValueSize, Max: spec.MaxEntries}
}

const (
	efault = -14
)

func errno(n int64) uint64 { return uint64(n) }

// run runs one program once.
func (m *machine) run(p *ir.Program) error {
	m.pending = map[uint64][]byte{}
	vm := &interp.Machine{Prog: p, Maps: m.maps, MaxSteps: 1e6, Helpers: map[int32]interp.Helper{
		5:   func(*interp.Machine, [5]uint64) (uint64, error) { return 1e12, nil }, // bpf_ktime_get_ns
		8:   func(*interp.Machine, [5]uint64) (uint64, error) { return 0, nil },    // bpf_get_smp_processor_id
		125: func(*interp.Machine, [5]uint64) (uint64, error) { return 1e12, nil }, // bpf_ktime_get_boot_ns
		208: func(*interp.Machine, [5]uint64) (uint64, error) { return 1e12, nil }, // bpf_ktime_get_tai_ns
		131: func(vm *interp.Machine, a [5]uint64) (uint64, error) { // bpf_ringbuf_reserve
			rec := make([]byte, a[1])
			for i := range rec {
				rec[i] = 0xa5 // what was there before
			}
			at := vm.Address(rec)
			m.pending[at] = rec
			return at, nil
		},
		132: func(_ *interp.Machine, a [5]uint64) (uint64, error) { // bpf_ringbuf_submit
			rec, ok := m.pending[a[0]]
			if !ok {
				return 0, fmt.Errorf("a record that was not reserved is submitted")
			}
			delete(m.pending, a[0])
			m.ring = append(m.ring, rec)
			return 0, nil
		},
		133: func(_ *interp.Machine, a [5]uint64) (uint64, error) { // bpf_ringbuf_discard
			delete(m.pending, a[0])
			return 0, nil
		},
		134: func(*interp.Machine, [5]uint64) (uint64, error) { return 0, nil }, // bpf_ringbuf_query
		4:   read, 113: read,                                                    // bpf_probe_read and _kernel
		45: readStr, 115: readStr,
	}}
	_, err := vm.Run(make([]byte, 64))
	if err == nil && len(m.pending) > 0 {
		err = fmt.Errorf("%d records were reserved and neither submitted nor discarded", len(m.pending))
	}
	return err
}

// drain answers the messages, as session.Session does.
func (m *machine) drain() {
	for _, rec := range m.ring {
		msg := m.obj.Messages[binary.LittleEndian.Uint32(rec)]
		if m.exited {
			continue
		}
		switch msg.Kind {
		case object.MsgExit:
			m.exited = true
		case object.MsgPrintMap:
			snap := m.snapshot(msg.Map)
			if msg.Drained {
				snap = m.drained[msg.Map]
			}
			m.out.Event(&happening.Map{Map: m.obj.Maps[msg.Map], Snapshot: snap, Top: number(msg, rec, 0), Div: number(msg, rec, 1)})
		case object.MsgPrintEntry:
			snap, f := m.snapshot(msg.Map), msg.Fields[0]
			key := rec[f.Offset : f.Offset+f.Type.Size]
			snap.Entries = slices.DeleteFunc(snap.Entries, func(e value.Entry) bool { return !bytes.Equal(e.Key, key) })
			m.out.Event(&happening.Map{Map: m.obj.Maps[msg.Map], Snapshot: snap})
		case object.MsgDrain:
			m.drained[msg.Map] = m.take(msg.Map, uint64(number(msg, rec, 0)))
		case object.MsgClear:
			m.clear(msg.Map)
		case object.MsgZero:
			spec := m.obj.Maps[msg.Map]
			for _, one := range m.parts(msg.Map) {
				switch t := (*one).(type) {
				case *interp.Hash:
					for _, v := range t.Values {
						clear(v)
					}
				case *interp.Array:
					if spec.Present < 0 && isSet(spec, t.Values[0]) {
						m.zeroed[msg.Map] = true
					}
					for _, v := range t.Values {
						end := len(v)
						if spec.Present >= 0 {
							end = spec.Present
						}
						clear(v[:end])
					}
				}
			}
		default:
			m.out.Event(&happening.Record{Message: msg, Data: rec})
		}
	}
	m.ring = nil
}

func number(m *object.Message, rec []byte, field int) int64 {
	if field >= len(m.Fields) {
		return 0
	}
	f := m.Fields[field]
	return value.Value{Type: f.Type, Data: rec[f.Offset : f.Offset+f.Type.Size]}.Int()
}

// turn is a number of the map's object.Turns.
func (m *machine) turn(t *object.Turns, at int) []byte {
	return m.maps[t.Map].(*interp.Array).Values[0][t.Offset+at:][:8]
}

// parts are the maps that hold what is in a map: the one in use, and the other one
// if it waits to be taken.
func (m *machine) parts(id int) []*interp.Map {
	t := m.obj.Maps[id].Turns
	if t == nil {
		return []*interp.Map{&m.maps[id]}
	}
	both, now := m.maps[id].(*interp.OfMaps).Maps, m.turn(t, object.TurnsNow)
	parts := []*interp.Map{&both[now[0]&1]}
	if !bytes.Equal(now, m.turn(t, object.TurnsTaken)) {
		parts = append(parts, &both[now[0]&1^1])
	}
	return parts
}

// clear empties a map.
func (m *machine) clear(id int) {
	delete(m.zeroed, id)
	one := *m.obj.Maps[id]
	one.Turns = nil
	for _, p := range m.parts(id) {
		*p = newMap(&one)
	}
}

// take returns what a map held before a turn and empties it, as maps.Map.Drain does.
func (m *machine) take(id int, turn uint64) *value.Snapshot {
	t := m.obj.Maps[id].Turns
	if t == nil {
		s := m.snapshot(id)
		m.clear(id)
		return s
	}
	delete(m.zeroed, id)
	both, s := m.maps[id].(*interp.OfMaps).Maps, &value.Snapshot{}
	now, taken := m.turn(t, object.TurnsNow), m.turn(t, object.TurnsTaken)
	for binary.LittleEndian.Uint64(taken) < turn {
		if bytes.Equal(now, taken) {
			binary.LittleEndian.PutUint64(now, binary.LittleEndian.Uint64(now)+1)
		}
		one := *m.obj.Maps[id]
		one.Turns = nil
		old := &both[now[0]&1^1]
		newer := m.content(&one, *old)
		maps.AddOlder(newer, s, one.Value)
		s, *old = newer, newMap(&one)
		copy(taken, now)
	}
	return s
}

// snapshot is what a map holds.
func (m *machine) snapshot(id int) *value.Snapshot {
	spec, parts := m.obj.Maps[id], m.parts(id)
	s := m.content(spec, *parts[0])
	if len(parts) > 1 {
		maps.AddOlder(s, m.content(spec, *parts[1]), spec.Value)
	}
	return s
}

// content is what one of the interpreter's maps holds.
func (m *machine) content(spec *object.Map, of interp.Map) *value.Snapshot {
	s := &value.Snapshot{}
	switch t := of.(type) {
	case *interp.Hash:
		for k, v := range t.Values {
			s.Entries = append(s.Entries, value.Entry{Key: []byte(k), Value: slices.Clone(v)})
		}
	case *interp.Array:
		if v := t.Values[0]; isSet(spec, v) || m.zeroed[spec.ID] {
			s.Entries = append(s.Entries, value.Entry{Value: slices.Clone(v)})
		}
	}
	return s
}

// isSet reports whether a map without keys has a value.
func isSet(spec *object.Map, v []byte) bool {
	if spec.Present >= 0 {
		v = v[spec.Present : spec.Present+8]
	} else {
		switch spec.Value.Kind {
		case types.Sum, types.Avg, types.Stats, types.Min, types.Max:
			v = v[8:16]
		}
	}
	return slices.ContainsFunc(v, func(b byte) bool { return b != 0 })
}

func (m *machine) printMaps() {
	var script []*object.Map
	for _, spec := range m.obj.Maps {
		if spec.Script {
			script = append(script, spec)
		}
	}
	slices.SortFunc(script, func(a, b *object.Map) int { return strings.Compare(a.Name, b.Name) })
	for _, spec := range script {
		if s := m.snapshot(spec.ID); len(s.Entries) > 0 {
			m.out.Event(&happening.Map{Map: spec, Snapshot: s})
		}
	}
}

// read is bpf_probe_read.
func read(vm *interp.Machine, a [5]uint64) (uint64, error) {
	dst, err := vm.Memory(a[0], int(a[1]))
	if err != nil {
		return 0, err
	}
	src, err := vm.Memory(a[2], int(a[1]))
	if err != nil {
		clear(dst)
		return errno(efault), nil
	}
	copy(dst, src)
	return 0, nil
}

// readStr is bpf_probe_read_str.
func readStr(vm *interp.Machine, a [5]uint64) (uint64, error) {
	dst, err := vm.Memory(a[0], int(a[1]))
	if err != nil {
		return 0, err
	}
	for n := range dst {
		b, err := vm.Memory(a[2]+uint64(n), 1)
		if err != nil {
			clear(dst)
			return errno(efault), nil
		}
		if dst[n] = b[0]; b[0] == 0 {
			return uint64(n + 1), nil
		}
	}
	if len(dst) > 0 {
		dst[len(dst)-1] = 0
	}
	return uint64(len(dst)), nil
}
