package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// protoField is a field of a message as it is on the wire.
type protoField struct {
	number int
	value  uint64
	bytes  []byte
}

// protoFields reads a message. Fields have the two types that fst writes.
func protoFields(t *testing.T, b []byte) (all []protoField) {
	t.Helper()
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		v, m := binary.Uvarint(b[max(0, n):])
		if n <= 0 || m <= 0 || tag&7 != 0 && tag&7 != 2 {
			t.Fatalf("no field: %x", b)
		}
		f := protoField{number: int(tag >> 3), value: v}
		b = b[n+m:]
		if tag&7 == 2 {
			f.bytes, b = b[:v], b[v:]
		}
		all = append(all, f)
	}
	return all
}

// traced is a trace as a reader of Perfetto's schema understands it: the numbers of fields are those of the public
// schema (github.com/google/perfetto, protos/perfetto/trace), written out here once more.
type traced struct {
	tracks map[uint64]string
	spans  []string          // "track: name from to" or "track: name at", or "track = value"
	notes  map[string]string // of the events of a name
}

func traceOf(t *testing.T, b []byte) traced {
	t.Helper()
	tr := traced{tracks: map[uint64]string{}, notes: map[string]string{}}
	type open struct {
		name  string
		start uint64
	}
	stacks, last := map[uint64][]open{}, map[uint64]uint64{}
	for _, packet := range protoFields(t, b) {
		if packet.number != 1 {
			t.Fatalf("field %d of the trace", packet.number)
		}
		var at uint64
		for _, f := range protoFields(t, packet.bytes) {
			switch f.number {
			case 8: // timestamp
				at = f.value
			case 60: // track_descriptor
				var id uint64
				name := ""
				for _, d := range protoFields(t, f.bytes) {
					switch d.number {
					case 1:
						id = d.value
					case 2:
						name = string(d.bytes)
					case 8: // counter
						for _, p := range protoFields(t, d.bytes) {
							if p.number == 6 { // its unit
								name += " in " + string(p.bytes)
							}
						}
					case 3, 4: // process, thread
						for _, p := range protoFields(t, d.bytes) {
							switch {
							case p.number < 3:
								name += fmt.Sprint(p.value, " ")
							default:
								name += string(p.bytes)
							}
						}
					}
				}
				if tr.tracks[id] != "" || id == 0 {
					t.Errorf("track %d is described twice", id)
				}
				tr.tracks[id] = name
			case 11: // track_event
				var kind, track, count uint64
				name, notes := "", ""
				for _, e := range protoFields(t, f.bytes) {
					switch e.number {
					case 4: // debug_annotation
						note := ""
						for _, n := range protoFields(t, e.bytes) {
							switch n.number {
							case 10: // its name
								notes += " " + string(n.bytes) + "="
							case 3, 4:
								note = fmt.Sprint(int64(n.value))
							case 6:
								note = string(n.bytes)
							}
						}
						notes += note
					case 9:
						kind = e.value
					case 11:
						track = e.value
					case 23:
						name = string(e.bytes)
					case 30:
						count = e.value
					}
				}
				tr.notes[name] += notes
				where := tr.tracks[track]
				if where == "" || at < last[track] && kind != 4 {
					t.Errorf("%q on track %q at %d, after %d", name, where, at, last[track])
				}
				last[track] = at
				switch s := stacks[track]; kind {
				case 1:
					stacks[track] = append(s, open{name, at})
				case 2:
					if len(s) == 0 {
						t.Fatalf("an end without a begin on %s", where)
					}
					tr.spans = append(tr.spans, fmt.Sprintf("%s: %s %d %d", where, s[len(s)-1].name, s[len(s)-1].start, at))
					stacks[track] = s[:len(s)-1]
				case 3:
					tr.spans = append(tr.spans, fmt.Sprintf("%s: %s %d", where, name, at))
				case 4:
					tr.spans = append(tr.spans, fmt.Sprintf("%s = %d at %d", where, int64(count), at))
				}
			}
		}
	}
	for id, s := range stacks {
		if len(s) > 0 {
			t.Errorf("%d spans have no end on %s", len(s), tr.tracks[id])
		}
	}
	slices.Sort(tr.spans)
	return tr
}

