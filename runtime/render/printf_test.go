package render

import (
	"io"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
)

func TestPrintf(t *testing.T) {
	tests := []struct {
		format string
		arg    operand
		want   string
	}{
		// Widths of integers.
		{"%d", i64(5000000000), "705032704"}, {"%ld", i64(5000000000), "5000000000"}, {"%lld", i64(-5), "-5"},
		{"%i", integer(types.I8, -1), "-1"}, {"%u", i64(-1), "4294967295"}, {"%x", i64(-1), "ffffffff"}, {"%o", i64(8), "10"},
		{"%lu", u64(1<<64 - 1), "18446744073709551615"}, {"%lx", i64(-1), "ffffffffffffffff"}, {"%llu", u64(1 << 40), "1099511627776"},
		{"%hd", i64(65537), "1"}, {"%hhd", i64(255), "-1"}, {"%hhu", i64(257), "1"}, {"%jd", i64(1 << 40), "1099511627776"}, {"%zu", i64(7), "7"}, {"%td", i64(-7), "-7"},
		{"%d", boolean(true), "1"}, {"%d", enum(1), "1"}, {"%d", count(7), "7"}, {"%d", aggregate(types.Avg, true, -7, 2), "-3"},
		{"%d", integer(types.I32, -5), "-5"}, {"%x", integer(types.I8, -1), "ffffffff"}, {"%d", pointer(16), "16"},
		// Any value as text.
		{"%s", str("ab"), "ab"}, {"%s", i64(-5), "-5"}, {"%s", u64(1<<64 - 1), "18446744073709551615"}, {"%s", boolean(false), "false"}, {"%s", enum(1), "B"}, {"%s", enum(9), "9"},
		{"%s", tuple(i64(1), str("a"), tuple(i64(2), i64(3))), "(1, a, (2, 3))"}, {"%s", pointer(0), "0x0"}, {"%s", chars("bob", 8), "bob"},
		{"%c", i64('x'), "x"}, {"%p", pointer(0x10), "0x10"}, {"%p", i64(0), "0x0"}, {"%12p", i64(255), "        0xff"},
		{"%r", buffer("ab\x01"), `ab\x01`}, {"%rx", buffer("ab\x01"), `\x61\x62\x01`}, {"%rh", buffer("ab\x01"), "61 62 01"}, {"%r", buffer(`\`), `\`}, {"%r", buffer("\xff~ "), `\xff~ `},
		{"%gr", i64(0), "0"}, {"%gr", i64(0xcc0), "GFP_KERNEL"}, {"%gr", i64(0xdc0), "GFP_KERNEL|__GFP_ZERO"}, {"%gr", i64(0x820), "GFP_ATOMIC"}, {"%gr", i64(0x100 | 1<<40), "__GFP_ZERO|0x10000000000"}, {"%gr", i64(1 << 41), "0x20000000000"},
		// Flags, width and precision.
		{"[%5d]", i64(42), "[   42]"}, {"[%-5d]", i64(42), "[42   ]"}, {"[%05d]", i64(42), "[00042]"}, {"[%+d]", i64(42), "[+42]"},
		{"[%x]", i64(48879), "[beef]"}, {"[%#x]", i64(48879), "[0xbeef]"}, {"[%X]", i64(48879), "[BEEF]"}, {"[%08x]", i64(48879), "[0000beef]"},
		{"[%#X]", i64(48879), "[0XBEEF]"}, {"[%#o]", i64(8), "[010]"}, {"[%#x]", i64(0), "[0]"}, {"[%#o]", i64(0), "[0]"}, {"[%#.0o]", i64(0), "[0]"}, {"[%#.3o]", i64(8), "[010]"}, {"[%#10x]", i64(255), "[      0xff]"}, {"[%#010x]", i64(255), "[0x000000ff]"},
		{"[%5s]", str("ab"), "[   ab]"}, {"[%-5s]", str("ab"), "[ab   ]"}, {"[%1s]", str("ab"), "[ab]"}, {"[%5s]", boolean(true), "[ true]"}, {"[%.2s]", str("abcd"), "[ab]"},
		{"[%-10.10s]", str("abcdefghijklm"), "[abcdefghij]"}, {"[%5.1s]", str("abc"), "[    a]"}, {"[%.0s]", str("abc"), "[]"},
		{"[%05d]", i64(-42), "[-0042]"}, {"[% d]", i64(5), "[ 5]"}, {"[% d]", i64(-5), "[-5]"}, {"[%9s]", tuple(i64(1), i64(2)), "[   (1, 2)]"},
		{"[%.3d]", i64(-5), "[-005]"}, {"[%8.3d]", i64(5), "[     005]"}, {"[%08.3d]", i64(5), "[     005]"}, {"[%-08d]", i64(5), "[5       ]"}, {"[%.0d]", i64(0), "[]"}, {"[%+05d]", i64(7), "[+0007]"},
		{"[%3c]", i64('x'), "[  x]"}, {"[%-3c]", i64('x'), "[x  ]"}, {"[%+u]", i64(7), "[7]"}, {"[%6r]", buffer("ab"), "[    ab]"},
		{"[%ld]", i64(-1 << 63), "[-9223372036854775808]"}, {"[%25ld]", i64(-1 << 63), "[     -9223372036854775808]"},
		// Literal text.
		{"100%% %d", i64(1), "100% 1"}, {"%y %d", i64(1), "%y 1"}, {"%d%", i64(1), "1%"}, {"\x1b[31m%d", i64(1), "\x1b[31m1"},
	}
	b := newBoth()
	for _, c := range tests {
		m, rec := message(object.MsgPrintf, c.format, c.arg)
		form{b.text, b.obj}.Message(m, rec)
		b.text.Flush()
		if got := b.out.String(); got != c.want {
			t.Errorf("%q: %q, want %q", c.format, got, c.want)
		}
		b.out.Reset()
	}
}

func TestPrintfSeveral(t *testing.T) {
	b := newBoth()
	m, rec := message(object.MsgPrintf, "%-6d %s %x\n", i64(1), str("two words"), i64(3))
	b.each(func(o form) { o.Message(m, rec) })
	b.expect(t, "several", "1      two words 3\n", `{"type": "printf", "data": "1      two words 3\n"}`+"\n")
	// A record that is too short reads as zeros.
	b.each(func(o form) { o.Message(m, rec[:10]) })
	b.expect(t, "short", "0       0\n", `{"type": "printf", "data": "0       0\n"}`+"\n")
}

func TestStringCut(t *testing.T) {
	b := newBoth()
	b.obj.Config.MaxStrlen = 8
	for _, c := range []struct{ in, want string }{{"abcdefgh", "abcdefgh.."}, {"abcdefg", "abcdefg"}} {
		typ := types.StringType(9)
		m, rec := message(object.MsgPrintf, "%s", operand{typ: typ, data: append([]byte(c.in), make([]byte, typ.Size-len(c.in))...)})
		form{b.text, b.obj}.Message(m, rec)
		b.text.Flush()
		if got := b.out.String(); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
		b.out.Reset()
	}
}

func TestStrftime(t *testing.T) {
	at := time.Date(2026, 1, 4, 15, 7, 9, 12345678, time.FixedZone("CET", 3600))
	tests := []struct{ format, want string }{
		{"%Y-%m-%d %H:%M:%S", "2026-01-04 15:07:09"}, {"%j %e|%C|%y", "004  4|20|26"}, {"%z %Z", "+0100 CET"}, {"%s", "1767535629"},
		{"%F %T %R", "2026-01-04 15:07:09 15:07"}, {"%a %A %b %B %h", "Sun Sunday Jan January Jan"}, {"%I %p %P %r", "03 PM pm 03:07:09 PM"},
		{"%c", "Sun Jan  4 15:07:09 2026"}, {"%D %x %X", "01/04/26 01/04/26 15:07:09"}, {"%u %w %U %W %V %G %g", "7 0 01 00 01 2026 26"},
		{"%n%t%%", "\n\t%"}, {"%-d %_m %05d %^a", "4  1 00004 SUN"}, {"%Ey %Od", "26 04"}, {"%q %", "%q %"},
		{"%f %l %k", "%f  3 15"},
	}
	for _, c := range tests {
		if got := string(appendTime(nil, c.format, at, false)); got != c.want {
			t.Errorf("%q: %q, want %q", c.format, got, c.want)
		}
	}
	if got := string(appendTime(nil, "%f %l %k", at, true)); got != "012345 012 012345678" {
		t.Errorf("extensions: %q", got)
	}
}

func BenchmarkPrintf(b *testing.B) {
	out := NewText(io.Discard, io.Discard, fakeObject(), Options{})
	m, rec := message(object.MsgPrintf, "%d %s %d\n", i64(1234), str("some-command"), i64(-987654))
	e := &event.Record{Message: m, Data: rec}
	b.ReportAllocs()
	for b.Loop() {
		out.Event(e)
	}
}

func BenchmarkPrintfPadded(b *testing.B) {
	out := NewText(io.Discard, io.Discard, fakeObject(), Options{})
	m, rec := message(object.MsgPrintf, "%-8d %-16s %10lx\n", i64(1234), str("some-command"), i64(-987654))
	e := &event.Record{Message: m, Data: rec}
	b.ReportAllocs()
	for b.Loop() {
		out.Event(e)
	}
}

func BenchmarkEventJSON(b *testing.B) {
	out := NewJSON(io.Discard, io.Discard, fakeObject(), Options{})
	m, rec := message(object.MsgPrintf, "%d %s %d\n", i64(1234), str("some-command"), i64(-987654))
	e := &event.Record{Message: m, Data: rec}
	b.ReportAllocs()
	for b.Loop() {
		out.Event(e)
	}
}

func BenchmarkEvent(b *testing.B) {
	out := NewText(io.Discard, io.Discard, fakeObject(), Options{Location: time.UTC})
	m, rec := message(object.MsgEvent, "", u64(1e9).as("nsecs"), str("some-command").as("comm"), integer(types.U32, 42).as("pid"),
		str("/etc/passwd").as("filename"), i64(7).as("flags"), i64(3).as("retval"), u64(12345).as("took"))
	e := &event.Record{Message: m, Data: rec}
	b.ReportAllocs()
	for b.Loop() {
		out.Event(e)
	}
}

func TestPrintfDoesNotAllocate(t *testing.T) {
	out := NewText(io.Discard, io.Discard, fakeObject(), Options{})
	m, rec := message(object.MsgPrintf, "%8d %-16s %lx\n", i64(1234), str("some-command"), i64(-987654))
	e := &event.Record{Message: m, Data: rec}
	if n := testing.AllocsPerRun(100, func() { out.Event(e) }); n > 0 {
		t.Errorf("%v allocations for each event", n)
	}
}

func TestRowDoesNotAllocate(t *testing.T) {
	out := NewText(io.Discard, io.Discard, fakeObject(), Options{Location: time.UTC})
	m, rec := message(object.MsgRow, "", u64(1e9).as("time"), str("some-command").as("comm"), integer(types.U32, 42).as("pid"))
	m.Stamped = true
	m.Columns = []object.Column{{Name: "COMM", Verb: object.Verb{Conv: 's', Width: 16, Minus: true, Prec: -1}},
		{Name: "PID", Verb: object.Verb{Conv: 'u', Width: 7, Prec: -1, Bits: 64}}}
	e := &event.Record{Message: m, Data: rec}
	if n := testing.AllocsPerRun(100, func() { out.Event(e) }); n > 0 {
		t.Errorf("%v allocations for each row", n)
	}
}

func TestBigOutputIsWrittenWithoutFlush(t *testing.T) {
	b := newBoth()
	m, rec := message(object.MsgPrintf, "%s", str(strings.Repeat("x", 1000)))
	for range 100 {
		form{b.text, b.obj}.Message(m, rec)
	}
	if b.out.Len() < keep {
		t.Errorf("%d bytes were written", b.out.Len())
	}
}
