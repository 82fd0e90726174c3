package repl

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestScreen: text above an edited line, by several sources, with lines that
// do not end.
func TestScreen(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b, size: func() (int, int) { return 15, 5 }}
	s.editing(firstPrompt, "")
	const line = "\x1b[1Gfst> 1+2\x1b[J\x1b[9G"
	one, two := &source{screen: s, label: "[1] "}, &source{screen: s, label: "[2] "}
	steps := []struct {
		do   func()
		want string
	}{
		{func() { one.printf("a\n\nb\n") }, "[1] a\n\n[1] b\n"},
		{func() { one.printf("c") }, "[1] c"},
		{func() { two.printf("d\n") }, "\n[2] d\n"},
		{func() { one.printf("e") }, "[1] e"},
		{func() { s.prompting(true) }, "\n"},
		{func() { s.edited([]byte("fst> ")) }, "\x1b[1Gfst> \x1b[J\x1b[6G"},
		{func() { one.printf("E\n") }, "\r\x1b[K\x1b[1A\x1b[J[1] eE\n\x1b[1Gfst> \x1b[J\x1b[6G"},
		{func() { s.edited(drawn("1+2", 3)) }, line},
		{func() { two.printf("f\n") }, "\r\x1b[K[2] f\n" + line},
		{func() { one.printf("123456789012") }, "\r\x1b[K[1] 123456789012\n" + line},
		{func() { one.printf("3\n") }, "\r\x1b[K\x1b[2A\x1b[J[1] 1234567890123\n" + line},
		{func() { s.below("live\nand more than fifteen\n") }, "\r\x1b[Klive\nand more than \n" + line},
		{func() { two.printf("h\n") }, "\r\x1b[K\x1b[2A\x1b[J[2] h\nlive\nand more than \n" + line},
		{func() { s.below("1\n2\n3\n4\n5\n") }, "\r\x1b[K\x1b[2A\x1b[J1\n2\n3\n" + line},
		{func() { s.below("less\n") }, "\r\x1b[K\x1b[3A\x1b[Jless\n" + line},
		{func() { s.edited([]byte("\n\n")) }, line + "\n"},
		{func() { s.prompting(false) }, "\x1b[2A\r\x1b[J" + line + "\n"},
		{func() { s.prompting(true) }, "less\n"},
		{func() { s.edited([]byte("fst> ")) }, "\x1b[1Gfst> \x1b[J\x1b[6G"},
		{func() { s.below("") }, "\r\x1b[K\x1b[1A\x1b[J\x1b[1Gfst> \x1b[J\x1b[6G"},
		{func() { s.prompting(false) }, ""},
		{func() { one.printf("g\n") }, "[1] g\n"},
	}
	for i, step := range steps {
		b.Reset()
		step.do()
		if b.String() != step.want {
			t.Errorf("step %d: %q, want %q", i, b.String(), step.want)
		}
	}
}

// TestPieces: much text comes in pieces while a line is edited, so that what is typed is shown between them.
func TestPieces(t *testing.T) {
	var b strings.Builder
	s := &screen{size: func() (int, int) { return 80, 24 }}
	largest := 0
	s.w = writer(func(p []byte) (int, error) { largest = max(largest, len(p)); return b.Write(p) })
	s.editing(firstPrompt, "")
	s.prompting(true)
	s.edited(drawn("1", 1))
	from := &source{screen: s, label: "[1] "}
	text := strings.Repeat("a line\n", 10_000)
	if n, err := io.WriteString(from, text); n != len(text) || err != nil || strings.Count(b.String(), "[1] a line\n") != 10_000 || largest > 2*maxPiece {
		t.Errorf("%d of %d bytes, %v; %d at once", n, len(text), err, largest)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// TestHeldBack: what an entry says before it has a number appears when that is known.
func TestHeldBack(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b}
	out := s.hold()
	out.printf("a\n")
	if b.Len() > 0 {
		t.Error(b.String())
	}
	out.release("[7] ")
	out.printf("b\n")
	out.release("")
	if b.String() != "[7] a\n[7] b\n" {
		t.Errorf("%q", b.String())
	}
}

// TestKept: the latest of what a source has written can be shown again, in whole lines and bounded memory.
func TestKept(t *testing.T) {
	s := (&screen{w: io.Discard}).hold()
	s.release("[1] ")
	fmt.Fprint(s, "first\n")
	if got := string(s.latest()); got != "first\n" {
		t.Errorf("%q", got)
	}
	for i := range 100_000 {
		fmt.Fprintf(s, "line %d\n", i)
	}
	got := string(s.latest())
	if len(got) > maxKept || len(got) < maxKept-20 || cap(s.kept) > 4*maxKept || !strings.HasPrefix(got, "line ") || !strings.HasSuffix(got, "line 99999\n") {
		t.Errorf("%d bytes of %d: %.20q", len(got), cap(s.kept), got)
	}
	fmt.Fprint(s, strings.Repeat("x", 3*maxKept)+"\nend\n")
	if got := string(s.latest()); got != "end\n" && len(got) > maxKept {
		t.Errorf("%d bytes", len(got))
	}
}

// TestKeys: pastes become one text, whatever pieces they come in, for which the line ends with a mark; other codes
// pass as they are.
func TestKeys(t *testing.T) {
	const typed = "ab\x1b[A\x1b[200~x {\r\n\ty();\x1b[31m␤\n}\n\n\x1b[201~\r\x1b"
	const want, paste = "ab\x1b[A" + leaveSearch + pasteMark + "\r\r\x1b", "x {␤␉y();[31m\U000F2424␤}"
	for size := 1; size <= len(typed); size++ {
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		k, input, err := newKeys(from)
		if err != nil {
			t.Fatal(err)
		}
		k.read(true)
		for piece := range slices.Chunk([]byte(typed), size) {
			to.Write(piece)
		}
		to.Close()
		got, err := io.ReadAll(input)
		if string(got) != want && string(got)+"\x1b" != want || err != nil {
			t.Errorf("in pieces of %d: %q, want %q (%v)", size, got, want, err)
		}
		if got := <-k.pastes; got != paste {
			t.Errorf("in pieces of %d: %q, want %q", size, got, paste)
		}
		if text := fromMarks.Replace("{␤␉y\U000F2424"); text != "{\n\ty␤" {
			t.Errorf("%q", text)
		}
	}
}
