package prompt

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWatch: a map is shown in place, above the edited line and below all other text.
func TestWatch(t *testing.T) {
	s := open(t)
	s.enter(`interval:50ms { @n[1] = count(); @n[2] = 7; }`)
	s.see("@n holds") // count() and a number are of two kinds
	s.enter(`interval:50ms { @n[1]++; @n[2] = 7; }`)
	s.enter(":watch @n every 0.2")
	s.key("ab")
	s.until("shows a change above the line", func(text string) bool {
		return regexp.MustCompile(`\n@n\[1\]: \d+ \(\+\d+\) [▁-█]+\n(@n\[2\]: 7\n)?fst> ab $`).MatchString(text) ||
			regexp.MustCompile(`\n@n\[2\]: 7\n@n\[1\]: \d+ \(\+\d+\) [▁-█]+\nfst> ab $`).MatchString(text)
	})
	s.key("\x15")
	s.enter("1 + 1")
	s.see("\nfst> 1 + 1\n2\n")
	s.enter(":watch off")
	if n := strings.Count(s.text(), "\n@n["); n != 0 {
		t.Errorf("%d lines of the map are left:\n%s", n, s.text())
	}
	s.enter(":watch @other")
	s.see("there is no map @other (there are @n)")
	s.enter(":watch @n every 0")
	s.see("invalid value for every: 0 (want at least 0.1 seconds)")
	s.enter(":watch @n top 0")
	s.see("invalid value for top: 0 (want at least 1)")
}

// TestLooks: what entries cost, their texts, the shell, and the last text once more.
func TestLooks(t *testing.T) {
	s := open(t)
	s.enter("interval:1ms { @n++; }")
	s.enter(":stats 0.3")
	s.until("tells the cost", func(text string) bool {
		return regexp.MustCompile(`\n\[1\] [1-9]\d* runs/s, [1-9]\d* ns each, [\d.e-]+% of a CPU\n`).MatchString(text)
	})
	for range 20 { // a Ctrl-C that comes at once finds nothing that ran
		before := strings.Count(s.text(), ":stats 60\n")
		s.key(":stats 60\r")
		s.until("measures", func(text string) bool {
			return strings.Count(text, ":stats 60\n") > before && modeOf(t, s).Lflag&unix.ISIG != 0 // not the line editor's mode
		})
		s.key("\x03") // what was measured so far
		s.until("tells the cost again", func(text string) bool {
			// The terminal shows ^C behind the signal, which may have changed its mode by then.
			return len(regexp.MustCompile(`:stats 60\n(\^C)?\n\[1\] `).FindAllString(text, -1)) > before && strings.HasSuffix(text, "\nfst> ")
		})
		if strings.Count(s.text(), " runs/s, ") == 2 {
			break
		}
	}
	if text := s.text(); strings.Count(text, " runs/s, ") != 2 {
		t.Errorf("no cost is told:\n%s", text)
	}
	s.enter(":source syscount")
	s.see("\npaged:// syscount: ") // longer than the screen
	s.enter(":shell echo $((20 + 3)); tty")
	s.see("\n23\nnot a tty\n")
	s.enter("2 + 5")
	s.key(":again\r")
	s.wait("\nfst> 2 + 5 ")
	s.key("0\r")
	s.see("\n52\n")
}

// TestAgainInEditor: the last text, with its lines, is changed by the user's own program; if that fails nothing is entered.
func TestAgainInEditor(t *testing.T) {
	s := runIn(t, t.TempDir(), unix.Winsize{Row: rows, Col: columns}, []string{"EDITOR=sed -i s/111/222/"})
	s.wait("fst> ")
	s.key("BEGIN {\r")
	s.wait("...> ")
	s.enter("print(111) }")
	s.see("\n111\n")
	s.enter(":again")
	s.see("\n222\n")
	s = runIn(t, t.TempDir(), unix.Winsize{Row: rows, Col: columns}, []string{"EDITOR=false"})
	s.wait("fst> ")
	s.enter("2 + 5")
	s.enter(":again")
	s.see("\nfalse: exit status 1: the text is not entered\n")
	s.enter(":doc :again")
	s.see("\n:again\n")
}

