package repl

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// screen is what is written on, by the line editor and by all that runs. Text
// appears above the line that is being edited, which is drawn again below it.
// Writes may come from any goroutine.
type screen struct {
	w io.Writer
	// size tells how large the terminal is; nil where none is.
	size func() (columns, rows int)

	mu     sync.Mutex
	active bool // a line is being edited
	over   bool // it has ended by Enter
	// unread is what the editor has written and does not make a whole drawing yet.
	unread []byte
	// inserting is true from a drawing with the mark of a paste to the next one, which has its text: what comes between is
	// not shown.
	inserting bool
	// entered is the line that ended last, which takes so many rows.
	entered     []byte
	enteredRows int
	// open is a line of text that has not ended, and whose it is.
	open  []byte
	owner *source
	// live stands between the text and the edited line, and changes in place;
	// drawn is how many lines of it are right above the edited line, and passed
	// how many were above the one that has just ended.
	live          string
	drawn, passed int
	// away is true while another program has the terminal: what is written meanwhile is kept in missed.
	away   bool
	missed bytes.Buffer

	// helps has the edited line be shown in colours, with hints and with what is wrong; changed hears of each change of it,
	// and of what stands before it in its entry.
	helps     bool
	changed   func(before string, now line)
	isKeyword func(word string) bool
	prompt    string
	before    string      // in its entry, with marks
	head      string      // stands before now: the prompt, or nothing
	now       line        // what the editor shows
	known     bool        // that is the edited line, and no search of the history
	aids      aids        // of now
	picture   []byte      // what draws it; nil as long as nothing is shown
	plain     []byte      // what draws it where much is written, without aids
	shownAt   time.Time   // other text, last
	calms     bool        // it was drawn plain, and will be drawn in full again
	noting    bool        // it has a note below the line
	noted     bool        // that stands on the screen
	hinted    atomic.Bool // the hint that is shown is for all that has been typed
	waits     atomic.Bool // candidates for waitsFor are being read, and nothing has been typed since
	waitsFor  line
}

// maxMissed is how much text is kept while another program has the terminal.
const maxMissed = 1 << 20

// leave lets another program have the terminal while do runs.
func (s *screen) leave(do func()) {
	s.mu.Lock()
	s.away = true
	s.mu.Unlock()
	do()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = false
	s.w.Write(s.missed.Bytes())
	s.missed = bytes.Buffer{}
}

// source is who writes on the screen: the prompt itself, or an entry, whose
// lines begin with its label.
type source struct {
	screen *screen
	label  string
	holds  bool // what it writes is kept back
	held   []byte
	keeps  bool   // what it has written can be shown again
	kept   []byte // the latest of it
}

// maxKept is how much of what a source has written can be shown again, at least; twice as much is kept at most.
const maxKept = 128 << 10

// keep notes what is written, for another time.
func (s *source) keep(text []byte) {
	if !s.keeps {
		return
	}
	if len(s.kept)+len(text) > 2*maxKept {
		s.kept = append(s.kept[:0], s.kept[max(0, len(s.kept)-maxKept):]...)
	}
	s.kept = append(s.kept, text[max(0, len(text)-maxKept):]...)
}

// latest is what was written last, in whole lines if it is not all.
func (s *source) latest() []byte {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	kept := s.kept
	if len(kept) > maxKept {
		_, kept, _ = bytes.Cut(kept[len(kept)-maxKept:], []byte("\n"))
	}
	return bytes.Clone(kept)
}

// hold returns a source whose text appears when it is released.
func (s *screen) hold() *source { return &source{screen: s, holds: true, keeps: true} }

// release shows what was kept back, and from now on what comes, with a label.
// Only the first call counts.
func (s *source) release(label string) {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	if s.holds {
		s.holds, s.label = false, label
		s.screen.show(s, s.held)
		s.held = nil
	}
}

// Write implements io.Writer. While a line is edited it writes much text in pieces: what is typed is shown between them.
func (s *source) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n, err := s.writeSome(rest)
		if err != nil {
			return len(b) - len(rest) + n, err
		}
		rest = rest[n:]
	}
	return len(b), nil
}

// maxPiece is how much text is shown at once, in whole lines, while a line is edited.
const maxPiece = 4 << 10

// writeSome writes all of a text, or its first piece.
func (s *source) writeSome(b []byte) (n int, err error) {
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	if s.screen.active && !s.holds && len(b) > maxPiece {
		if end := bytes.LastIndexByte(b[:maxPiece], '\n'); end >= 0 {
			b = b[:end+1]
		}
	}
	s.keep(b)
	if s.holds {
		s.held = append(s.held, b...)
		return len(b), nil
	}
	return len(b), s.screen.show(s, b)
}

