package repl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
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
	log    []string
	shared []string
	only   string // texts with it cannot have the filter
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
func (f *fake) Check(text string) error {
	if strings.Contains(text, "bad") {
		return errors.New("input:1:1: error: it is bad\n")
	}
	return nil
}
func (f *fake) Defines(text, _ string) error { return f.Check(text) }
func (f *fake) Fault(text, _ string) (line, column int, message string) {
	before, _, found := strings.Cut(text, "bad")
	if !found {
		return 0, 0, ""
	}
	row := strings.LastIndexByte(before, '\n') + 1
	return 1 + strings.Count(before, "\n"), 1 + len(before) - row, "it is bad"
}
func (f *fake) Fits(_, text, _ string, _ Running) error {
	if strings.Contains(text, f.only) && f.only != "" {
		return errors.New("only:1:1: error: no such field\n")
	}
	return nil
}
func (f *fake) Runs(text, _ string) bool            { return false }
func (f *fake) IsTool(text string) bool             { return strings.HasPrefix(text, "biolatency") }
func (f *fake) TraceSelf(bool)                      {}
func (f *fake) Attend(func(label string) io.Writer) {}
func (f *fake) Maps() []string                      { return f.shared }
func (f *fake) PrintMap(w io.Writer, name, key string, top int) error {
	_, err := fmt.Fprintf(w, "%s is shared\n", name)
	return err
}
func (f *fake) Forget(string) error { f.shared = nil; return nil }
func (f *fake) TracePID(int)        {}
func (f *fake) Doc(w io.Writer, name string) bool {
	fmt.Fprintf(w, "%s is described\n", name)
	return true
}

