package action

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
)

// log writes down what comes out of a Runner.
type log struct{ lines []string }

func (l *log) Event(e event.Event) {
	switch e := e.(type) {
	case *event.Output:
		l.lines = append(l.lines, fmt.Sprintf("output %q", e.Text))
	case *event.Failure:
		l.lines = append(l.lines, "failure "+e.Text)
	default:
		l.lines = append(l.lines, fmt.Sprintf("%T", e))
	}
}

func (l *log) Flush() error { l.lines = append(l.lines, "flush"); return nil }

// runner makes a Runner for which a record's data is the text of its command.
func runner() (*Runner, *log) {
	l := &log{}
	return &Runner{Next: l, MaxCat: 5, Command: func(r *event.Record) string { return string(r.Data) }}, l
}

func ask(r *Runner, kind object.MessageKind, text string) {
	r.Event(&event.Record{Message: &object.Message{Kind: kind}, Data: []byte(text)})
}

func (l *log) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(l.lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	l.lines = nil
}

func TestCat(t *testing.T) {
	r, l := runner()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	ask(r, object.MsgCat, path)
	ask(r, object.MsgCat, "/nonexistent/\x1b")
	l.expect(t, `output "01234"`, `failure cat: /nonexistent/\x1b: No such file or directory`)
}

func TestSystem(t *testing.T) {
	r, l := runner()
	var errs strings.Builder
	r.Stderr = &errs
	ask(r, object.MsgSystem, "echo hi; echo oops >&2; exit 3")
	l.expect(t, "flush", `output "hi\n"`, "failure system: echo hi; echo oops >&2; exit 3: ended with exit code 3")
	if errs.String() != "oops\n" {
		t.Errorf("%q", errs.String())
	}
	var out strings.Builder
	r.Stdout = &out
	ask(r, object.MsgSystem, "echo direct")
	l.expect(t, "flush")
	if out.String() != "direct\n" {
		t.Errorf("%q", out.String())
	}
}

// TestOtherEvents: what asks for nothing is handed on.
func TestOtherEvents(t *testing.T) {
	r, l := runner()
	ask(r, object.MsgPrintf, "x")
	r.Event(&event.Remark{Text: "x"})
	r.Event(&event.Exit{})
	r.Flush()
	l.expect(t, "*event.Record", "*event.Remark", "*event.Exit", "flush")
}

func TestPacket(t *testing.T) {
	r, l := runner()
	path := t.TempDir() + "/x.pcap"
	m := &object.Message{Kind: object.MsgPacket, Sep: path}
	data := make([]byte, object.HeaderSize)
	field := func(typ *types.Type, b []byte) {
		m.Fields = append(m.Fields, object.MessageField{Type: typ, Offset: len(data)})
		data = append(data, b...)
	}
	field(types.U64, binary.NativeEndian.AppendUint64(nil, 10e9))
	field(types.IntType(4, false), binary.NativeEndian.AppendUint32(nil, 60))
	field(&types.Type{Kind: types.Buffer, Len: 2, Size: 8}, append(binary.NativeEndian.AppendUint32(nil, 2), 0x45, 0, 0, 0))
	record := &event.Record{Stamp: event.Stamp{Time: time.Unix(1010, 0)}, Message: m, Data: data}
	r.Event(record)
	r.Event(record)
	r.Event(&event.Exit{})
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const header = "4d3cb2a1" + "02000400" + "00000000" + "00000000" + "00000400" + "65000000"
	const packet = "02000000" + "3c000000" + "4500"
	text := hex.EncodeToString(got)
	if len(got) != 24+2*18 || text[:48] != header || text[64:84] != packet || text[100:] != packet {
		t.Errorf("%s", text)
	}
	l.expect(t, "*event.Exit")
	m.Sep = path + "/nosuch/x"
	r.Event(record)
	l.expect(t, "failure skboutput: "+m.Sep+": Not a directory")
}
