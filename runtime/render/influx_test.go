package render

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/source"
	"fst/runtime/event"
	"fst/runtime/value"
)

// TestInflux compares whole lines: each is a point that a database would take.
func TestInflux(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	obj.Sources = &source.Set{}
	obj.Sources.Add("/tools/disk lat.fst", fakeScript)
	now := time.Unix(5, 6)
	in := NewInflux(&out, &errs, obj, Options{Location: time.UTC, Now: func() time.Time { return now }})
	expect := func(name, want string) {
		t.Helper()
		if err := in.Flush(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := out.String(); got != want {
			t.Errorf("%s:\n%swant:\n%s", name, got, want)
		}
		out.Reset()
	}
	show := func(m *object.Map, entries ...value.Entry) {
		m.Script, m.Schema = true, &object.Schema{}
		if m.Key != nil {
			for i, part := range event.KeyParts(value.Of(m.Key, entries[0].Key)) {
				m.Schema.Add(object.Field{Name: []string{"comm", "pid"}[i], Type: part.Type})
			}
		}
		m.Schema.Keys = len(m.Schema.Fields)
		m.Schema.Add(object.Field{Name: cmp.Or(strings.TrimPrefix(m.Name, "@"), "count"), Type: m.Value})
		form{in, fakeObject()}.Map(m, &value.Snapshot{Time: now, Entries: entries}, 0, 0)
	}
	entry := func(key, val operand) value.Entry { return value.Entry{Key: key.data, Value: val.data} }

	form{in, fakeObject()}.Attached(2)
	expect("attached", "")
	form{in, fakeObject()}.Message(&object.Message{Kind: object.MsgPrintf, Format: []object.Verb{{Literal: "one\n\ntwo\n"}}}, nil)
	expect("text", "# one\n# two\n")

	show(&object.Map{Name: "@used", Value: types.I64}, entry(operand{}, i64(-3)))
	expect("scalar", "disk\\ lat used=-3i 5000000006\n")
	show(&object.Map{Name: "@", Value: types.U64}, entry(operand{}, u64(1<<63)))
	expect("unsigned", "disk\\ lat count=9223372036854775808u 5000000006\n")

	key := tuple(str(`a b,c=d\`), i64(7))
	show(&object.Map{Name: "@n", Key: key.typ, Value: types.BoolType}, entry(key, boolean(true)))
	expect("keys", `disk\ lat,comm=a\ b\,c\=d\x5c,pid=7 n=true 5000000006`+"\n")
	rec := record(str("x").as("comm"), i64(7).as("pid"))
	show(&object.Map{Name: "@s", Key: rec.typ, Value: types.StringType(8)}, entry(rec, operand{data: []byte("q\"\\\x00\x00\x00\x00\x00")}))
	expect("names and text", `disk\ lat,comm=x,pid=7 s="q\"\\" 5000000006`+"\n")
	show(&object.Map{Name: "@k", Key: kstack(1, "", 127).typ, Value: types.I64}, entry(kstack(1, "", 127), i64(1)))
	expect("stack", "disk\\ lat,comm=vfs_read+1;ksys_read+97 k=1i 5000000006\n")

	hist := make([]byte, 8*types.HistBuckets(0))
	hist[0], hist[8*5], hist[8*7] = 2, 3, 1
	show(&object.Map{Name: "@h", Value: &types.Type{Kind: types.Hist, Size: len(hist)}}, value.Entry{Value: hist})
	expect("hist", "disk\\ lat h_below=2i,h_ge_0=0i,h_ge_1=0i,h_ge_2=0i,h_ge_4=0i,h_ge_8=3i,h_ge_16=0i,h_ge_32=1i,h_count=6i 5000000006\n")
	stats := operand{typ: &types.Type{Kind: types.Stats, Size: 16}, data: append(num(7), num(2)...)}
	show(&object.Map{Name: "@st", Value: stats.typ}, entry(operand{}, stats))
	expect("stats", "disk\\ lat st_count=2i,st_average=3i,st_total=7i 5000000006\n")

	m, data := message(object.MsgPrintValue, "", i64(7).as("x"))
	m.Time, data = len(data), append(data, num(2e9)...)
	form{in, fakeObject()}.Message(m, data)
	expect("the time of the kernel", "disk\\ lat x=7i 1795233602000000000\n")

	parts := tuple(str("dd"), i64(7))
	m, data = message(object.MsgPrintValue, "", parts.as("value"))
	m.Schema.Fields[0].Parts = []object.Field{{Name: "comm"}, {Name: "ret"}}
	m.Time, data = len(data), append(data, num(2e9)...)
	form{in, fakeObject()}.Message(m, data)
	expect("names of parts", "disk\\ lat comm=\"dd\",ret=7i 1795233602000000000\n")

	form{in, fakeObject()}.Lost(object.Loss{Clause: 1, Kind: object.LossMapFull}, 4)
	expect("lost", "disk\\ lat,kind=map_full lost=4i 5000000006\n")
	form{in, fakeObject()}.Exit()
	form{in, fakeObject()}.Lost(object.Loss{Clause: 1, Kind: object.LossMapFull}, 6) // all in all
	expect("losses at the end", "disk\\ lat,kind=map_full lost=2i 5000000006\n")
	form{in, fakeObject()}.Warn("look")
	if got := errs.String(); !bytes.HasPrefix(errs.Bytes(), []byte("Attached 2 probes\n")) || !bytes.HasSuffix(errs.Bytes(), []byte("WARNING: look\n")) {
		t.Errorf("said %q", got)
	}
}