func (f *fake) Start(_, text, definitions string, _ Running, out io.Writer) (Running, error) {
	if definitions != "" {
		text += " with " + strings.TrimSpace(definitions)
	}
	if strings.Contains(text, "bad") {
		return nil, errors.New("input:1:1: error: it is " + text + "\n")
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
func (f *fake) List(w io.Writer, pattern string, _ bool) error {
	fmt.Fprintln(w, "probe for", pattern)
	return nil
}
func words(list ...string) (out []Candidate) {
	for _, w := range list {
		out = append(out, Candidate{w, "about " + w})
	}
	return out
}
func (f *fake) Names() []Candidate { return words("pid", "printf", "print") }
func (f *fake) Probes(prefix string, limit int) ([]Candidate, int) {
	list := chosen(prefix, words("kprobe:vfs_read", "kprobe:vfs_write", "syscall:read")).list
	return list, len(list)
}
func (f *fake) Types(tag, prefix string, _ int) ([]Candidate, int) { return words(prefix + "ile"), 1 }
func (f *fake) TypeOf(text, _ string) (string, []Candidate) {
	switch {
	case strings.HasSuffix(text, "args"):
		return "fields", words("filename", "flags")
	case strings.HasSuffix(text, "$f"):
		return "struct file *", words("f_inode", "f_mode")
	}
	return "", nil
}
func (f *fake) Variables(text, _ string) []Candidate { return words("$fd") }
func (f *fake) MapTypes() []Candidate                { return words(f.shared...) }
func (f *fake) Keys(name string) []Candidate {
	if name == "@abc" {
		return words(`"bash"]`, `"batch, x"]`, `7]`)
	}
	return nil
}
func (f *fake) Settings() []Candidate                 { return words("max_map_keys", "stack_mode") }
func (f *fake) SettingValues(string) []Candidate      { return words("perf", "raw") }
func (f *fake) Tools() []Candidate                    { return words("biolatency", "biosnoop") }
func (f *fake) ToolOptions(string) (list []Candidate) { return words("--disk", "-d") }

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
func (r *fakeRunning) PrintMap(w io.Writer, name, key string, top int) error {
	if key == "gone" {
		return errors.New("no such key")
	}
	if top > 0 {
		key += fmt.Sprintf(" top=%d", top)
	}
	_, err := fmt.Fprintf(w, "%s of %s key=%s\n", name, r.text, key)
	return err
}
func (r *fakeRunning) Cost() (uint64, time.Duration) {
	return 7, 0
}
func (f *fake) Only(filter string) error {
	f.log, f.only = append(f.log, "only "+filter), filter
	return nil
}
func (f *fake) Explain(w io.Writer, _ int, text, _ string, of Running) error {
	_, err := fmt.Fprintf(w, "%s is explained (%v)\n", text, of != nil)
	return err
}
func (f *fake) Account() (func(), error) { return func() {}, nil }
func (f *fake) Source(w io.Writer, tool string) error {
	if tool != "tool" {
		return errors.New("there is no tool " + tool)
	}
	_, err := fmt.Fprintln(w, "the text of a tool")
	return err
}
func (r *fakeRunning) Pause() error          { r.fake.log = append(r.fake.log, "pause "+r.text); return nil }
func (r *fakeRunning) Resume() error         { r.fake.log = append(r.fake.log, "resume "+r.text); return nil }
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

// TestLooks: commands that only show something.
func TestLooks(t *testing.T) {
	_, _, out := session(":stats", "p1 { }", ":stats 0.01", ":stats x", ":source 1", ":source tool", ":source none", ":source 9", ":shell echo $((20 + 3))", ":shell exit 3",
		":shell", ":again", ":doc pid", ":explain", ":explain p2 { }", ":explain 9")
	for _, want := range []string{"nothing runs\n", "[1] did not run in 0.0 s\n", "say :stats [SECONDS], up to 60\n", "p1 { }\n", "the text of a tool\n",
		"there is no tool none\n", "no entry 9", "\n23\n", "exit status 3\n", "a command is needed", "there is no terminal to edit on\n", "pid is described\n", "p1 { } is explained (true)\n", "p2 { } is explained (false)\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if got, want := costLine(2, 2000, time.Millisecond, time.Second), "[2] 2000 runs/s, 500 ns each, 0.1% of a CPU\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUndo: the last changes are taken back, one by one.
func TestUndo(t *testing.T) {
	_, f, out := session("p1 { }", ":pause 1", ":pause 1", ":undo", ":undo", ":undo", "p2 { }", ":replace 2 p3 { }", ":undo", ":clear", ":undo",
		"macro a 1", ":undo", "p4 { }", ":list")
	want := []string{"start p1 { }", "pause p1 { }", "resume p1 { }", "close p1 { }", "start p2 { }", "start p3 { }", "close p2 { }",
		"start p2 { }", "close p3 { }", "close p2 { }", "start p2 { }", "start p4 { }"}
	if len(f.log) < len(want) || !slices.Equal(f.log[:len(want)], want) {
		t.Errorf("log %q, want %q", f.log, want)
	}
	for _, want := range []string{"[1] is paused already\n", "[1] resumed\n", "nothing to take back\n", "[2] p2 { }\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
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
		"@": true, "@a": true, `@a["x=y"]`: true, `@a["x\"=y", 1]`: true, "@a[1]": true, "@a[1] + 1": false, "@a[1] + @b[2]": false, `@a["]", 1]`: true, "@a = 1": false, "@a[1] = 2": false,
		`@a["x"] = 2`: false, "@a++": false,
	} {
		if got := isMap(text); got != want {
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
		"@b of p2 { @b } key=x, 2\n", "there is no map @c (there are @a, @b)\n"} {
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
	if !strings.Contains(out, "(no entries share @a: it now shows that of [2])") || !strings.Contains(out, "@a of p2") {
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
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "#!/usr/bin/env fst\n// s: ") || !strings.HasSuffix(string(text), "\n\np1 { @a }\n") {
		t.Errorf("%q %v", text, err)
	}
	_, _, out = session(":save "+file+"x", "p1 { @a }", ":save "+file, ":save "+file+"x", "p2 { @a }", ":save "+file+"x")
	for _, want := range []string{"nothing runs, and nothing is defined", file + " is there already", "saved in " + file + "x\n"} {
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
	l := newLoop(nil, &fake{}, io.Discard)
	dir := t.TempDir()
	for _, name := range []string{"one.fst", "other.fst", ".hidden"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.start("p1 { @abc }")
	for _, test := range []struct {
		line string
		head string
		want []string
	}{
		{":s", "", []string{":save", ":self", ":shell", ":show", ":source", ":stats"}},
		{"@a", "", []string{"@abc"}},
		{"kprobe:vfs_r", "", []string{"kprobe:vfs_read"}},
		{"pri", "", []string{"print", "printf"}},
		{"kprobe:x, kprobe:", "kprobe:x, ", []string{"kprobe:vfs_read", "kprobe:vfs_write"}},
		{":probes kprobe:vfs_w", ":probes ", []string{"kprobe:vfs_write"}},
		{":drop ", ":drop ", []string{"1"}},
		{":replace 1 kprobe:vfs_w", ":replace 1 ", []string{"kprobe:vfs_write"}},
		{":explain 1", ":explain ", []string{"1"}},
		{":self o", ":self ", []string{"off", "on"}},
		{"t:a:b { $f = args.", "t:a:b { $f = args.", []string{"filename", "flags"}},
		{"t:a:b { if ($f -> f_m", "t:a:b { if ($f -> ", []string{"f_mode"}},
		{"t:a:b /$f->f_", "t:a:b /$f->", []string{"f_inode", "f_mode"}},
		{`t:a:b { print("$f->`, "", nil},
		{"t:a:b { } // $f->", "", nil},
		{"t:a:b { $fd = 1; ($f", "t:a:b { $fd = 1; (", []string{"$fd"}},
		{"t:a:b { ((struct f", "t:a:b { ((struct ", []string{"file"}},
		{`print(@abc["ba`, "print(@abc[", []string{`"bash"]`, `"batch, x"]`}},
		{"config = { st", "config = { ", []string{"stack_mode"}},
		{"config = { stack_mode = ra", "config = { stack_mode = ", []string{"raw"}},
		{"bio", "", []string{"biolatency", "biosnoop"}},
		{"biolatency --d", "biolatency ", []string{"--disk"}},
		{"1 + pri", "1 + ", []string{"print", "printf"}},
		{"kprobe:x { pri", "kprobe:x { ", []string{"print", "printf"}},
		{"t:a:b { print(args.f", "t:a:b { print(args.", []string{"filename", "flags"}},
		{"kprobe:x { } kprobe:vfs_w", "kprobe:x { } ", []string{"kprobe:vfs_write"}},
		{"kprobe:x { @[pri", "kprobe:x { @[", []string{"print", "printf"}},
		{"kprobe:x { @a = 1 *pri", "kprobe:x { @a = 1 *", []string{"print", "printf"}},
		{"kprobe:x { é = pri", "kprobe:x { é = ", []string{"print", "printf"}},
		{"kprobe:x {␤␉pri", "kprobe:x {␤␉", []string{"print", "printf"}},
		{"kprobe:x { @new = 1; @n", "kprobe:x { @new = 1; ", []string{"@new"}},
		{":load " + dir + "/o", ":load ", []string{dir + "/one.fst", dir + "/other.fst"}},
		{":save " + dir + "/", ":save ", []string{dir + "/one.fst", dir + "/other.fst"}},
		{`import "` + dir + "/on", `import "`, []string{dir + "/one.fst"}},
		{"uprobe:" + dir + "/on", "", []string{"uprobe:" + dir + "/one.fst:"}},
	} {
		var words []string
		o := l.offer(fromMarks.Replace(test.line))
		for _, c := range o.list {
			words = append(words, c.Text)
		}
		if head := strings.TrimSuffix(test.line, o.word); len(words) > 0 && head != test.head || !slices.Equal(words, test.want) {
			t.Errorf("%q: %q %q", test.line, head, words)
		}
	}
}

// slowly is an engine that takes its time to find probes, and a prompter that is typed to.
type slowly struct {
	fake
	script
	begun, goes chan struct{}
	typed       chan string
}

func (s *slowly) Probes(prefix string, limit int) ([]Candidate, int) {
	s.begun <- struct{}{}
	<-s.goes
	return s.fake.Probes(prefix, limit)
}

func (s *slowly) Type(text string) { s.typed <- text }

// TestTabWaits: what takes long to be read is said to be, and Tab is pressed once it is there, unless something else is typed.
func TestTabWaits(t *testing.T) {
	s := &slowly{begun: make(chan struct{}, 1), goes: make(chan struct{}), typed: make(chan string)}
	l := newLoop(s, s, io.Discard)
	l.patience = time.Millisecond
	for _, changes := range []bool{false, true} {
		text := "kprobe:vfs_w"
		l.screen.now = line{text, len(text)}
		if head, words, _ := l.complete(text, len(text)); head != "" || words != nil || !l.screen.waits.Load() {
			t.Fatal(head, words)
		}
		<-s.begun
		if changes {
			l.screen.mu.Lock()
			l.screen.now = line{text + "r", len(text) + 1}
			l.screen.mu.Unlock()
		}
		s.goes <- struct{}{}
		if changes {
			select {
			case key := <-s.typed:
				t.Errorf("%q was typed behind another text", key)
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		if key := <-s.typed; key != "\t" || l.screen.waits.Load() {
			t.Errorf("%q was typed", key)
		}
		if head, words, _ := l.complete(text, len(text)); head != "" || !slices.Equal(words, []string{"kprobe:vfs_write"}) {
			t.Error(head, words)
		}
	}
}

// TestTab: a word gets the beginning that all candidates have; then they are shown.
func TestTab(t *testing.T) {
	var out bytes.Buffer
	l := newLoop(nil, &fake{}, &out)
	l.patience = time.Minute
	for _, test := range []struct{ line, becomes, shown string }{
		{"é + p", "", "  pid     about pid\n  print   about print\n  printf  about printf\n"},
		{"é + pr", "é + print", ""},
		{"kprobe:", "kprobe:vfs_", ""},
		{"kprobe:vfs_", "", "  kprobe:vfs_read   about kprobe:vfs_read\n  kprobe:vfs_write  about kprobe:vfs_write\n"},
		{"x { $f->f_m", "x { $f->f_mode", ""},
		{"nothing", "", ""},
	} {
		out.Reset()
		head, words, tail := l.complete(test.line+"tail", utf8.RuneCountInString(test.line))
		if got := head + strings.Join(words, "|"); got != test.becomes || out.String() != test.shown || len(words) > 0 && tail != "tail" {
			t.Errorf("%q: %q %q, shown %q", test.line, got, tail, out.String())
		}
	}
}

// TestHistory: sessions see each other's entries at once, whole ones of any
// length; the file does not grow without end.
func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "history")
	one, two := history{path: path}, history{path: path}
	long := strings.Repeat("x", 100_000)
	if one.add("a {␤}") != nil || two.add(long) != nil {
		t.Fatal("nothing is added")
	}
	for _, h := range []*history{&one, &two} {
		if got := h.news(); !slices.Equal(got, []string{"a {␤}", long}) {
			t.Errorf("%.100q", got)
		}
		if got := h.news(); len(got) > 0 {
			t.Errorf("again %.100q", got)
		}
	}
	for i := range 2 * historyEntries {
		one.add(fmt.Sprint(i))
	}
	one.shorten()
	if got := two.news(); len(got) > 0 {
		t.Errorf("known already: %.100q", got)
	}
	one.add("new")
	three := history{path: path}
	if got := three.news(); len(got) != historyEntries+1 || got[historyEntries] != "new" {
		t.Errorf("%d entries", len(got))
	}
	if got := two.news(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("%.100q", got)
	}
}

// TestSharedMaps are there for all entries, and when those have ended.
func TestSharedMaps(t *testing.T) {
	s, f := &script{lines: []string{"p1 { @a }", "bad @a", "p2 { @a }", ":clear", "bad @a", "@a", ":list", ":forget", "@a"}}, &fake{shared: []string{"@a"}}
	var out strings.Builder
	Run(s, f, &out)
	if want := "[1] p1\ninput:1:1: error: it is bad @a\n[2] p2\n[2] detached\n[1] detached\ninput:1:1: error: it is bad @a\n" +
		"(no running entry uses @a: \":forget @a\" removes it)\n@a is shared\nmaps: @a\n@a: forgotten\nthere is no map @a\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestOwnMaps: what an entry has for itself is listed and shown as what all share.
func TestOwnMaps(t *testing.T) {
	s, f := &script{lines: []string{"p2 { @s @a }", "p1 { }", ":list", "@s top 3", "@s top 0", ":forget @s", ":watch @x"}}, &fake{shared: []string{"@a"}}
	var out strings.Builder
	Run(s, f, &out)
	for _, want := range []string{"\nmaps: @a, @s\n", "\n@s of p2 { @s @a } key= top=3\n", "say @s top N, with N from 1\n", "@s ends with [1], which has it for itself\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

// TestFilterThatOneCannotHave starts no entry anew, and leaves the order of the list.
func TestFilterThatOneCannotHave(t *testing.T) {
	_, f, out := session("p1 { }", "biolatency", "p3 { }", ":only p2", ":only bio", ":replace 1 p0 { }", ":list")
	want := []string{"start p1 { }", "start biolatency", "start p3 { }", "only p2", "start p1 { }", "close p1 { }", "start biolatency", "close biolatency",
		"start p3 { }", "close p3 { }", "only bio", "only p2", "start p0 { }"}
	if len(f.log) < len(want) || !slices.Equal(f.log[:len(want)], want) {
		t.Errorf("log %q, want %q", f.log, want)
	}
	for _, want := range []string{"[2] cannot have this filter:\nonly:1:1: error: no such field\n(the filter of all entries stays as it is)\n",
		"[1] p0 { }\n[2] biolatency\n[3] p3 { }\nonly: p2\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}

// TestOneLine: a script becomes a line, with its strings as they are and without its remarks.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a {\n\tb(\"x  // \\\" y\"); // remark\n\t/* c */ d\n}\n\n// end\n": `a { b("x  // \" y"); d }`,
		"\"open":  "\"open",
		"a/* */b": "a b",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCommandNames: a beginning does if only one command has it; else it is said what may be meant.
func TestCommandNames(t *testing.T) {
	for name, want := range map[string]string{
		"":      "a command follows the colon (:help lists them)",
		"wa":    "watch",
		"stats": "stats",
		"re":    ":re may be :replace, :resume",
		"wacth": "no command :wacth: did you mean :watch?",
		"xyz":   "no command :xyz (:help lists them)",
	} {
		c, err := findCommand(name)
		if err != nil {
			if err.Error() != want {
				t.Errorf("%q: %v, want %s", name, err, want)
			}
		} else if c.name != want {
			t.Errorf("%q: %s, want %s", name, c.name, want)
		}
	}
}
