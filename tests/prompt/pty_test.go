package prompt

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal with fst's prompt on it.
type terminal struct {
	t      testing.TB
	master *os.File
	cmd    *exec.Cmd
	ended  chan error

	mu      sync.Mutex
	screen  screen
	instead chan<- []byte // of the screen, gets what is written
}

const rows, columns = 24, 80

// start opens a prompt. home keeps its history.
func start(t testing.TB, home string) *terminal {
	t.Helper()
	return startOn(t, home, unix.Winsize{Row: rows, Col: columns})
}

func startOn(t testing.TB, home string, size unix.Winsize) *terminal {
	t.Helper()
	s := run(t, home, size)
	s.wait("fst> ")
	return s
}

// run starts fst with arguments on a terminal.
func run(t testing.TB, home string, size unix.Winsize, args ...string) *terminal {
	t.Helper()
	return runIn(t, home, size, []string{"NO_COLOR=1"}, args...)
}

// runIn is run with variables of the environment.
func runIn(t testing.TB, home string, size unix.Winsize, env []string, args ...string) *terminal {
	t.Helper()
	program := fst(t)
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &size)
	}
	if err != nil {
		t.Fatal(err)
	}
	master := os.NewFile(uintptr(fd), "ptmx")
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	s := &terminal{t: t, master: master, cmd: exec.Command(program, args...), ended: make(chan error, 1)}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+home, "XDG_STATE_HOME=", "NO_COLOR=", "VISUAL=", "EDITOR=", "PAGER=sed s/^/paged:/")
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		s.read()
	}()
	go func() {
		err := s.cmd.Wait()
		select { // what it has written last
		case <-shown:
		case <-time.After(5 * time.Second): // somebody else has the terminal open
		}
		s.ended <- err
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		master.Close()
	})
	return s
}

func (s *terminal) read() {
	b := make([]byte, 64<<10)
	for {
		n, err := s.master.Read(b)
		if err != nil {
			return
		}
		s.mu.Lock()
		instead := s.instead
		if instead == nil {
			s.screen.write(b[:n])
		}
		s.mu.Unlock()
		if instead != nil {
			instead <- bytes.Clone(b[:n])
		}
	}
}

// text is what is on the screen, and has been.
func (s *terminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen.unknown != "" {
		s.t.Errorf("a sequence that no test knows: %q", s.screen.unknown)
	}
	return s.screen.text()
}

// key types a text.
func (s *terminal) key(text string) { s.master.WriteString(text) }

// wait waits until the screen, without blanks at its end, ends in a text.
func (s *terminal) wait(end string) {
	s.t.Helper()
	s.until(fmt.Sprintf("ends in %q", end), func(text string) bool { return strings.HasSuffix(text, end) })
}

// see waits until a text is on the screen.
func (s *terminal) see(part string) {
	s.t.Helper()
	s.until(fmt.Sprintf("has %q", part), func(text string) bool { return strings.Contains(text, part) })
}

func (s *terminal) until(what string, ok func(string) bool) {
	s.t.Helper()
	for range 1500 {
		if ok(s.text()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("no screen that %s:\n%s", what, s.text())
}

// enter types a line and waits for the next prompt.
func (s *terminal) enter(line string) {
	s.t.Helper()
	prompts := func(text string) int { return strings.Count("\n"+text, "\nfst> ") }
	before := prompts(s.text())
	s.key(line + "\r")
	s.until("has one more prompt", func(text string) bool {
		return prompts(text) > before && strings.HasSuffix(text, "\nfst> ")
	})
}

// paste sends a text as terminals send what is pasted.
func (s *terminal) paste(text string) { s.key("\x1b[200~" + text + "\x1b[201~") }

// end waits for fst's end.
func (s *terminal) end() {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		s.t.Fatalf("fst does not end:\n%s", s.text())
	}
}

// screen understands what the prompt sends to a terminal, and nothing else.
type screen struct {
	lines    [][]rune // all that were ever on it
	row, col int      // the cursor
	rest     []byte   // of a sequence that is not whole
	unknown  string
	under    *screen // the normal screen, while the other one is on
}

func (s *screen) write(b []byte) {
	b = append(s.rest, b...)
	s.rest = nil
	for len(b) > 0 {
		switch c := b[0]; {
		case c == '\r':
			s.col, b = 0, b[1:]
		case c == '\n':
			s.row, b = s.row+1, b[1:]
		case c == '\a':
			b = b[1:]
		case c == '\x1b':
			end := bytes.IndexFunc(b, func(r rune) bool { return r >= '@' && r <= '~' && r != '[' })
			if end < 0 {
				s.rest = bytes.Clone(b)
				return
			}
			s.escape(string(b[:end+1]))
			b = b[end+1:]
		default:
			r := []rune(string(b[:min(4, len(b))]))[0]
			if r == '\uFFFD' && len(b) < 4 {
				s.rest = bytes.Clone(b)
				return
			}
			if s.col == columns {
				s.row, s.col = s.row+1, 0
			}
			s.put(r)
			b = b[len(string(r)):]
		}
	}
}

func (s *screen) put(r rune) {
	line := s.line()
	for len(*line) <= s.col {
		*line = append(*line, ' ')
	}
	(*line)[s.col] = r
	s.col++
}

func (s *screen) line() *[]rune {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
	return &s.lines[s.row]
}

func (s *screen) escape(code string) {
	n := 1
	fmt.Sscanf(code, "\x1b[%d", &n)
	switch line := s.line(); code[len(code)-1] {
	case 'G':
		s.col = n - 1
	case 'A':
		s.row = max(0, s.row-n)
	case 'K':
		*line = (*line)[:min(s.col, len(*line))]
	case 'J':
		*line = (*line)[:min(s.col, len(*line))]
		s.lines = s.lines[:s.row+1]
	case 'H':
		s.row, s.col = 0, 0
	case 'h':
		if code == "\x1b[?1049h" {
			*s = screen{under: &screen{lines: s.lines, row: s.row, col: s.col}}
		}
	case 'l':
		if code == "\x1b[?1049l" && s.under != nil {
			*s = *s.under
		}
	case 'm':
	default:
		s.unknown = code
	}
}

// text is all lines down to the cursor, without blanks at the end of lines
// before it.
func (s *screen) text() string {
	var b strings.Builder
	s.line()
	for i, line := range s.lines {
		text := string(line)
		if i == s.row {
			text = strings.TrimRight(text, " ") + " "
		} else {
			text = strings.TrimRight(text, " ")
		}
		b.WriteString(text + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
