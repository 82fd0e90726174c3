package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script is a Prompter that answers from a list.
type script struct {
	lines      []string
	prompts    []string
	remembered []string
}

func (s *script) Prompt(prompt string) (string, error) {
	s.prompts = append(s.prompts, prompt)
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	if line == "^C" {
		return "", ErrAborted
	}
	return line, nil
}

func (s *script) Remember(entry string) { s.remembered = append(s.remembered, entry) }
func (s *script) Close() error          { return nil }

// fake is an Engine whose entries do nothing. A text with "bad" does not
// compile; maps are the words that begin with '@'.
type fake struct {
	log []string
}

type fakeRunning struct {
	fake *fake
	text string
	done chan struct{}
}

func (f *fake) Definitions(text string) ([]string, bool) {
	name, ok := strings.CutPrefix(text, "macro ")
	return []string{"macro " + name[:min(1, len(name))]}, ok
}
func (f *fake) Doc(w io.Writer, name string) { fmt.Fprintf(w, "%s is described\n", name) }

func (f *fake) Start(text, definitions string, out io.Writer) (Running, error) {
	if definitions != "" {
		text += " with " + strings.TrimSpace(definitions)
	}
	if strings.Contains(text, "bad") {
		return nil, errors.New("input:1:1: error: it is bad\n")
	}
	f.log = append(f.log, "start "+text)
	r := &fakeRunning{f, text, make(chan struct{})}
	if strings.Contains(text, "exit()") {
		fmt.Fprintln(out, "said at once")
		close(r.done)
	}
	return r, nil
}

func (f *fake) IsIncomplete(text string) bool {
	return strings.Count(text, "{") > strings.Count(text, "}")
}
func (f *fake) List(w io.Writer, pattern string) { fmt.Fprintln(w, "probe for", pattern) }
func (f *fake) Names() []string                  { return []string{"pid", "printf", "print"} }
func (f *fake) Probes(prefix string, _ int) []string {
	return []string{"kprobe:vfs_read", "kprobe:vfs_write"}
}
func (f *fake) Fields(probe string) []string {
	if probe == "t:a:b" {
		return []string{"filename", "flags"}
	}
	return nil
}

func (r *fakeRunning) Probes() []string { p, _, _ := strings.Cut(r.text, " "); return []string{p} }
func (r *fakeRunning) Maps() []string {
	var maps []string
	for _, w := range strings.Fields(r.text) {
		if w[0] == '@' {
			maps = append(maps, w)
		}
	}
	return maps
}
func (r *fakeRunning) PrintMap(w io.Writer, name, key string) error {
	if key == "gone" {
		return errors.New("no such key")
	}
	_, err := fmt.Fprintf(w, "%s of %s key=%s\n", name, r.text, key)
	return err
}
func (r *fakeRunning) Done() <-chan struct{} { return r.done }
func (r *fakeRunning) Close() error {
	r.fake.log = append(r.fake.log, "close "+r.text)
	return nil
}

func TestDefinitionsAreKept(t *testing.T) {
	_, f, out := session("macro a 1", "macro b 2", "macro a 3", "p1 { }", ":forget", "p2 { }", "help pid", ":help @x", "exit")
	for _, want := range []string{"macro a: known from now on\n", "pid is described\n", "@x is described\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if want := []string{"start p1 { } with macro b 2\nmacro a 3", "start p2 { }"}; !slices.Equal(f.log[:2], want) {
		t.Errorf("log %q, want %q", f.log, want)
	}
}

func TestInterrupts(t *testing.T) {
	_, f, out := session("^C", "p1 { }", "p2 { }", "^C", "@x", "^C", "^C", ":list")
	for _, want := range []string{"(:quit or Ctrl-D leaves)\n", "(Ctrl-C again detaches [2] p2)\n", "[1] p1 { }\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if want := []string{"start p1 { }", "start p2 { }", "close p2 { }", "close p1 { }"}; !slices.Equal(f.log, want) {
		t.Errorf("log %q, want %q", f.log, want)
	}
}