func (s *source) printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

// maxOpen is how long a line may become that has not ended.
const maxOpen = 4096

// show writes text of a source. The caller holds mu.
func (s *screen) show(from *source, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var out bytes.Buffer
	s.passed = 0
	open := s.open
	if open != nil && (from != s.owner || len(open) > maxOpen) {
		if !s.active { // at a prompt it has a line of its own already
			out.WriteByte('\n')
		}
		open = nil
	}
	if s.active {
		s.erase(&out)
		if open != nil { // back to where it was begun
			columns, _ := s.size()
			fmt.Fprintf(&out, "\x1b[%dA\x1b[J", 1+(max(1, width(open))-1)/columns)
			out.Write(open)
		}
	}
	s.open, s.owner = nil, nil
	for line := range bytes.Lines(text) {
		piece := line
		if open == nil && from.label != "" && line[0] != '\n' {
			piece = append([]byte(from.label), line...)
		}
		out.Write(piece)
		open = append(open, piece...)
		if line[len(line)-1] == '\n' {
			open = nil
		}
	}
	if open != nil {
		s.open, s.owner = open, from
		if s.active {
			out.WriteByte('\n')
		}
	}
	if s.active {
		s.draw(&out)
	}
	if s.away {
		if s.missed.Len() < maxMissed {
			s.missed.Write(out.Bytes())
		}
		return nil
	}
	_, err := s.w.Write(out.Bytes())
	return err
}

// erase takes the edited line and what is live above it off the screen.
func (s *screen) erase(out *bytes.Buffer) {
	if s.noted {
		out.WriteString("\r\x1b[J")
	} else {
		out.WriteString("\r\x1b[K")
	}
	s.noted = false
	if s.drawn > 0 {
		fmt.Fprintf(out, "\x1b[%dA\x1b[J", s.drawn)
	}
	s.drawn = 0
}

// draw puts them back: as much of what is live as the screen has room for.
func (s *screen) draw(out *bytes.Buffer) {
	columns, rows := s.size()
	for line := range strings.Lines(s.live) {
		if s.drawn == rows-2 || s.aids.note != "" && s.drawn == rows-3 {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		if r := []rune(line); len(r) >= columns {
			line = string(r[:columns-1])
		}
		out.WriteString(line + "\n")
		s.drawn++
	}
	if s.picture != nil {
		s.drawAgain(out)
	}
}

// below shows a text, which ends in a newline, below all other in place of what
// was shown so before.
func (s *screen) below(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size == nil || text == s.live {
		return
	}
	var out bytes.Buffer
	if s.active {
		s.erase(&out)
	}
	s.live = text
	if s.active {
		s.draw(&out)
		s.w.Write(out.Bytes())
	}
}

// width is how many columns a text takes, without what only sets colours.
func width(text []byte) int {
	n := 0
	for len(text) > 0 {
		if text[0] == '\x1b' {
			end := bytes.IndexByte(text, 'm')
			if end < 0 {
				break
			}
			text = text[end+1:]
			continue
		}
		_, size := utf8.DecodeRune(text)
		text, n = text[size:], n+1
	}
	return n
}

// prompting tells that a line is edited from now on, or no longer.
func (s *screen) prompting(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on && s.open != nil {
		io.WriteString(s.w, "\n")
	}
	var out bytes.Buffer
	if s.passed > 0 { // Enter has been pressed: it goes from above the line
		fmt.Fprintf(&out, "\x1b[%dA\r\x1b[J", s.passed+s.enteredRows)
		out.Write(s.entered)
		s.passed = 0
	}
	s.active, s.over, s.known, s.inserting = on && s.edits(), false, false, false
	s.unread, s.picture = nil, nil
	if s.active {
		s.draw(&out)
	}
	s.w.Write(out.Bytes())
	if !s.active { // a line has ended by Enter
		s.open, s.owner = nil, nil
	}
}

// minColumns is how wide a terminal must be for the line editor to edit a line.
// On a narrower one, or one that does not tell, it reads what the terminal echoes.
const minColumns = len(firstPrompt) + 10

// edits reports whether lines are edited on the screen.
func (s *screen) edits() bool {
	if s.size == nil {
		return false
	}
	columns, _ := s.size()
	return columns >= minColumns
}

// edited shows what the line editor writes.
func (s *screen) edited(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active {
		s.follow(b)
		return
	}
	s.w.Write(b)
}