// TestNarrow: on a terminal that is too narrow for a line to be edited, or does
// not tell its size, lines are read as the terminal echoes them.
func TestNarrow(t *testing.T) {
	for _, test := range []struct {
		size unix.Winsize
		term string
	}{{unix.Winsize{}, "xterm"}, {unix.Winsize{Row: 5, Col: 8}, "xterm"}, {unix.Winsize{Row: rows, Col: columns}, "dumb"}} {
		s := runIn(t, t.TempDir(), test.size, []string{"TERM=" + test.term})
		s.wait("fst> ")
		s.key("{\r")
		s.wait("...> ")
		s.key("\x04") // gives up the entry, not the prompt
		s.wait("fst> ")
		s.key("{ nothing\x03")
		s.see("(:quit or Ctrl-D leaves)\n")
		s.wait("fst> ")
		s.enter("interval:20ms { @n[1]++; }")
		s.see("[1] interval:us:20000")
		s.enter(":watch @n every 0.1")
		s.see("this terminal shows no map in place: @n shows it as it is now\n")
		s.key(":edit 1\r")
		s.wait("\ninterval:20ms { @n[1]++; }\n[1]> ")
		s.key("\x03")
		s.see("[1] stays as it is\n")
		s.wait("\nfst> ")
		s.enter("2 + 3")
		s.see("\n5\n")
		s.enter("@n")
		s.see("@n[1]: ")
		if test.term == "dumb" {
			s.key("\x03")
			s.see("(Ctrl-C again detaches [1] ")
			s.key("\x03")
		} else {
			s.key("\x04")
		}
		s.see("[1] detached\n")
		s.key("\x04")
		s.end()
	}
}

// TestCompletion: Tab goes as far as all candidates agree, then shows them with what they are.
func TestCompletion(t *testing.T) {
	s := open(t)
	s.enter(`@held["bash", 7] = 1`)
	own := fmt.Sprint(s.cmd.Process.Pid)
	for _, test := range []struct{ typed, shown, becomes string }{
		{"tracepoint:syscalls:sys_ex\t", "", "tracepoint:syscalls:sys_exit"},
		{"tracepoint:sched:sched_process_ex\t", "  tracepoint:sched:sched_process_exit  ", "tracepoint:sched:sched_process_ex"},
		{"tracepoint:sched:sched_switch { print(args.next_\t", "  next_prio  ", "tracepoint:sched:sched_switch { print(args.next_"},
		{"curtask->mm->pg\t", "", "curtask->mm->pg"},
		{"$x = curtask; if ($x->tgi\t", "", "$x = curtask; if ($x->tgid"},
		{"(struct task_str\t", "", "(struct task_struct"},
		{"print(@he\t", "", "print(@held"},
		{"@held[\"ba\t", "", `@held["bash", 7]`},
		{"config = { stack_mo\t", "", "config = { stack_mode"},
		{"biolatency --dis\t\t", "  --disks ", "biolatency --disk"},
		{"uprobe:\t", "(the path of a program or a library comes next: uprobe:PATH:NAME)", "uprobe:"},
		{"uprobe:/bin/s\t", "  uprobe:/bin/s", "uprobe:/bin/s"},
		{"uprobe:/proc/self/exe:main.ma\t", "", "uprobe:/proc/self/exe:main.main"},
		{"u:/proc/self/exe:runtime.malloc\t", "  a function\n", "u:/proc/self/exe:runtime.malloc"},
		{"#include \"/pro\t", "", "#include \"/proc/"},
		{"#include \"/proc/sys\t", "  a directory\n", "#include \"/proc/sys"},
		{"io:done { print(args.stack\t", "", "io:done { print(args.stacked"},
		{":typ\t", "", ":type"},
		{"profile:hz:9 /comm == \"prompt.te\t", "", "profile:hz:9 /comm == \"prompt.test\""}, // this program
		{"profile:hz:9 /pid == " + own[:len(own)-1] + "\t\t", "", "profile:hz:9 /pid == " + own[:len(own)-1]},
	} {
		s.key(test.typed)
		if test.shown != "" {
			s.see(test.shown)
		}
		s.until("becomes "+test.becomes, func(text string) bool {
			_, line, _ := cut(text, "\nfst> ")
			return strings.HasPrefix(line, test.becomes)
		})
		s.key("\x05\x15")
		s.wait("\nfst> ")
	}
	s.enter(":type curtask->mm->pgd")
	s.see("\nstruct pgd_t *\n  pgd  uint64\n")
	s.enter(`:type (1 + 2) * 3`)
	s.see("\nint64\n")
	s.enter(`:type tracepoint:sched:sched_switch { args`)
	s.see("\n  next_comm   string[16]\n")
	s.enter(`:type @none`)
	s.see("there is no map @none\n")
}

