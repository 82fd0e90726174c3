package repl

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
)

// TestReadDrawing: what the line editor has drawn is read back, whole, over as many rows as it takes.
func TestReadDrawing(t *testing.T) {
	const clear = "\x1b[1G\x1b[0K"
	for _, test := range []struct {
		drawn string
		text  string
		at    int
		known bool
		rest  string
	}{
		{clear, "", 0, false, clear},
		{clear + "fst> ab", "", 0, false, clear + "fst> ab"},
		{clear + "fst> ab\x1b[7", "", 0, false, clear + "fst> ab\x1b[7"},
		{clear + "fst> ab\x1b[7G", "ab", 1, true, ""},
		{clear + "fst> ab\x1b[8G\n\n", "ab", 2, true, "\n\n"},
		{clear + "fst> 世界a\x1b[8G", "世界a", 3, true, ""},
		{clear + "fst> e\u0301a\x1b[7G", "e\u0301a", 3, true, ""},
		{clear + "(reverse-i-search)`': ab\x1b[1A\x1b[5G", "(reverse-i-search)`': ab", 4, false, ""},
		{clear + "fst> 345678901234567\n\x1b[1G\x1b[1G", "345678901234567", 15, true, ""},
		{clear + "fst> 345678901234567\n" + firstColumn, "", 0, false, clear + "fst> 345678901234567\n" + firstColumn},
		{"\x1b[1B\x1b[1G\x1b[0K\x1b[1A" + clear + "fst> 34567890123456789\x1b[1A\x1b[7G" + clear, "34567890123456789", 1, true, clear},
		{clear + "fst> 34567890123456世a\x1b[3G", "34567890123456世a", 17, true, ""}, // no room for half of one
	} {
		d, n := readDrawing(test.drawn)
		var l line
		var known bool
		if n > 0 {
			l, known = d.line(firstPrompt, 20)
		}
		if l.text != test.text || l.at != test.at || known != test.known || test.drawn[n:] != test.rest {
			t.Errorf("%q: %+v %v %q", test.drawn, l, known, test.drawn[n:])
		}
	}
}

// drawn is how the line editor draws a text with the cursor at a place of it, in runes, where that takes one row.
func drawn(text string, at int) []byte {
	return fmt.Appendf(nil, "\x1b[1G\x1b[0K%s%s\x1b[%dG", firstPrompt, text, len(firstPrompt)+at+1)
}

// TestView: of a line that is wider than the terminal the part round the cursor is shown, in colours, with room for a hint at
// its end; once it has ended all of it stays.
func TestView(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b, size: func() (int, int) { return 30, 9 }, helps: true, isKeyword: func(w string) bool { return w == "comm" }}
	s.editing(firstPrompt, "")
	s.prompting(true)
	const text = `p:x { @[comm] = sum(1); printf("世界"); }` // 41 columns
	colors := strings.NewReplacer("\x1b[32m", "<", "\x1b[36m", "<", "\x1b[33m", "<", "\x1b[35m", "<", "\x1b[34m", "<", "\x1b[1;4m", "<", dim+"…"+normal, "…", dim, "<d:", normal, ">")
	show := func(at int) string {
		b.Reset()
		column := len(firstPrompt) + at // all before the wide characters
		if at > 32 {
			column += min(at, 34) - 32
		}
		d := drawing{text: firstPrompt + text, up: 1 - column/30, column: column%30 + 1}
		s.edited(fmt.Appendf(nil, "\x1b[1G\x1b[0K%s", d.text))
		if d.up > 0 {
			s.edited(fmt.Appendf(nil, "\x1b[%dA", d.up))
		}
		s.edited(fmt.Appendf(nil, "\x1b[%dG", d.column))
		return colors.Replace(strings.TrimPrefix(b.String(), firstColumn+firstPrompt))
	}
	for _, test := range []struct {
		at   int
		want string
	}{
		{0, "<p:x> { <@>[<comm>] = sum(<1>);…\x1b[J\x1b[6G"},
		{12, "<p:x> { <@><[><comm><]> = sum(<1>);…\x1b[J\x1b[18G"},
		{13, "…<x> { <@><[><comm><]> = sum(<1>); …\x1b[J\x1b[18G"},
		{39, "…printf(<\"世界\">); <}>\x1b[J\x1b[24G"},
	} {
		if got := show(test.at); !strings.HasPrefix(got, test.want) {
			t.Errorf("%d: %q, want %q", test.at, got, test.want)
		}
	}
	for at := range len([]rune(text)) + 1 { // neither wider than the terminal, nor the cursor elsewhere
		row, column, _ := strings.Cut(show(at), "\x1b[J\x1b[")
		row = strings.NewReplacer("<", "", ">", "").Replace(row)
		shown := strings.Trim(row, "…")
		before, _, ok := strings.Cut(string([]rune(text)), shown)
		n, _ := strconv.Atoi(strings.TrimSuffix(column, "G"))
		want := len(firstPrompt) + runewidth.StringWidth(string([]rune(text)[:at])) - runewidth.StringWidth(before) + 1
		if before != "" {
			want++
		}
		if width := runewidth.StringWidth(firstPrompt + row); !ok || width > 29 || n != want || strings.HasPrefix(row, "…") != (before != "") || strings.HasSuffix(row, "…") != (before+shown != text) {
			t.Errorf("%d: %q takes %d columns, with the cursor at %d, want %d", at, row, width, n, want)
		}
	}
	show(len([]rune(text)))
	b.Reset()
	s.setAids(line{text, len(text)}, func(a *aids) { *a = aids{hint: " end { }", note: "bad", column: 30} })
	if got := colors.Replace(b.String()); !strings.Contains(got, "<d: end …>\x1b[J\n") || !strings.Contains(got, "^ bad") {
		t.Errorf("with aids: %q", got)
	}
	b.Reset()
	s.edited([]byte("\n"))
	s.prompting(false)
	if got := b.String(); !strings.HasPrefix(got, firstColumn+"\x1b[J"+firstPrompt+"\x1b[33mp:x") || !strings.HasSuffix(got, "); }\n") || strings.Contains(got, "…") {
		t.Errorf("at the end: %q", got)
	}
}

