package render

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
)

func TestAttached(t *testing.T) {
	b := newBoth()
	b.each(func(o form) { o.Attached(1); o.Attached(2) })
	b.expect(t, "attached", "", `{"type": "attached_probes", "count": 1, "data": {"probes": 1}}`+"\n"+`{"type": "attached_probes", "count": 2, "data": {"probes": 2}}`+"\n")
	if got := b.errs.String(); got != "Attached 1 probe\nAttached 2 probes\n" {
		t.Errorf("%q", got)
	}
	b.errs.Reset()
	b.text.opts.Quiet = true
	form{b.text, b.obj}.Attached(3)
	if b.errs.Len() > 0 {
		t.Errorf("quiet, but %q", &b.errs)
	}
}

func TestTime(t *testing.T) {
	b := newBoth()
	m, rec := message(object.MsgTime, "%H:%M:%S\n")
	m.Format = []object.Verb{{Literal: "%H:%M:%S\n"}}
	b.each(func(o form) { o.Message(m, rec) })
	b.expect(t, "time", "04:05:06\n", `{"type": "time", "data": "04:05:06\n"}`+"\n")
}

func TestJoin(t *testing.T) {
	b := newBoth()
	word := types.StringType(8)
	args := operand{typ: types.ArrayOf(word, 4)}
	for _, w := range []string{"ls", "-l", "", "old"} {
		args.data = append(args.data, append([]byte(w), make([]byte, 8-len(w))...)...)
	}
	for _, arg := range []operand{args, buffer("ls\x00-l\x00")} {
		m, rec := message(object.MsgJoin, "", arg)
		m.Sep = ","
		b.each(func(o form) { o.Message(m, rec) })
		b.expect(t, "join", "ls,-l\n", `{"type": "join", "data": "ls,-l"}`+"\n")
	}
}

// TestOutput: what actions bring.
func TestOutput(t *testing.T) {
	b := newBoth()
	before, brec := message(object.MsgPrintf, "before\n")
	cat, _ := message(object.MsgCat, "%s", str("f"))
	system, _ := message(object.MsgSystem, "x")
	b.each(func(o form) {
		o.Message(before, brec)
		o.Output(cat, []byte("a\x1b\n"))
		o.Output(system, []byte("hi\n"))
		o.Failure("system: x: ended with exit code 3")
	})
	b.expect(t, "output", "before\na\\x1b\nhi\n", `{"type": "printf", "data": "before\n"}`+"\n"+`{"type": "cat", "data": "a\u001b\n"}`+"\n"+
		`{"type": "syscall", "data": "hi\n"}`+"\n")
	if got := b.errs.String(); got != "ERROR: system: x: ended with exit code 3\n" {
		t.Errorf("%q", got)
	}
}

func TestErrorfAndWarnf(t *testing.T) {
	b := newBoth()
	file := b.obj.Sources.File(1)
	for _, k := range []object.MessageKind{object.MsgErrorf, object.MsgWarnf} {
		m, rec := message(k, "w %d", i64(1))
		m.Span = file.Span(8, 24)
		b.each(func(o form) { o.Message(m, rec) })
	}
	b.expect(t, "errorf", "", `{"type": "errorf", "msg": "w 1", "filename": "stdin", "line": 1, "col": 9}`+"\n"+
		`{"type": "warnf", "msg": "w 1", "filename": "stdin", "line": 1, "col": 9}`+"\n")
	if got := b.errs.String(); got != "stdin:1:9-25: ERROR: w 1\nstdin:1:9-25: WARNING: w 1\n" {
		t.Errorf("%q", got)
	}
	b.errs.Reset()
	b.text.opts.NoWarnings = true
	m, rec := message(object.MsgWarnf, "w")
	form{b.text, b.obj}.Message(m, rec)
	form{b.text, b.obj}.Warn("w")
	if b.errs.Len() > 0 {
		t.Errorf("no warnings, but %q", &b.errs)
	}
}

func TestRuntimeError(t *testing.T) {
	b := newBoth()
	m, rec := message(object.MsgRuntimeError, "", i64(int64(object.LossDivision)))
	m.Span = b.obj.Sources.File(1).Span(40, 49)
	b.each(func(o form) { o.Message(m, rec) })
	b.expect(t, "division", "", `{"type": "runtime_error", "msg": "division by zero; 1 was used as the result", "filename": "stdin", "line": 2, "col": 13}`+"\n")
	want := "stdin:2:13-22: WARNING: division by zero; 1 was used as the result\nkprobe:f { @x[1] = 1; }\n            ~~~~~~~~~\n"
	if got := b.errs.String(); got != want {
		t.Errorf("%q", got)
	}
}

