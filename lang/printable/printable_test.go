package printable

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
	"unicode/utf8"
)

func TestAppend(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"bash", "bash"},
		{"/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6"},
		{"caf\u00e9 \u4e16\u754c", "caf\u00e9 \u4e16\u754c"},
		{"a\nb\tc\rd", `a\nb\tc\rd`},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"\x00\x01\x7f", `\x00\x01\x7f`},
		{"\xff\xc3", `\xff\xc3`},
		{"\u009b31m", `\xc2\x9b31m`},
		{"a\u202eb\u2028c\u2066d\u200fe", `a\xe2\x80\xaeb\xe2\x80\xa8c\xe2\x81\xa6d\xe2\x80\x8fe`},
		{`C:\dir\sub`, `C:\dir\sub`},
		{`disk-by\x2dlabel`, `disk-by\x2dlabel`},
		{`a\nb`, `a\\nb`},
		{`a\\nb`, `a\\\\nb`},
		{`a\x1bb`, `a\\x1bb`},
		{"a\\\nb", `a\\\nb`},
		{"a\\\xffb", `a\\\xffb`},
		{`end\`, `end\`},
	} {
		if got := String(c.text); got != c.want {
			t.Errorf("String(%q) = %s, want %s", c.text, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	if got, want := Lines("a\tb\n\x1b[2J\\n\r\nc\x00"), "a\tb\n\\x1b[2J\\n\\r\nc\\x00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAppendQuoted(t *testing.T) {
	if got, want := string(AppendQuoted(nil, "a\"b\\c\nd\xff\\")), `"a\"b\\c\nd\xff\\"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

var escapes = regexp.MustCompile(`(\\+)(n|r|t|x[01][0-9a-f]|x7f|x[89a-f][0-9a-f])`)

// unescape is what a reader of the output does.
func unescape(text string, escapes *regexp.Regexp) string {
	return escapes.ReplaceAllStringFunc(text, func(s string) string {
		m := escapes.FindStringSubmatch(s)
		half := m[1][:len(m[1])/2]
		if len(m[1])%2 == 0 {
			return half + m[2]
		}
		switch m[2] {
		case "n":
			return half + "\n"
		case "r":
			return half + "\r"
		case "t":
			return half + "\t"
		}
		n, _ := strconv.ParseUint(m[2][1:], 16, 8)
		return half + string([]byte{byte(n)})
	})
}

// TestRoundTrip makes texts of pieces that are likely to be confused with each other.
func TestRoundTrip(t *testing.T) {
	pieces := []string{`\`, `\\`, "n", "t", "x", "0", "9", "ff", "2d", "\n", "\t", "\r", "\x1b", "\x7f", "\xff", "\xe2\x80", "\xa8",
		"\u00e9", "\u0085", "\u2028", "\u202e", `"`, " ", "\x00", "abcdefgh"}
	random := rand.New(rand.NewPCG(1, 2))
	jsonEscapes := regexp.MustCompile(`(\\+)(x[89a-f][0-9a-f])`)
	for range 100_000 {
		text := ""
		for range random.IntN(12) {
			text += pieces[random.IntN(len(pieces))]
		}
		shown := String(text)
		checkPrintable(t, text, shown)
		if back := unescape(shown, escapes); back != text {
			t.Fatalf("%q is shown as %s, which reads as %q", text, shown, back)
		}
		quoted := AppendJSON(nil, text)
		checkPrintable(t, text, string(quoted))
		var parsed string
		if err := json.Unmarshal(quoted, &parsed); err != nil {
			t.Fatalf("%q: %s: %v", text, quoted, err)
		}
		if back := unescape(parsed, jsonEscapes); back != text {
			t.Fatalf("%q is %s in JSON, which reads as %q", text, quoted, back)
		}
		checkPrintable(t, text, string(AppendQuoted(nil, text)))
	}
}

func checkPrintable(t *testing.T, text, shown string) {
	t.Helper()
	if !utf8.ValidString(shown) {
		t.Fatalf("%q is shown as %q, which is not UTF-8", text, shown)
	}
	for _, r := range shown {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u202e' {
			t.Fatalf("%q is shown as %q", text, shown)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, text := range []string{"bash", "kworker/0:1-eve", "/usr/lib/x86_64-linux-gnu/libc.so.6", "caf\u00e9"} {
		b.Run(text, func(b *testing.B) {
			buf := make([]byte, 0, 100)
			for b.Loop() {
				buf = Append(buf[:0], text)
			}
		})
	}
}