// Keys are written as in a script, or as they are shown.
func TestKeyText(t *testing.T) {
	for key, want := range map[string]string{
		`1`: "1", `1,2`: "1, 2", ` "a" , 2 `: "a, 2", `Web Content`: "Web Content", `"a, b",3`: "a, b, 3", `"a\"b"`: `a"b`,
		`(1,2),3`: "(1, 2), 3", `" a "`: " a ", ``: "", `5"`: `5"`,
	} {
		if got := keyText(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestIsMap(t *testing.T) {
	for text, want := range map[string]bool{
		"@": true, "@a": true, `@a["x=y"]`: true, `@a["x\"=y", 1]`: true, "@a[1]": true, "@a = 1": false, "@a[1] = 2": false,
		`@a["x"] = 2`: false, "@a++": false,
	} {
		if got := isMap().MatchString(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestIsOpen(t *testing.T) {
	for text, want := range map[string]bool{
		"p {": true, "p { }": false, "p { f(1; }": false, "p { (": true, "p )": false, "p { [ }": false, "p { ( ] ": false,
		"p { // (\n}": false, "p { // )": true, "p { /* } */": true, "p { /* { */ }": false, "p { /* (": true,
		`p { f("(") }`: false, `p { f("}")`: true, `p { f("// `: false, `p { f("\"", `: true,
	} {
		if got := isOpen(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestStatementsGoOn(t *testing.T) {
	s, f, _ := session("print(", "1)", "@a = (", "5)")
	if want := []string{"start print(\n1)", "start @a = (\n5)"}; !slices.Equal(f.log[:2], want) {
		t.Errorf("log %q, prompts %q", f.log, s.prompts)
	}
}

// session runs a prompt over some lines.
func session(lines ...string) (*script, *fake, string) {
	s, f := &script{lines: lines}, &fake{}
	var out strings.Builder
	Run(s, f, &out)
	return s, f, out.String()
}

func TestClausesRunOn(t *testing.T) {
	_, f, out := session("p1 { @a }", "bad", "p2 { @b }", ":list", "@a", `@b["x",2]`, "@c", ":drop 1", ":list")
	for _, want := range []string{"[1] p1\n", "error: it is bad\n", "[2] p2\n", "[1] p1 { @a }  @a\n", "@a of p1 { @a } key=\n",
		"@b of p2 { @b } key=x, 2\n", "no running entry has a map @c (there are @a, @b)\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	want := []string{"start p1 { @a }", "start p2 { @b }", "close p1 { @a }", "close p2 { @b }"}
	if !slices.Equal(f.log, want) {
		t.Errorf("log %q, want %q", f.log, want)
	}
}

func TestSameMapIsSaid(t *testing.T) {
	_, _, out := session("p1 { @a }", "p2 { @a }", "@a")
	if !strings.Contains(out, "(each entry has maps of its own: @a shows that of [2] now)") || !strings.Contains(out, "@a of p2") {
		t.Error(out)
	}
}

func TestEntryThatEnds(t *testing.T) {
	_, f, out := session("BEGIN { exit() }", ":list")
	if out != "said at once\nnothing runs\n" || f.log[1] != "close BEGIN { exit() }" {
		t.Errorf("%q %q", out, f.log)
	}
}

func TestContinuationLines(t *testing.T) {
	s, f, _ := session("p1 {", "@a", "}", "p2 {", "^C", "p3 {", "", ":quit", "p4 {}")
	if f.log[0] != "start p1 {\n@a\n}" || !strings.HasPrefix(f.log[1], "start p3 {") {
		t.Errorf("%q", f.log)
	}
	if want := []string{firstPrompt, morePrompt, morePrompt, firstPrompt, morePrompt}; !slices.Equal(s.prompts[:5], want) {
		t.Errorf("prompts %q", s.prompts)
	}
	if len(s.lines) != 1 {
		t.Errorf("not left by :quit: %q", s.lines)
	}
}

func TestCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.fst")
	_, f, out := session("p1 { @a }", ":probes k*", ":probes", "help", ":zoo", ":save "+file, ":drop 9", ":clear", ":list", ":q")
	for _, want := range []string{"probe for k*\n", "a pattern is needed", ":drop N", "no command :zoo", "no entry 9", "nothing runs"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "#!/usr/bin/env fst\n\np1 { @a }\n" {
		t.Errorf("%q %v", text, err)
	}
	_, _, out = session(":save "+file+"x", "p1 { @a }", ":save "+file, ":save "+file+"x", "p2 { @a }", ":save "+file+"x")
	for _, want := range []string{"nothing runs that could be saved", file + " is there already", "saved in " + file + "x\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if text, err := os.ReadFile(file + "x"); err != nil || !strings.HasSuffix(string(text), "p1 { @a }\n\np2 { @a }\n") {
		t.Errorf("%q %v", text, err)
	}
	if f.log[len(f.log)-1] != "close p1 { @a }" {
		t.Errorf("%q", f.log)
	}
}

func TestComplete(t *testing.T) {
	l := &loop{engine: &fake{}, out: &printer{w: io.Discard}, next: 1}
	l.start("p1 { @abc }")
	for _, test := range []struct {
		line string
		head string
		want []string
	}{
		{":s", "", []string{":save"}},
		{"@a", "", []string{"@abc"}},
		{"kprobe:vfs_r", "", []string{"kprobe:vfs_read"}},
		{"kprobe:x, kprobe:", "kprobe:x, ", []string{"kprobe:vfs_read", "kprobe:vfs_write"}},
		{":probes kprobe:vfs_w", ":probes ", []string{"kprobe:vfs_write"}},
		{"kprobe:x { pri", "kprobe:x { ", []string{"print", "printf"}},
		{"t:a:b { print(args.f", "t:a:b { print(", []string{"args.filename", "args.flags"}},
		{"kprobe:x { } kprobe:vfs_w", "kprobe:x { } ", []string{"kprobe:vfs_write"}},
	} {
		head, words, tail := l.complete(test.line, len(test.line))
		if head != test.head || !slices.Equal(words, test.want) || tail != "" {
			t.Errorf("%q: %q %q %q", test.line, head, words, tail)
		}
	}
}

// redrawn counts how often the prompt was drawn again.
type redrawn int

func (r *redrawn) Redraw() { *r++ }

func TestPrinterAbovePrompt(t *testing.T) {
	var b strings.Builder
	var r redrawn
	p := &printer{w: &b, redraw: &r}
	p.printf("one\n")
	p.prompting(true)
	p.printf("two\n")
	p.printf("th")
	p.printf("ree\n")
	p.prompting(false)
	p.printf("four\n")
	if want := "one\n\r\x1b[Ktwo\r\n\r\x1b[Kthree\r\nfour\n"; b.String() != want || r != 2 {
		t.Errorf("%q, drawn %d times", b.String(), r)
	}
}