func TestEvent(t *testing.T) {
	b := newBoth()
	comm := str("ps").as("comm")
	m, rec := message(object.MsgEvent, "", u64(1e9+2000).as("nsecs"), comm, integer(types.U32, 42).as("pid"), integer(types.U32, 43).as("tid"), kind(types.ProbeName, 8, num(1)).as("probe"),
		str("/etc/passwd").as("filename"), i64(7).as("pid"), i64(-2).as("retval"), u64(12345).as("took"))
	b.each(func(o form) { o.Message(m, rec) })
	b.expect(t, "event", `04:00:01.000002 ps                   42 kprobe:g filename="/etc/passwd" pid=7 = -2 (No such file or directory) 12.3us`+"\n",
		`{"type": "event", "data": {"time": "2026-11-21T04:00:01.000002Z", "comm": "ps", "pid": 42, "tid": 43, "probe": "kprobe:g", "args": {"filename": "/etc/passwd", "pid": 7}, "ret": -2, "took": 12345}}`+"\n")
	m, rec = message(object.MsgEvent, "", u64(1e9).as("nsecs"), comm)
	m.Probe = "kprobe:h"
	b.each(func(o form) { o.Message(m, rec) })
	b.expect(t, "short event", "04:00:01.000000 ps              kprobe:h\n",
		`{"type": "event", "data": {"time": "2026-11-21T04:00:01Z", "comm": "ps", "probe": "kprobe:h", "args": {}}}`+"\n")
}

func TestDurations(t *testing.T) {
	for ns, want := range map[uint64]string{0: "0ns", 999: "999ns", 1000: "1.00us", 12345: "12.3us", 123456: "123us", 4567890: "4.56ms", 1230000000: "1.23s", 3600e9: "3600s"} {
		if got := string(appendDuration(nil, ns)); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}

func TestLosses(t *testing.T) {
	b := newBoth()
	b.each(func(o form) {
		o.Lost(object.Loss{Clause: 0, Kind: object.LossRingFull}, 9)
		o.Lost(object.Loss{Clause: 0, Kind: object.LossRingFull}, 3)
		o.Lost(object.Loss{Clause: 1, Kind: object.LossMissed}, 0)
	})
	b.expect(t, "at once", "", `{"type": "lost_events", "count": 9, "data": {"events": 9}}`+"\n"+`{"type": "lost_events", "count": 3, "data": {"events": 3}}`+"\n")
	if got := b.errs.String(); got != "Lost 9 events\nLost 3 events\n" {
		t.Errorf("%q", got)
	}
	b.errs.Reset()
	b.each(func(o form) {
		o.Exit()
		o.Lost(object.Loss{Clause: 0, Kind: object.LossRingFull}, 12)
		o.Lost(object.Loss{Clause: 1, Kind: object.LossMapFull}, 3)
	})
	const ring = "12 events were dropped: the buffer was full because events came faster than they could be printed"
	const full = "3 new keys were not stored: their map was full (max_map_keys is 4096)"
	b.expect(t, "at exit", "\n\n",
		`{"type": "loss", "msg": "`+ring+`", "kind": "ring_full", "count": 12, "clause": 0, "filename": "stdin", "line": 1, "col": 1}`+"\n"+
			`{"type": "loss", "msg": "`+full+`", "kind": "map_full", "count": 3, "clause": 1, "filename": "stdin", "line": 2, "col": 1}`+"\n")
	if got, want := b.errs.String(), "stdin:1:1-28: WARNING: "+ring+"\nstdin:2:1-24: WARNING: "+full+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOrder sends a map print between two events, as a queue does.
func TestOrder(t *testing.T) {
	b := newBoth()
	m, rec := message(object.MsgPrintf, "x\n")
	steer, srec := message(object.MsgClear, "")
	b.each(func(o form) { o.Message(m, rec) })
	showMap(b, 0, 0, "@m", i64(1), i64(2))
	b.each(func(o form) { o.Message(steer, srec); o.Message(m, rec) })
	b.expect(t, "order", "x\n@m[1]: 2\nx\n", `{"type": "printf", "data": "x\n"}`+"\n"+`{"type": "map", "data": {"@m": {"1": 2}}}`+"\n"+`{"type": "printf", "data": "x\n"}`+"\n")
}

// TestJSONIsValid parses strings of all bytes.
func TestJSONIsValid(t *testing.T) {
	var all strings.Builder
	for c := 1; c < 256; c++ {
		all.WriteByte(byte(c))
	}
	b := newBoth()
	m, rec := message(object.MsgPrintf, "%s", str(all.String()))
	form{b.json, b.obj}.Message(m, rec)
	showMap(b, 0, 0, "@m", str(all.String()), str(all.String()))
	b.json.Flush()
	for line := range strings.Lines(b.lines.String()) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrorIsKept(t *testing.T) {
	out := NewText(brokenPipe{}, brokenPipe{}, fakeObject(), Options{LineBuffered: true})
	m, rec := message(object.MsgPrintf, "x\n")
	form{out, fakeObject()}.Message(m, rec)
	form{out, fakeObject()}.Message(m, rec)
	if err := out.Flush(); err != os.ErrClosed {
		t.Errorf("got %v", err)
	}
}
