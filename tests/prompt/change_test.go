package prompt

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestReplace: the text of an entry is changed while its maps live on; one that
// is wrong changes nothing.
func TestReplace(t *testing.T) {
	s := open(t)
	s.enter(`interval:20ms { @n[1]++; }`)
	s.until("counts", func(string) bool { s.enter("@n[1]"); return !strings.HasSuffix(s.text(), "is empty\nfst> ") })
	s.key(":edit 1\r")
	s.wait("\n[1]> interval:20ms { @n[1]++; } ")
	s.key("\x1b[D\x1b[D@m[1] = 3;\r")
	s.see("\n[1] replaced, from one event to the next (after ")
	s.see("\n[1] interval:us:20000\n")
	s.until("has the new map", func(string) bool { s.enter("@m"); return strings.HasSuffix(s.text(), "@m[1]: 3\nfst> ") })
	s.enter(`:replace 1 interval:20ms { @n["x"]++; }`)
	s.see("[1]:1:")
	s.key(":edit 1\r")
	s.wait("@m[1] = 3; } ")
	s.key("\x03")
	s.see("[1] stays as it is\n")
	s.enter(":list")
	s.see("[1] interval:20ms { @n[1]++;@m[1] = 3; }")
	s.enter(":edit 7")
	s.see("no entry 7")
	if n := strings.Count(s.text(), "[1] @n[1]: "); n > 0 {
		t.Errorf("the maps of what was replaced are shown:\n%s", s.text())
	}
}

// TestPause: a paused entry sees nothing, and what was done is taken back.
func TestPause(t *testing.T) {
	s := open(t)
	s.enter("interval:5ms { @n[1]++; }")
	s.until("counts", func(string) bool { s.enter("@n[1]"); return !strings.HasSuffix(s.text(), "is empty\nfst> ") })
	s.enter(":pause 1")
	s.see("\n[1] paused\n")
	count := func() string {
		s.enter("@n[1]")
		text := s.text()
		return text[strings.LastIndex(text, "@n[1]: "):]
	}
	before := count()
	time.Sleep(50 * time.Millisecond)
	if after := count(); after != before {
		t.Errorf("a paused entry counted: %s and %s", before, after)
	}
	s.enter(":list")
	s.see("(paused)  @n")
	s.enter(":undo")
	s.see("\n[1] resumed\n")
	s.until("counts again", func(string) bool { return count() != before })
	s.enter(":drop 1")
	s.enter(":undo")
	s.enter(":list")
	s.see("\n[1] interval:5ms { @n[1]++; }  @n\n")
}

// TestUndoReplaced: a change is taken back of the entry that has its number by then, not of one that was replaced since.
func TestUndoReplaced(t *testing.T) {
	s := open(t)
	s.enter("interval:100s { @a[1] = 1; }")
	s.enter(":replace 1 interval:200s { @a[1] = 2; }")
	s.enter(":replace 1 interval:300s { @a[1] = 3; }")
	listed := func(want string) {
		t.Helper()
		s.enter(":list")
		if text := s.text(); !strings.HasSuffix(text, "fst> :list\n"+want+"\nfst> ") {
			t.Errorf("the list is not %q:\n%s", want, text)
		}
	}
	s.enter(":undo")
	listed("[1] interval:200s { @a[1] = 2; }  @a\nmaps: @a")
	s.enter(":undo")
	listed("[1] interval:100s { @a[1] = 1; }  @a\nmaps: @a")
	s.enter(`:only comm == "x"`)
	s.enter(":undo")
	s.enter(":undo")
	listed("maps: @a")
	s.enter("interval:100s { @a[1] = 1; }")
	s.enter(":replace 2 BEGIN { @a[1] = 4; }") // which has ended: its maps are shown
	s.see("\n@a[1]: 4\n[2] ended\n")
	s.enter(":undo")
	listed("[2] interval:100s { @a[1] = 1; }  @a\nmaps: @a")
}

// TestImport: the clauses of what is imported are started once, as an entry; later entries know its definitions only.
func TestImport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lib.fst")
	if err := os.WriteFile(file, []byte("macro plus($x) { $x + 1 }\nBEGIN { @starts++; }\ninterval:100s { @n = 1; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t)
	s.enter(`import "` + file + `"`)
	s.see("\n[1] begin, interval:us:100000000\n")
	s.enter("$a = 4; plus($a)")
	s.see("\n5\n")
	s.enter("interval:200s { @m = 1; }")
	s.see("\n[2] interval:us:200000000\n")
	s.enter("@starts")
	s.see("\n@starts: 1\n")
	s.enter(":undo")
	s.enter(":undo") // of all that the import did
	s.see("\n[1] detached\n")
	s.enter("$a = 4; plus($a)")
	s.see("ERROR")
}

// TestReplacePaused: what replaces a paused entry is paused.
func TestReplacePaused(t *testing.T) {
	s := open(t)
	s.enter("interval:5ms { @n[1]++; }")
	s.enter("interval:5ms { @beside[1]++; }")
	s.enter(":pause 1")
	s.enter(":replace 1 interval:5ms { @n[1]++; @m[1]++; }")
	s.see("\n[1] is still paused (:resume 1)\n")
	s.enter(`:only pid >= 0`)
	s.until("the entry beside it counts", func(string) bool {
		s.enter("@beside[1]")
		return regexp.MustCompile(`@beside\[1\]: \d\d+\nfst> $`).MatchString(s.text())
	})
	s.enter("@m")
	s.see("\n@m is empty\n")
	s.enter(":drop 1")
	s.enter(":undo")
	s.see("\n[1] paused\n")
	s.enter(":resume 1")
	s.until("counts", func(string) bool {
		s.enter("@m[1]")
		return regexp.MustCompile(`@m\[1\]: \d+\nfst> $`).MatchString(s.text())
	})
}

// TestOnly: a filter of all entries, those that run and those to come; it does not stop their timers.
func TestOnly(t *testing.T) {
	s := open(t)
	s.enter(`profile:hz:99 { @any = count(); }`)
	count := func() string {
		s.enter("@any")
		text := strings.TrimSuffix(s.text(), "\nfst> ")
		return text[strings.LastIndex(text, "\n")+1:]
	}
	s.until("counts", func(string) bool { return count() != "@any: 0" })
	s.enter(":only comm ==")
	s.see("ERROR")
	s.enter(`:only comm == "no such"`)
	s.see("\n[1] replaced, from one event to the next (after ")
	before := count()
	s.enter(`interval:10ms /1/ { @ticks++; }`)
	s.until("ticks", func(string) bool { s.enter("@ticks"); return !strings.HasSuffix(s.text(), "@ticks: 0\nfst> ") })
	time.Sleep(50 * time.Millisecond)
	if after := count(); after != before {
		t.Errorf("what is filtered was counted: %s and %s", before, after)
	}
	s.enter(":undo") // of the interval
	s.enter(":undo")
	s.until("counts again", func(string) bool { return count() != before })
	s.enter(":only args.nosuch == 1") // what an entry cannot have, none has
	s.see("[1] cannot have this filter:\n")
	s.see("(the filter of all entries stays as it is)\n")
	s.enter(":list")
	s.until("the list", func(text string) bool { return strings.HasSuffix(text, "maps: @any, @ticks\nfst> ") })
	if strings.Contains(s.text(), "only: args.nosuch") {
		t.Error(s.text())
	}
}
