package repl

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// adviser finds what helps while a line is edited: how it may go on, and what is wrong with it. It works while nothing
// is typed, and for a line that is still there.
type adviser struct {
	loop   *loop
	recall func(beginning string) string // the latest entry of the history that begins so, with marks; or nil

	mu     sync.Mutex
	latest subject
	woken  chan struct{}
	slow   time.Duration // how long it took to find out what is wrong with the line before
}

// subject is what advice is about.
type subject struct {
	before string // in its entry, with marks
	line   line
}

const (
	hintAfter = 30 * time.Millisecond  // nothing was typed: hints that are to be looked up
	noteAfter = 150 * time.Millisecond // errors
	// noteTime is how long it may take to find errors. Where it takes longer, that is done more seldom.
	noteTime = 20 * time.Millisecond
)

// ask hears of a change. It never waits.
func (a *adviser) ask(before string, now line) {
	a.mu.Lock()
	a.latest = subject{before, now}
	a.mu.Unlock()
	select {
	case a.woken <- struct{}{}:
	default:
	}
}

// run answers until woken is closed.
func (a *adviser) run() {
	for range a.woken {
		for a.answer() {
		}
	}
}

// answer is true if the line has changed meanwhile.
func (a *adviser) answer() (changed bool) {
	a.mu.Lock()
	s := a.latest
	a.mu.Unlock()
	screen := a.loop.screen
	atEnd := s.line.at == len(s.line.text)
	hint := ""
	if atEnd && a.recall != nil && s.line.text != "" {
		hint = strings.TrimPrefix(a.recall(s.before+s.line.text), s.before+s.line.text)
	}
	if hint != "" {
		screen.setAids(s.line, func(a *aids) { a.hint = hint })
	}
	if a.quiet(hintAfter) {
		return true
	}
	if hint == "" && atEnd {
		hint = a.loop.hint(fromMarks.Replace(s.before + s.line.text))
		screen.setAids(s.line, func(a *aids) { a.hint = hint })
	}
	wait := noteAfter
	if a.slow > noteTime {
		wait = 10 * a.slow
	}
	if a.quiet(wait) {
		return true
	}
	began := time.Now()
	column, note := a.loop.fault(s)
	a.slow = time.Since(began)
	screen.setAids(s.line, func(a *aids) { a.column, a.note = column, note })
	return false
}

// quiet waits. It is true if something was typed meanwhile.
func (a *adviser) quiet(wait time.Duration) bool {
	select {
	case _, ok := <-a.woken:
		return ok
	case <-time.After(wait):
		return false
	}
}

// hint is how a text may go on: with the first that its last word may become.
func (l *loop) hint(text string) string {
	l.state.Lock()
	defer l.state.Unlock()
	o := l.offer(text)
	if utf8.RuneCountInString(o.word) < minHinted || slices.ContainsFunc(o.list, func(c Candidate) bool { return c.Text == o.word }) || len(o.list) == 0 {
		return ""
	}
	return toMarks.Replace(strings.TrimPrefix(o.list[0].Text, o.word))
}

// minHinted is how many characters a word must have for a hint from the catalogue.
const minHinted = 2

// fault is what is wrong with a line so far, and where in it, in runes. What the word that is being typed leaves open is no fault.
func (l *loop) fault(s subject) (column int, note string) {
	before := fromMarks.Replace(s.before)
	text := strings.TrimRight(before+fromMarks.Replace(s.line.text), " \t\n")
	if !isProgram(text) {
		return 0, ""
	}
	half := readTyped(text)
	if half.comment {
		return 0, ""
	}
	closed := text
	if half.quote > 0 {
		closed += `"`
	}
	for _, at := range slices.Backward(half.open) {
		closed += string(map[byte]rune{'(': ')', '[': ']', '{': '}'}[text[at]])
	}
	l.state.Lock()
	defer l.state.Unlock()
	own, alone := l.engine.Definitions(text)
	if alone {
		return 0, ""
	}
	row, col, message := l.engine.Fault(closed, textOf(l.others(own)))
	if message == "" {
		return 0, ""
	}
	lines := strings.SplitAfter(text, "\n")
	if row < 1 || row > len(lines) {
		return 0, ""
	}
	place := len(strings.Join(lines[:row-1], "")) + col - 1
	if closed != text || !strings.HasSuffix(text, "}") { // it goes on
		if place >= max(len(text)-len(lastWord(text)), 0) {
			return 0, ""
		}
	}
	if place < len(before) {
		return 0, message
	}
	return utf8.RuneCountInString(text[len(before):min(place, len(text))]), message
}

// lastWord is what a text ends in without a blank.
func lastWord(text string) string { return text[strings.LastIndexAny(text, " \t\n(,;{[")+1:] }