// cut splits a text at the last place of another one.
func cut(text, at string) (before, after string, found bool) {
	i := strings.LastIndex(text, at)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(at):], true
}

// TestHints: while a line is edited, how it may go on and what is wrong with it are shown, without harm to other text.
func TestHints(t *testing.T) {
	home, size := t.TempDir(), unix.Winsize{Row: rows, Col: columns}
	s := runIn(t, home, size, nil)
	s.wait("fst> ")
	s.enter("1 + 41")
	s.key("1 +")
	s.wait("\nfst> 1 + 41 ") // from the history
	s.key("\x1b[C\r")
	s.see("\n42\nfst> 1 + 41\n42\nfst> ")
	s.key("tracepoint:sched:sched_process_exe")
	s.wait("sched_process_exec ") // from the catalogue
	s.key("\x1b[F { @m[com")
	s.wait("\nfst> tracepoint:sched:sched_process_exec { @m[comm ")
	s.key("\x7f\x7f\x7f")
	s.wait("exec { @m[ ")
	s.key("\x15")
	s.wait("\nfst> ")
	s.enter(`interval:200ms { printf("tick\n"); }`)
	s.key("1 + nosuch * 2")
	note := "\nfst> 1 + nosuch * 2 \n         ^ nosuch is not known"
	// The cursor is in the edited line: the emulator shows what is below it, too.
	s.see(note)
	ticks := strings.Count(s.text(), "[1] tick\n")
	s.until("has more output above both", func(text string) bool {
		return strings.Count(text, "[1] tick\n") > ticks+1 && strings.HasSuffix(strings.TrimRight(text, " "), note) && strings.Count(text, "nosuch") == 2
	})
	s.key("\x01\x1b[C\x1b[C\x1b[C\x1b[C$\x05 ")
	s.until("has no note any more", func(text string) bool { return strings.HasSuffix(text, "\nfst> 1 + $nosuch * 2 ") })
	s.see("nosuch")
	s.key("\x03")
	s.enter("\x03:drop 1")
	s.enter(":hints off")
	s.key("1 +")
	time.Sleep(300 * time.Millisecond)
	s.wait("\nfst> 1 + ")
	s.key("\x1b[C\x15")
	s.enter(":hints on")
	s.key("1 +")
	s.wait("\nfst> 1 + 41 ")
	s.key("\x15\x04")
	s.end()

	s = start(t, home) // NO_COLOR
	s.key("1 +")
	time.Sleep(300 * time.Millisecond)
	s.wait("fst> 1 + ")
}

// TestWide: a line that is wider than the terminal has colours, a hint and a note, and is whole once it is entered.
func TestWide(t *testing.T) {
	home, size := t.TempDir(), unix.Winsize{Row: rows, Col: columns}
	s := runIn(t, home, size, nil)
	s.wait("fst> ")
	s.enter("1")
	text := `{ @wide["a key that is long"] = 1; printf("世界 and more text %d\n", @wide["a key that is long"]); }` // 102 columns
	s.key(text)
	s.until("shows its end", func(screen string) bool {
		_, line, _ := cut(screen, "\nfst> ")
		return strings.HasPrefix(line, "…") && strings.HasSuffix(strings.TrimRight(line, " "), `"a key that is long"]); }`) && len([]rune(line)) < columns
	})
	s.key("\x01")
	s.until("shows its beginning", func(screen string) bool {
		_, line, _ := cut(screen, "\nfst> ")
		return strings.HasPrefix(line, `{ @wide["a key`) && strings.HasSuffix(strings.TrimRight(line, " "), "…")
	})
	s.key("\r")
	s.see("\n世界 and more text 1\n")
	s.until("has all of it", func(screen string) bool { return strings.Contains(strings.ReplaceAll(screen, "\n", ""), "fst> "+text) })
	s.wait("\nfst> ")
	s.key(text[:90])
	s.wait("is long\"]); } ") // from the history
	s.key("\x15" + strings.Repeat("1 + ", 22) + "nosuch + 1")
	s.see("^ nosuch is not known")
	s.key("\x15\x04")
	s.end()
}
