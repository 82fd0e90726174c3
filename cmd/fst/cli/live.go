package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"fst"
	"fst/runtime/terminal"
)

// top is the subcommand: a live view of a program.
func (a *app) top(words []string) int {
	if code, done := a.takesProgram("top", "top needs a tool, a script or -e 'PROGRAM'", append([]string{"--live"}, words...)); done {
		return code
	}
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	return a.run()
}

// screen is the terminal with a live view on it.
type screen struct {
	app      *app
	terminal *terminal.Terminal

	mu    sync.Mutex
	view  *fst.View // nil until the session runs
	stray []byte    // what was written beside it before
	ended bool
	over  chan struct{}
	drawn sync.WaitGroup
}

// liveTerminal takes the terminal for a live view. It is nil if there is none: the output is then plain text.
func (a *app) liveTerminal() (*screen, error) {
	inv := a.inv
	switch {
	case inv.format != "text":
		return nil, fmt.Errorf("--live and -f %s cannot be used together: --also %s=FILE writes it to a file as well", inv.format, inv.format)
	case inv.output != "":
		return nil, errors.New("--live and -o cannot be used together: --also text=FILE writes the output to a file as well")
	case inv.mode != "", inv.dryRun:
		return nil, errors.New("--live cannot be used with --test, --bench or --dry-run")
	}
	if !isTerminal(a.stdout.Writer) || a.env["TERM"] == "dumb" {
		if !inv.quiet {
			fmt.Fprintln(a.stderr, "fst: the output is no terminal that can show a live view: it is written as text")
		}
		return nil, nil
	}
	s := &screen{app: a, over: make(chan struct{})}
	var err error
	s.terminal, err = terminal.Take(s.say)
	return s, err
}

// say takes what is written to the terminal beside the view, by the command of -c, say.
func (s *screen) say(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view != nil && !s.ended {
		s.view.Say(text)
	} else {
		s.stray = append(s.stray, text...)
	}
}

// show draws the view from now on, until end. quit is called when the user wants the end.
func (s *screen) show(view *fst.View, quit func()) {
	s.mu.Lock()
	s.view = view
	s.mu.Unlock()
	keys := make(chan string, 16)
	if in := s.terminal.Keys(); in != nil {
		go readKeys(in, keys)
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	s.drawn.Go(func() {
		defer signal.Stop(resized)
		defer signal.Stop(interrupted)
		clock := time.NewTicker(time.Second)
		defer clock.Stop()
		changed := view.Changed()
		var later <-chan time.Time // there is something new, and the screen was drawn right before
		for {
			s.draw()
			select {
			case <-s.over:
				return
			case key := <-keys:
				if view.Key(key) {
					quit()
				}
			case <-interrupted: // others end the session
				view.Key("ctrl-c")
			case <-resized:
			case <-clock.C:
			case <-changed:
				changed, later = nil, time.After(50*time.Millisecond)
			case <-later:
				changed, later = view.Changed(), nil
			}
		}
	})
}

func (s *screen) draw() {
	columns, rows := s.terminal.Size()
	io.WriteString(s.terminal, "\x1b[H"+strings.Join(s.view.Frame(columns, rows), "\x1b[K\r\n")+"\x1b[K\x1b[J")
}

// end gives the terminal back, and leaves there what was shown last.
func (s *screen) end() {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if ended {
		return
	}
	close(s.over)
	s.drawn.Wait()
	columns, _ := s.terminal.Size()
	s.terminal.Restore()
	if s.view != nil {
		io.WriteString(s.app.stdout, s.view.Text(columns))
	}
	s.app.stderr.Write(s.stray)
}

// keyCodes are what terminals send for keys that are no characters.
var keyCodes = map[string]string{"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left", "\x1bOA": "up", "\x1bOB": "down",
	"\x1bOC": "right", "\x1bOD": "left", "\x1b[5~": "pgup", "\x1b[6~": "pgdn", "\x1b[H": "home", "\x1b[F": "end", "\x1bOH": "home", "\x1bOF": "end",
	"\x1b[1~": "home", "\x1b[4~": "end", "\t": "tab", "\r": "enter", "\n": "enter", "\x1b": "esc", "\x7f": "backspace", "\b": "backspace"}

// readKeys hands on what is typed, key by key.
func readKeys(in io.Reader, keys chan<- string) {
	b := make([]byte, 256)
	for {
		n, err := in.Read(b)
		if err != nil || n == 0 {
			return
		}
		for text := string(b[:n]); text != ""; {
			var key string
			key, text = nextKey(text)
			if name, ok := keyCodes[key]; ok {
				key = name
			}
			keys <- key
		}
	}
}

// nextKey cuts the first key off what a terminal has sent.
func nextKey(text string) (key, rest string) {
	end := 0
	switch {
	case strings.HasPrefix(text, "\x1b[") || strings.HasPrefix(text, "\x1bO"):
		for end = 2; end < len(text) && (text[end] < '@' || text[end] > '~'); end++ {
		}
		end = min(end+1, len(text))
	default:
		_, end = utf8.DecodeRuneInString(text)
	}
	return text[:end], text[end:]
}
