package render

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
)

// TestJSON2 reads each line with encoding/json: all have a time and an entry, values have names and units.
func TestJSON2(t *testing.T) {
	obj := fakeObject()
	var out, errs bytes.Buffer
	now := time.Date(2026, 11, 21, 4, 5, 6, 789000, time.UTC)
	j := NewJSON2(&out, &errs, obj, Options{Location: time.UTC, Now: func() time.Time { return now }})
	show := func(e event.Event) { j.Event(named(obj, e)) }
	us := types.Unit{Of: types.Time, Scale: 1000}

	show(&event.Attached{Probes: 2})
	hello, data := message(object.MsgPrintf, "hello %d\n", i64(3))
	hello.Span = obj.Clauses[1]
	hello.Clause = 1
	show(recordOf(hello, data))
	happened, data := message(object.MsgEvent, "", u64(5e9).as("nsecs"), str("dd").as("comm"), u64(7).as("tid"), kstack(1, "", 127).as("kstack"),
		kind(types.ProbeName, 8, num(1)).as("probe"), u64(250).as("took"))
	happened.Schema.Fields[5].Unit = types.Nanoseconds
	show(recordOf(happened, data))
	line, data := message(object.MsgRow, "", str("a\"b\xff").as("name"), u64(1<<63+1).as("n"))
	line.Columns = make([]object.Column, 2)
	show(recordOf(line, data))
	m, s := snapshot("@wait", tuple(kstack(1, "", 127), str("a,b")), hist(0, 3, 3), tuple(kstack(3, "", 127), str("")), hist(0, 1))
	m.Schema = &object.Schema{Fields: []object.Field{{Name: "kstack", Type: m.Key.Fields()[0].Type}, {Name: "name", Type: m.Key.Fields()[1].Type},
		{Name: "wait", Type: m.Value, Unit: us}}, Keys: 2}
	s.Time = now
	show(&event.Map{Message: hello, Map: m, Snapshot: s})
	sum, s := snapshot("@sum", aggregate(types.Sum, false, 4096, 1))
	sum.Schema = &object.Schema{Fields: []object.Field{{Name: "sum", Type: sum.Value, Unit: types.OneByte}}}
	s.Time = now
	show(&event.Map{Map: sum, Snapshot: s, Div: 1024})
	show(&event.Exit{})
	show(&event.Lost{What: object.Loss{Clause: 1, Kind: object.LossMapFull}, Count: 4})
	if err := j.Flush(); err != nil || errs.Len() > 0 {
		t.Fatal(err, errs.String())
	}

	at := `"time": "2026-11-21T04:05:06.000789Z", "entry": {"script": "fst"`
	second := `, "clause": 2, "line": 2}`
	want := []string{
		`{"type": "attached_probes", ` + at + `}, "count": 2, "data": {"probes": 2}}`,
		`{"type": "printf", ` + at + second + `, "data": "hello 3\n"}`,
		`{"type": "event", "time": "2026-11-21T04:00:05Z", "entry": {"script": "fst", "clause": 1, "line": 1, "probe": "kprobe:g"},
			"data": {"comm": "dd", "tid": 7, "kstack": ["vfs_read+1", "ksys_read+97"], "took": 250}, "units": {"took": "ns"}}`,
		`{"type": "row", ` + at + `, "clause": 1, "line": 1}, "data": {"name": "a\"b\\xff", "n": "9223372036854775809"}}`,
		`{"type": "map", ` + at + second + `, "data": {"map": "@wait", "function": "hist", "keys": ["kstack", "name"], "elements": [
			{"key": [[], ""], "value": [{"min": 1, "max": 1, "count": 1}]},
			{"key": [["vfs_read+1", "ksys_read+97"], "a,b"], "value": [{"min": 2, "max": 3, "count": 2}]}]}, "units": {"wait": "us"}}`,
		`{"type": "map", ` + at + `}, "data": {"map": "@sum", "function": "sum", "keys": [], "elements": [{"key": [], "value": 4}]}, "units": {"sum": "KiB"}}`,
		`{"type": "loss", ` + at + second + `, "msg": "MSG", "kind": "map_full", "count": 4, "clause": 1, "filename": "stdin", "line": 2, "col": 1}`,
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), &out)
	}
	for i, line := range lines {
		var got, expected map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if err := json.Unmarshal([]byte(want[i]), &expected); err != nil {
			t.Fatal(want[i], err)
		}
		if expected["msg"] != nil && got["msg"] != "" {
			got["msg"] = expected["msg"]
		}
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("%s\nwant:\n%s", line, want[i])
		}
	}
}