// TestColors: the words of a program, also of one that is not whole, and the brackets at the cursor.
func TestColors(t *testing.T) {
	s := &screen{isKeyword: func(w string) bool { return w == "if" || w == "comm" || w == "pid" }}
	names := strings.NewReplacer("\x1b[32m", "<s:", "\x1b[36m", "<n:", "\x1b[33m", "<p:", "\x1b[35m", "<m:", "\x1b[34m", "<k:", "\x1b[2m", "<c:", "\x1b[1;4m", "<b:", "\x1b[1m", "<w:", "\x1b[0m", ">")
	for _, test := range []struct {
		before, text string
		at           int
		want         string
	}{
		{"", "tracepoint:a:b, k:c /pid == 1/ { @x[comm] = $y; }", 0, "<p:tracepoint:a:b>, <p:k:c> /<k:pid> == <n:1>/ { <m:@x>[<k:comm>] = <n:$y>; }"},
		{"", `f("a(\"`, 0, `f(<s:"a(\">`},
		{"", "uprobe:/bin/sh:main{ if (1 ? pid:2) {} } end { }", 0, "<p:uprobe:/bin/sh:main>{ <k:if> (<n:1> ? <k:pid>:<n:2>) {} } <p:end> { }"},
		{"", "{ args.pid // {", 2, "{ args.pid <c:// {>"},
		{"", "(a[1])", 6, "<b:(>a[<n:1>]<b:)>"},
		{"", "(a[1])", 2, "(a<b:[><n:1><b:]>)"},
		{"p:x {␤", "comm }", 6, "<k:comm> <b:}>"},
		{"", ":drop 1", 0, "<w::drop> 1"},
	} {
		var out bytes.Buffer
		s.before = test.before
		s.writeColored(&out, line{test.text, test.at}, 0, len(test.text))
		if got := names.Replace(out.String()); got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
}

// TestFollow: an edited line is drawn with what helps, which goes when it does not fit any more, and when the line ends.
func TestFollow(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b, size: func() (int, int) { return 30, 9 }, helps: true, isKeyword: func(string) bool { return false }}
	other := &source{screen: s}
	s.editing(firstPrompt, "")
	set := func(text, hint, note string) {
		s.setAids(line{text, len(text)}, func(a *aids) { *a = aids{hint: hint, note: note} })
	}
	const ab = "\x1b[1Gfst> ab\x1b[J"
	for i, step := range []struct {
		do   func()
		want string
	}{
		{func() { s.prompting(true) }, ""},
		{func() { s.edited([]byte("fst> ")) }, "\x1b[1Gfst> \x1b[J\x1b[6G"},
		{func() { s.edited(drawn("a", 1)) }, "\x1b[1Gfst> a\x1b[J\x1b[7G"},
		{func() { set("a", "bcd", "") }, "\x1b[1Gfst> a\x1b[2mbcd\x1b[0m\x1b[J\x1b[7G"},
		{func() { s.edited(drawn("ab", 2)) }, "\x1b[1Gfst> ab\x1b[2mcd\x1b[0m\x1b[J\x1b[8G"},
		{func() { set("a", "old", "old") }, ""},
		{func() { set("ab", "", "bad") }, ab + "\n     \x1b[31m^ bad\x1b[0m\x1b[A\x1b[8G"},
		{func() { other.printf("x\n") }, "\r\x1b[Jx\n" + ab + "\n     \x1b[31m^ bad\x1b[0m\x1b[A\x1b[8G"},
		{func() { s.mu.Lock(); s.shownAt = time.Now().Add(time.Hour); s.mu.Unlock(); other.printf("y\n") }, "\r\x1b[Jy\n\x1b[1Gfst> ab\x1b[J\x1b[8G"}, // much text
		{func() { time.Sleep(3 * calm) }, ab + "\n     \x1b[31m^ bad\x1b[0m\x1b[A\x1b[8G"},
		{func() { s.edited([]byte("\a")) }, "\a" + ab + "\n     \x1b[31m^ bad\x1b[0m\x1b[A\x1b[8G"},
		{func() { s.edited([]byte("\x1b[1G")) }, ""},
		{func() { s.edited([]byte("\x1b[0K(reverse-i-search)`': ab\x1b[22G")) }, "\x1b[1G(reverse-i-search)`': ab\x1b[J\x1b[22G"},
		{func() { set("ab", "old", "old") }, ""},
		{func() { other.printf("z\n") }, "\r\x1b[Kz\n\x1b[1G(reverse-i-search)`': ab\x1b[J\x1b[22G"},
		{func() { s.edited(drawn("ab", 2)) }, ab + "\x1b[8G"},
		{func() { set("ab", "c", "") }, "\x1b[1Gfst> ab\x1b[2mc\x1b[0m\x1b[J\x1b[8G"},
		{func() { s.edited([]byte("\n")) }, ab + "\x1b[8G\n"},
		{func() { set("ab", "c", "late") }, ""},
		{func() { s.prompting(false) }, ""},
	} {
		s.mu.Lock()
		b.Reset()
		s.mu.Unlock()
		step.do()
		s.mu.Lock()
		got := b.String()
		s.mu.Unlock()
		if got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// TestFault: errors in what has been typed are told, those of what is being typed are not.
func TestFault(t *testing.T) {
	for _, test := range []struct {
		before, text string
		column       int
		note         string
	}{
		{"", "p:x { bad; y", 6, "it is bad"},
		{"", "p:x { bad", 0, ""},
		{"", "p:x { bad }", 6, "it is bad"},
		{"p:x {␤", "é bad + 1", 2, "it is bad"},
		{"p:x { bad␤", "1", 0, "it is bad"},
		{"", `p:x { "bad`, 0, ""},
		{"", "macro bad", 0, ""},
		{"", ":list bad", 0, ""},
		{"", "good + 1", 0, ""},
	} {
		l := newLoop(nil, &fake{}, nil)
		if column, note := l.fault(subject{test.before, line{test.text, 0}}); column != test.column || note != test.note {
			t.Errorf("%q: %d %q", test.text, column, note)
		}
	}
}

// TestAdviser: hints come from the history, then from the catalogue.
func TestAdviser(t *testing.T) {
	var history recalled
	history.add("kprobe:vfs_read { old }")
	history.add("1 + 2")
	l := newLoop(nil, &fake{}, &bytes.Buffer{})
	l.screen.size, l.screen.helps, l.screen.isKeyword = func() (int, int) { return 80, 24 }, true, func(string) bool { return false }
	a := &adviser{loop: l, recall: history.recall, woken: make(chan struct{}, 1)}
	l.screen.changed = a.ask
	l.screen.editing(firstPrompt, "")
	l.screen.prompting(true)
	go a.run()
	defer close(a.woken)
	for typed, want := range map[string]string{"kprobe:vfs_r": "ead { old }", "1 +": " 2", "kprobe:vfs_w": "rite", "x { pri": "nt", "q": "", "x { print": ""} {
		l.screen.edited(drawn(typed, len(typed)))
		time.Sleep(3 * hintAfter)
		for end := time.Now().Add(2 * time.Second); ; time.Sleep(hintAfter) {
			got := l.screen.takeHint()
			if got == want {
				break
			}
			if got != "" || time.Now().After(end) {
				t.Errorf("%q: %q, want %q", typed, got, want)
				break
			}
		}
	}
}

// TestProcesses: names and numbers of processes are completed where one is compared.
func TestProcesses(t *testing.T) {
	l := newLoop(nil, &fake{}, nil)
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Skip(err)
	}
	comm, pid := strings.TrimSpace(string(name)), strconv.Itoa(os.Getpid())
	for text, want := range map[string]string{
		`p:x /comm == "` + comm[:2]:                comm + `"`,
		`p:x { if (strncmp(comm, "` + comm[:2]:     comm + `"`,
		`p:x /pid == ` + pid[:1]:                   pid,
		`:trace ` + pid[:1]:                        pid,
		`:only comm!="` + comm[:2]:                 comm + `"`,
		`biolatency -p ` + pid[:1]:                 pid,
		`biolatency -p `:                           pid,
		`p:x { printf("` + comm[:2]:                "",
		`p:x { if (args.pid == ` + pid[:1]:         "",
		`p:x /comm == "x" && func == "` + comm[:2]: "",
	} {
		o := l.offer(text)
		if found := slices.ContainsFunc(o.list, func(c Candidate) bool { return c.Text == want }); found != (want != "") {
			t.Errorf("%s: %v", text, o.list)
		}
	}
}
