package prompt

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// counts is a program whose numbers are known: each is there when the first screen is.
const counts = `begin { @bytes["dd", 7] = 300; @bytes["cat", 12] = 20; @bytes["a very long name", 9] = 1000; @h = hist(5); @h = hist(6); }
interval:s:60 { }`

// at is a terminal of a size with fst on it.
func at(t *testing.T, rows, columns uint16, args ...string) *terminal {
	t.Helper()
	return run(t, t.TempDir(), unix.Winsize{Row: rows, Col: columns}, args...)
}

// clockless is a screen without the time of day and blanks at the ends of lines.
func clockless(text string) string {
	text = regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(text, "HH:MM:SS")
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func (s *terminal) shows(want string) {
	s.t.Helper()
	s.until("is\n"+want, func(text string) bool { return clockless(text) == want })
}

// modeOf is how a terminal treats what is typed.
func modeOf(t *testing.T, s *terminal) unix.Termios {
	t.Helper()
	mode, err := unix.IoctlGetTermios(int(s.master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *mode
}

// TestTop compares screens of a live view: sorted, filtered, resized, frozen, and what it leaves.
func TestTop(t *testing.T) {
	s := at(t, 14, 60, "top", "-e", counts)
	const status = " fst -e 'begin { @bytes[\"dd\", 7] = 300; @bytes[\"…  HH:MM:SS\n"
	const keys = "q quit  space freeze  < > sort  r reverse  / filter  h heat…"
	const hist = "@h:\n[4, 8)                 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@…\n"
	s.shows(status + `key               key_2  bytes
a very long name      9   1000  ██████████████████████████
dd                    7    300  ███████▊
cat                  12     20  ▌

` + hist + "\n\n\n\n\n" + keys)
	s.key(">") // by the first column
	s.shows(status + `key▼              key_2  bytes
a very long name      9   1000  ██████████████████████████
cat                  12     20  ▌
dd                    7    300  ███████▊

` + hist + "\n\n\n\n\n" + keys)
	s.key("\x1b[Cr") // by the second, the smallest first
	s.see("key_2▲")
	s.see("12     20  ▌")
	s.key("/d\r")
	s.see("filter: d")
	s.until("has no cat", func(text string) bool { return !strings.Contains(text, "cat  ") && strings.Contains(text, "dd  ") })
	s.key("\x1b")
	s.see("cat  ")
	s.key("h")
	s.see("@h      |0 1         32")
	s.key("h?")
	s.see("freeze the screen, and go on")
	s.key("?")
	if err := unix.IoctlSetWinsize(int(s.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 6, Col: 30}); err != nil {
		t.Fatal(err)
	}
	s.until("has six rows of 30 columns", func(text string) bool {
		lines := strings.Split(text, "\n")
		return len(lines) == 6 && !slices.ContainsFunc(lines, func(l string) bool { return len([]rune(l)) > 31 })
	})
	s.key("q")
	s.end()
	if text := s.text(); !strings.Contains(text, "a very long name") || strings.Contains(text, "q quit") {
		t.Errorf("what is left on the terminal:\n%s", text)
	}
}

// TestTopFrozen: a screen that is frozen stays, and goes on with what is new.
func TestTopFrozen(t *testing.T) {
	s := at(t, 8, 60, "top", "-e", `interval:ms:50 { @n++; print(@n); } begin { @n = 1; }`)
	s.see("@n: ")
	s.key(" ")
	s.see("  frozen")
	before := s.text()
	time.Sleep(200 * time.Millisecond)
	if now := s.text(); now != before {
		t.Errorf("the screen was\n%s\nand is\n%s", before, now)
	}
	s.key(" ")
	s.until("goes on", func(text string) bool { return text != before && !strings.Contains(text, "frozen") })
	s.key("\x03")
	s.end()
}

// TestTopRestores: however fst or its command ends, the terminal is as it was.
func TestTopRestores(t *testing.T) {
	for name, end := range map[string]func(*terminal){
		"killed":     func(s *terminal) { s.cmd.Process.Kill() },
		"terminated": func(s *terminal) { s.cmd.Process.Signal(unix.SIGTERM) },
		"quit":       func(s *terminal) { s.key("\x1c") }, // SIGQUIT
		"crashed":    func(s *terminal) { s.cmd.Process.Signal(unix.SIGABRT) },
	} {
		t.Run(name, func(t *testing.T) {
			s := at(t, 10, 60, "--live", "-q", "-e", `begin { @x = 5; } interval:s:9 { }`)
			s.see("@x: 5")
			within := modeOf(t, s)
			end(s)
			s.end()
			s.until("is the normal one", func(string) bool { s.mu.Lock(); defer s.mu.Unlock(); return s.screen.under == nil })
			if after := modeOf(t, s); after.Lflag&unix.ICANON == 0 || after.Lflag&unix.ECHO == 0 || within.Lflag&unix.ECHO != 0 {
				t.Errorf("local modes %#x within, %#x after", within.Lflag, after.Lflag)
			}
			if name == "crashed" {
				s.see("SIGABRT: abort")
			}
		})
	}
	s := at(t, 10, 60, "--live", "-c", "sh -c 'echo from the command; exec sleep 0.3'", "-e", `begin { @x = 5; } interval:s:9 { }`)
	s.see("from the command")
	s.end()
	s.see("@x: 5")
}

// TestTopPlain: without a terminal there is plain text, and a line that says so.
func TestTopPlain(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(fst(t), "top", "-e", `begin { printf("plain\n"); exit(); }`)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(out.Name())
	if want := "fst: the output is no terminal that can show a live view: it is written as text\n"; !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), "\nplain\n") {
		t.Errorf("%s", text)
	}
}
