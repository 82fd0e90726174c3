package render

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

func TestCSV(t *testing.T) {
	var out, errs bytes.Buffer
	c := NewCSV(&out, &errs, fakeObject(), Options{Location: time.UTC, Now: func() time.Time { return time.Date(2026, 11, 21, 4, 5, 6, 0, time.UTC) }})
	expect := func(name, want, wantErrs string) {
		t.Helper()
		if err := c.Flush(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want = strings.ReplaceAll(strings.ReplaceAll(want, "\n", "\r\n"), "NOW", "2026-11-21T04:05:06Z")
		if out.String() != want || errs.String() != wantErrs {
			t.Errorf("%s:\n%s%swant:\n%s%s", name, &out, &errs, want, wantErrs)
		}
		out.Reset()
		errs.Reset()
	}
	us := types.Unit{Of: types.Time, Scale: 1000}
	now := time.Date(2026, 11, 21, 4, 5, 6, 0, time.UTC)
	show := func(schema []object.Field, keys int, m *object.Map, s *value.Snapshot, top, div int64) {
		m.Schema = &object.Schema{Keys: keys}
		for _, f := range schema {
			m.Schema.Add(f)
		}
		s.Time = now
		c.Event(named(fakeObject(), &event.Map{Map: m, Snapshot: s, Top: top, Div: div}))
	}
	field := func(name string, o operand, unit types.Unit) object.Field {
		return object.Field{Name: name, Type: o.typ, Unit: unit}
	}

	row := func(ops ...operand) {
		m, rec := message(object.MsgRow, "", ops...)
		m.Columns = make([]object.Column, len(ops))
		c.Event(named(fakeObject(), &event.Record{Message: m, Data: rec}))
	}
	row(str("a,b").as("name"), i64(-7).as("n"))
	row(str(`say "x"`).as("name"), i64(1).as("n"))
	row(str("a\nb\x1b[2J\xff").as("name"), i64(1).as("n"))
	expect("rows", "name,n\n\"a,b\",-7\n\"say \"\"x\"\"\",1\na\\nb\\x1b[2J\\xff,1\n", "")
	for _, text := range []string{"=1+1", "@x", "+cmd|' /C calc'!A0", "-bash", "-", "-5", "", " x"} {
		row(str(text).as("name"), i64(2).as("n"))
	}
	expect("formulas", "\\x3d1+1,2\n\\x40x,2\n\\x2bcmd|' /C calc'!A0,2\n\\x2dbash,2\n-,2\n-5,2\n,2\n\" x\",2\n", "")

	key := tuple(str("dd"), kstack(1, "", 127))
	m, s := snapshot("@", key, hist(0, 5, 5, 17))
	show([]object.Field{field("comm", str("dd"), types.Unit{}), field("kstack", kstack(1, "", 127), types.Unit{}), field("hist", hist(0, 5), us)}, 2, m, s, 0, 0)
	expect("histogram", "\ntime,comm,kstack,hist_lo (us),hist_hi (us),hist_count\n"+
		"NOW,dd,vfs_read+1;ksys_read+97,4,7,2\nNOW,dd,vfs_read+1;ksys_read+97,8,15,0\nNOW,dd,vfs_read+1;ksys_read+97,16,31,1\n", "")
	m, s = snapshot("@l", lhist(0, 20, 10, -1, 5, 90))
	show([]object.Field{field("l", lhist(0, 20, 10), types.OneByte)}, 0, m, s, 0, 0)
	expect("lhist", "\ntime,l_lo (bytes),l_hi (bytes),l_count\nNOW,,-1,1\nNOW,0,9,1\nNOW,10,19,0\nNOW,20,,1\n", "")
	for range 2 {
		m, s = snapshot("@time", str("x"), u64(2000), str("y"), u64(9000))
		show([]object.Field{field("time", str("x"), types.Unit{}), field("took_us", u64(1), us)}, 1, m, s, 1, 1000)
	}
	expect("twice", "\ntime,time_2,took_us (ms)\nNOW,y,9\nNOW,y,9\n", "")

	ev, rec := message(object.MsgEvent, "", u64(1000).as("nsecs"), str("ps").as("comm"), integer(types.U32, 3).as("pid"), i64(7).as("pid"))
	ev.Probe = "kprobe:f"
	c.Event(named(fakeObject(), recordOf(ev, rec)))
	expect("event", "\ntime,probe,comm,pid,pid_2\n2026-11-21T04:00:00.000001Z,kprobe:f,ps,3,7\n", "")

	c.Event(named(fakeObject(), &event.Record{Message: &object.Message{Kind: object.MsgPrintf, Format: []object.Verb{{Literal: "text\n"}}}}))
	c.Event(named(fakeObject(), &event.Warning{Text: "w"}))
	c.Event(named(fakeObject(), &event.Exit{}))
	c.Event(named(fakeObject(), &event.Lost{What: object.Loss{Kind: object.LossMapFull}, Count: 3}))
	expect("the rest", "", "text\nWARNING: w\nstdin:1:1-28: WARNING: 3 new keys were not stored: their map was full (max_map_keys is 4096)\n")
}

// TestCSVText: what a parser of the standard makes of any text is what was shown, in one line.
func TestCSVText(t *testing.T) {
	for _, text := range []string{`a`, ``, `"`, `","`, "a\r\nb", ` a `, `,`, `\x3d`, "=x", "\x00"} {
		line := csvCell(nil, []byte(text))
		got, err := csv.NewReader(strings.NewReader(string(line) + "end\r\n")).Read()
		want := strings.ReplaceAll(text, "\r\n", "\n") // as that reader does
		if text == "=x" {
			want = `\x3dx`
		}
		if err != nil || !reflect.DeepEqual(got, []string{want, "end"}) {
			t.Errorf("%q is written %q and read %q: %v", text, line, got, err)
		}
	}
}