// TestPerfetto: spans are as long as events took and on the track of their thread or disk, those that overlap beside each other,
// and numbers of maps are counters.
func TestPerfetto(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	f := NewPerfetto(&out, &errs, obj, Options{})
	call := func(name string, tid, end, took uint64, more ...operand) {
		fields := append([]operand{u64(end).as("nsecs"), str("dd").as("comm"), integer(types.U32, 7).as("pid"), integer(types.U32, int64(tid)).as("tid")}, more...)
		m, rec := message(object.MsgEvent, "", append(fields, u64(took).as("took"))...)
		m.Probe, m.Time = name, m.Fields[0].Offset
		f.Event(named(obj, recordOf(m, rec)))
	}
	call("inner", 7, 900, 300)
	call("outer", 7, 1000, 500)
	call("next", 7, 1200, 200)
	call("late", 8, 950, 100)
	call("across", 8, 1000, 100) // overlaps, and lies not within
	call("io:done", 8, 2000, 1500, str("sda").as("disk"), str("write").as("op"))
	call("io:done", 8, 2500, 1500, str("sda").as("disk"), str("read").as("op"))
	call("instant", 9, 50, 0)
	s := &value.Snapshot{Time: fakeSystem{}.Wall(3000)}
	s.Entries = append(s.Entries, value.Entry{Key: num(3), Value: num(-5)})
	f.Event(named(obj, &event.Map{Map: &object.Map{Name: "@x", Key: types.I64, Value: types.I64, Schema: &object.Schema{Fields: []object.Field{{Name: "key"}, {Name: "x"}}, Keys: 1}}, Snapshot: s}))
	pair := tuple(i64(7), u64(3000))
	s = &value.Snapshot{Time: fakeSystem{}.Wall(3000), Entries: []value.Entry{{Key: num(3), Value: pair.data}}}
	parts := []object.Field{{Name: "at_0"}, {Name: "at_took", Unit: types.Unit{Of: types.Time, Scale: 1}}}
	schema := &object.Schema{Fields: []object.Field{{Name: "key", Type: types.I64}, {Name: "at", Type: pair.typ, Parts: parts}}, Keys: 1}
	f.Event(named(obj, &event.Map{Map: &object.Map{Name: "@at", Key: types.I64, Value: pair.typ, Schema: schema}, Snapshot: s, Div: 1000}))
	m, rec := message(object.MsgPrintValue, "", pair.as("value"))
	m.Schema.Fields[0].Parts = parts
	m.Time, rec = len(rec), append(rec, num(1500)...)
	f.Event(named(obj, recordOf(m, rec)))
	calls, shown := snapshot("@calls", str("dd"), count(4))
	spent, times := snapshot("@us", str("dd"), aggregate(types.Stats, false, 50, 2))
	for _, of := range []*object.Map{calls, spent} {
		of.Schema = &object.Schema{Keys: 1, Fields: []object.Field{{Name: "comm"}, {Name: of.Name}}}
	}
	table := &object.Message{Kind: object.MsgTable, Table: &object.Table{Maps: []int{0, 1}, Terms: []object.Term{{Map: 0}, {Map: 1}}},
		Schema: &object.Schema{Keys: 1, Fields: []object.Field{{Name: "comm"}, {Name: "calls"}, {Name: "us", Unit: types.Unit{Of: types.Time, Scale: 1000}}}}}
	shown.Time = fakeSystem{}.Wall(3000)
	f.Event(named(obj, &event.Table{Message: table, Maps: []*object.Map{calls, spent}, Snapshots: []*value.Snapshot{shown, times}}))
	f.Event(&event.Warning{Text: "look"})
	if err := f.End(); err != nil {
		t.Fatal(err)
	}
	got := traceOf(t, out.Bytes())
	want := []string{"7 7 dd: inner 600 900", "7 7 dd: next 1000 1200", "7 7 dd: outer 500 1000", "7 8 dd: late 850 950", "7 9 dd: instant 50",
		"@at[3].at_0 = 0 at 3000", "@at[3].at_took in us = 3 at 3000", "@x[3] = -5 at 3000", "calls[dd] = 4 at 3000", "dd 8 (2): across 900 1000", "disk sda: read 1000 2500", "disk sda: write 500 2000",
		"us[dd].average in us = 25 at 3000", "us[dd].count = 2 at 3000", "us[dd].total in us = 50 at 3000", "values: value 1500"}
	if got.notes["value"] != " at_0=7 at_took_ns=3000" {
		t.Errorf("%q", got.notes)
	}
	if !slices.Equal(got.spans, want) || errs.String() != "WARNING: look\n" {
		t.Errorf("%q\nwant\n%q\n%q", got.spans, want, &errs)
	}
}
