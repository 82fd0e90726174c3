package render

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"

	"github.com/google/pprof/profile"
)

// TestPprof: the profile has what the maps have, and go tool pprof reads it.
func TestPprof(t *testing.T) {
	var out, errs bytes.Buffer
	obj := fakeObject()
	p := NewPprof(&out, &errs, obj, Options{})
	key := func(id, pid int, comm string) operand {
		return tuple(kstack(1, "", 127), ustack(id, pid, ""), str(comm))
	}
	typ := key(2, 7, "dd").typ
	schema := &object.Schema{Keys: 3}
	for _, name := range []string{"kstack", "ustack", "comm", "sum"} {
		schema.Add(object.Field{Name: name})
	}
	schema.Fields[3].Unit = types.Unit{Of: types.Time, Scale: 1}
	counts := &object.Schema{Keys: 3, Fields: slices.Clone(schema.Fields)}
	counts.Fields[3].Name, counts.Fields[3].Unit = "count", types.Unit{}
	show := func(m *object.Map, numbers ...uint64) {
		s := &value.Snapshot{}
		for i, n := range numbers {
			s.Entries = append(s.Entries, value.Entry{Key: key(2, 7+i, "dd").data, Value: u64(n).data})
		}
		p.Event(named(obj, &event.Map{Map: m, Snapshot: s}))
	}
	total := &object.Map{Name: "@off", Key: typ, Value: types.U64, Schema: schema}
	show(total, 1, 1) // not emptied: the next is instead of it
	show(total, 3, 4)
	drained := &object.Map{Name: "@", Key: typ, Value: count(1).typ, Schema: counts, Turns: &object.Turns{}}
	show(drained, 10, 5)
	show(drained, 1)
	bytesLeft := &object.Schema{Keys: 3, Fields: slices.Clone(schema.Fields)}
	bytesLeft.Fields[3].Name, bytesLeft.Fields[3].Unit = "left", types.OneByte
	sum := aggregate(types.Sum, true, 0, 1).typ
	left := &object.Map{Name: "@left", Key: typ, Value: sum, Schema: bytesLeft, Turns: &object.Turns{}}
	for _, n := range []int64{100, -70} { // a number below 0 takes away from those before
		s := &value.Snapshot{Entries: []value.Entry{{Key: key(2, 7, "dd").data, Value: aggregate(types.Sum, true, n, 1).data}}}
		p.Event(named(obj, &event.Map{Map: left, Snapshot: s}))
	}
	p.Event(&event.Warning{Text: "look"})
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	got, err := profile.ParseData(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var off, counted, kept int64
	for _, s := range got.Sample {
		off, counted, kept = off+s.Value[0], counted+s.Value[1], kept+s.Value[2]
		if s.Label["comm"][0] != "dd" || len(s.Location) != 4 || s.Location[0].Line[0].Function.Name != "vfs_read" {
			t.Errorf("%v", s)
		}
	}
	samples := got.SampleType
	if off != 7 || counted != 16 || samples[0].Type != "off" || samples[0].Unit != "nanoseconds" || samples[1].Type != "count" || samples[1].Unit != "count" {
		t.Errorf("%d of %+v, %d of %+v", off, samples[0], counted, samples[1])
	}
	if kept != 30 || samples[2].Unit != "bytes" {
		t.Errorf("%d of %+v", kept, samples[2])
	}
	if errs.String() != "WARNING: look\n" {
		t.Errorf("%q", &errs)
	}
	if testing.Short() { // Go builds the tool when it is run first, which takes a minute
		t.Skip("go tool pprof is not run with -short")
	}
	file := filepath.Join(t.TempDir(), "out.pb.gz")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	top, err := exec.Command("go", "tool", "pprof", "-top", "-symbolize=none", "-sample_index=1", file).CombinedOutput()
	if err != nil && strings.Contains(string(top), "no such tool") {
		t.Skip("this Go has no pprof")
	}
	if err != nil || !strings.Contains(string(top), "100% of 16 total") || !strings.Contains(string(top), "vfs_read") {
		t.Errorf("%v: %s", err, top)
	}
}
