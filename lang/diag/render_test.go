package diag

import (
	"strings"
	"testing"

	"fst/lang/source"
)

func TestRender(t *testing.T) {
	var set source.Set
	set.Add("before.bt", "other\n")
	f := set.Add("a.bt", "first\n\t$x = foo(1);\nlast")
	at := func(s string) source.Span {
		i := strings.Index(f.Text, s)
		return f.Span(i, i+len(s))
	}
	var l List
	l.Errorf(at("foo(1)"), "no function foo").Hintf("did you mean for?").Notef(at("last"), "look here")
	l.Warnf(f.Span(len(f.Text), len(f.Text)), "the end")
	l.Errorf(at("foo(1);\nlast"), "two lines")
	l.Errorf(source.Span{}, "nowhere")
	want := `a.bt:2:7-13: ERROR: no function foo
    2 |     $x = foo(1);
      |          ^~~~~~
  hint: did you mean for?
  a.bt:3:1-5: note: look here
    3 | last
      | ^~~~
a.bt:3:5-6: WARNING: the end
    3 | last
      |     ^
a.bt:2:7: ERROR: two lines
    2 |     $x = foo(1);
      |          ^~~~~~~
ERROR: nowhere
`
	var b strings.Builder
	(&Renderer{Set: &set}).Render(&b, &l)
	if b.String() != want {
		t.Errorf("got:\n%swant:\n%s", b.String(), want)
	}
	b.Reset()
	(&Renderer{Set: &set, Max: 1}).Render(&b, &l)
	if !strings.HasSuffix(b.String(), "\nand 2 more errors\n") {
		t.Errorf("cut list ends in %q", b.String())
	}
}

func TestRenderLongLine(t *testing.T) {
	var set source.Set
	f := set.Add("-e", strings.Repeat("a", 300)+"BAD"+strings.Repeat("z", 300))
	for _, sp := range []source.Span{f.Span(300, 303), f.Span(0, 1), f.Span(602, 603), f.Span(10, 600), f.Span(603, 603)} {
		var l List
		l.Errorf(sp, "m")
		var b strings.Builder
		(&Renderer{Set: &set, Width: 60}).Render(&b, &l)
		lines := strings.Split(b.String(), "\n")
		for _, line := range lines {
			if len(line) > 60 {
				t.Errorf("line of %d columns: %q", len(line), line)
			}
		}
		caret := strings.Index(lines[2], "^")
		text := lines[1]
		if sp.Start == f.Base+300 && text[caret:caret+3] != "BAD" {
			t.Errorf("the caret is at %q", text[caret:])
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"printf", "print", "kstack", "ustack", "comm", "pid", "tid", "vfs_read", "vfs_write"}
	for word, want := range map[string]string{
		"pritnf": "printf", "vfs_raed": "vfs_read", "PID": "pid", "kstak": "kstack",
		"com": "comm", "prinf": "printf", "pint": "print", "zzz": "", "": "", "x": "", "vfs_reda": "vfs_read", "entirely_different": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
