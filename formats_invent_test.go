package fst

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/clock"
	"fst/runtime/debuginfo"
	"fst/runtime/event"
	"fst/runtime/value"
)

// inventedSystem knows a name for everything.
type inventedSystem struct{}

var inventedStart = time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)

func (inventedSystem) Wall(boot int64) time.Time                { return clock.At(inventedStart).Wall(boot).UTC() }
func (inventedSystem) TAIOffset() time.Duration                 { return 37 * time.Second }
func (inventedSystem) KernelSymbolSize(uint64) uint64           { return 0x1000 }
func (inventedSystem) UserSource(int, uint64) []debuginfo.Place { return nil }
func (inventedSystem) BuildID(int, uint64) (string, uint64)     { return "1bcd", 4 }
func (inventedSystem) Stack(s value.Stack) []uint64             { return []uint64{0x1000 + s.ID<<4, 0x2000} }
func (inventedSystem) UserName(uint32) string                   { return "root" }
func (inventedSystem) CgroupPath(uint64) string                 { return "unified:/a,b" }
func (inventedSystem) ContainerName(uint64) string              { return "web" }
func (inventedSystem) PodName(uint64) string                    { return "default/web-1" }
func (inventedSystem) SyscallName(uint64) string                { return "read" }
func (inventedSystem) OtherProbe(uint64) (string, bool)         { return "kprobe:f", true }
func (inventedSystem) KernelSymbol(addr uint64) (string, uint64, string) {
	return fmt.Sprintf("k%x", addr), 1, ""
}
func (inventedSystem) UserSymbol(_ int, addr uint64) (string, uint64, string) {
	return fmt.Sprintf("u%x", addr), 1, "/bin/a b"
}

// inventor makes up what a session of a program says. Numbers occur once, and texts have what formats must escape.
type inventor struct {
	obj  *object.Object
	last int64
}

func (in *inventor) number() int64 { in.last++; return in.last }

func words(ns ...int64) (b []byte) {
	for _, n := range ns {
		b = binary.NativeEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// fill makes up a value of a type.
func (in *inventor) fill(t *types.Type, data []byte) {
	put := func(ns ...int64) { copy(data[:t.Size], words(ns...)) }
	switch {
	case t.Kind == types.Int, t.Kind == types.Enum, t.Kind == types.Bool:
		n := in.number()
		if t.Kind == types.Bool {
			n &= 1
		}
		whole := words(n)
		copy(data[:t.Size], whole) // of a little-endian machine, or 8 bytes
		if t.Size < 4 {
			clear(data[:t.Size])
			data[0] = byte(n % 100)
		}
	case t.Kind == types.String, t.Kind == types.Array && t.IsCharArray():
		text := fmt.Sprintf("%d\"a,b; c=\n<d>\\", in.number())
		copy(data[:t.Size-1], text)
	case t.Kind == types.Buffer:
		binary.NativeEndian.PutUint32(data, uint32(min(4, t.Len)))
	case t.Kind == types.Array:
		for i := range t.Len {
			in.fill(t.Elem, data[i*t.Elem.Size:])
		}
	case t.Kind == types.Tuple, t.Kind == types.Record, t.Kind == types.Struct:
		for _, f := range t.Fields() {
			in.fill(f.Type, data[f.Offset:])
		}
	case t.Kind == types.UStack, t.Kind == types.USym:
		put(in.number(), 7)
	case t.Kind.IsNamed():
		put(types.Named | in.number()%50)
	case t.Kind == types.ProbeName:
		put(1)
	case t.Kind == types.Hist, t.Kind == types.LHist:
		put(0, in.number(), in.number(), 0, in.number())
	case t.Kind == types.Quantile:
		put(0, in.number(), in.number())
		binary.NativeEndian.PutUint64(data[types.QuantileMax:], types.QuantileBias+5)
	case t.Kind == types.TSeries:
		put(1000, in.number(), 1, 1001, in.number(), 1)
	case t.Kind == types.Top:
		put(0, 9, 0, in.number(), 1)
		in.fill(t.Agg.Elem, data[40:])
	case t.Kind.IsAggregation():
		put(in.number(), 1) // seen once, or the count
	case t.Kind != types.Inet && t.Kind != types.MAC && t.Kind != types.Union:
		put(in.number())
	}
}

func (in *inventor) value(t *types.Type) []byte {
	data := make([]byte, t.Size)
	in.fill(t, data)
	return data
}

// snapshot makes up three elements of a map.
func (in *inventor) snapshot(m *object.Map) *value.Snapshot {
	s := &value.Snapshot{Time: inventedStart}
	for range 3 {
		e := value.Entry{Value: in.value(m.Value)}
		if m.Key != nil {
			e.Key = in.value(m.Key)
		}
		s.Entries = append(s.Entries, e)
		if m.Key == nil {
			break
		}
	}
	return s
}

// events are what the program shows, each message once, and at the end what its other maps hold.
func (in *inventor) events() (list []event.Event) {
	shown := map[int]bool{}
	maps := map[int]*value.Snapshot{}
	for _, m := range in.obj.Maps {
		if m.Script && m.Value != nil {
			maps[m.ID] = in.snapshot(m)
		}
	}
	list = append(list, &event.Attached{Probes: 2})
	for _, m := range in.obj.Messages {
		switch {
		case m.Kind == object.MsgTable:
			e := &event.Table{Message: m}
			for _, id := range m.Table.Maps {
				s := *maps[id]
				s.Entries = slices.Clone(s.Entries)
				for i := range s.Entries { // all have the same keys
					s.Entries[i].Key = maps[m.Table.Maps[0]].Entries[i].Key
				}
				e.Maps, e.Snapshots = append(e.Maps, in.obj.Maps[id]), append(e.Snapshots, &s)
			}
			list = append(list, e)
		case m.Kind == object.MsgHeat && !shown[m.Map]:
			shown[m.Map] = true
			list = append(list, &event.Heat{Message: m, Map: in.obj.Maps[m.Map], Snapshot: maps[m.Map]})
		case m.Kind == object.MsgPrintMap && !shown[m.Map]:
			shown[m.Map] = true
			list = append(list, &event.Map{Message: m, Map: in.obj.Maps[m.Map], Snapshot: maps[m.Map]})
		case m.Kind == object.MsgCat:
			list = append(list, &event.Output{Message: m, Text: []byte("a,b\nc\n")})
		case m.Kind.IsShown() && m.Kind != object.MsgTable && !m.Kind.NeedsMap() && m.Kind != object.MsgSystem && m.Kind != object.MsgPacket:
			list = append(list, in.record(m))
		}
	}
	list = append(list, &event.Exit{})
	for _, m := range in.obj.Maps {
		if s := maps[m.ID]; s != nil && !m.Scratch && !m.Unused && !shown[m.ID] {
			list = append(list, &event.Map{Map: m, Snapshot: s})
		}
	}
	return list
}

func (in *inventor) record(m *object.Message) *event.Record {
	r := &event.Record{Message: m, Data: make([]byte, m.Size)}
	binary.NativeEndian.PutUint32(r.Data[4:], 1)
	for _, f := range m.Fields {
		in.fill(f.Type, r.Data[f.Offset:])
	}
	if m.Time != 0 {
		binary.NativeEndian.PutUint64(r.Data[m.Time:], uint64(in.number()))
	}
	r.Stamp = event.StampOf(m, r.Data, clock.At(inventedStart))
	return r
}
