package repl

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// line is a line that is edited, as the line editor shows it: with marks for line breaks and tabs.
type line struct {
	text string
	at   int // where the cursor stands in it, in bytes
}

// What the line editor writes, besides text: how it begins to draw its line, and how it ends.
const (
	firstColumn = "\x1b[1G"
	restErased  = "\x1b[0K"
)

// readLine reads what the line editor has written since it began to draw its line. whole is false while it draws; known is
// false if it does not show the whole line, or something else, such as a search of the history.
func readLine(drawn []byte, prompt string, columns int) (l line, whole, known bool) {
	text := string(drawn)
	added, column := "", 0
	if rest, ok := strings.CutPrefix(text, firstColumn); ok {
		if text, rest, ok = strings.Cut(rest, restErased); !ok {
			return l, false, false
		}
		rest, ok = strings.CutPrefix(rest, "\x1b[")
		number, rest, ended := strings.Cut(rest, "G")
		if !ok || !ended {
			return l, false, false
		}
		column, _ = strconv.Atoi(number)
		added = rest
	}
	shown, ok := strings.CutPrefix(text, prompt)
	all := shown + added
	if !ok || strings.ContainsRune(all, '\x1b') || !utf8.ValidString(all) || runewidth.StringWidth(prompt+all) >= columns-1 {
		return l, true, false
	}
	l = line{all, len(all)}
	if column > 0 && added == "" {
		left := column - 1 - runewidth.StringWidth(prompt)
		for l.at = 0; l.at < len(all) && left > 0; {
			r, size := utf8.DecodeRuneInString(all[l.at:])
			left -= runewidth.RuneWidth(r)
			l.at += size
		}
	}
	return l, true, true
}

// minRows is how many rows a terminal must have for a note below the line.
const minRows = 4

// aids are what is shown besides an edited line, while that is as it was when they were found.
type aids struct {
	hint   string // may follow, dim; Right or End takes it
	note   string // is wrong with it, below it
	column int    // what the note is about, in runes of the text
}

// drawLine draws the edited line in colours, with aids.
func (s *screen) drawLine(out *bytes.Buffer, a aids) {
	prompt, l := s.prompt, s.now
	columns, rows := s.size()
	width := runewidth.StringWidth(prompt + l.text)
	out.WriteString(firstColumn + prompt)
	s.writeColored(out, l)
	if room := columns - 1 - width; a.hint != "" && room > 0 {
		out.WriteString("\x1b[2m" + runewidth.Truncate(a.hint, room, "…") + "\x1b[0m")
	}
	out.WriteString("\x1b[J")
	s.noting = a.note != "" && rows > minRows
	if s.noted = s.noting; s.noted {
		text := "^ " + a.note
		indent := runewidth.StringWidth(prompt + string([]rune(l.text)[:min(a.column, utf8.RuneCountInString(l.text))]))
		if room := columns - 1 - runewidth.StringWidth(text); indent > room { // the message matters more than its place
			indent, text = max(0, room+2), a.note
		}
		out.WriteString("\n" + strings.Repeat(" ", indent) + "\x1b[31m" + runewidth.Truncate(text, columns-1, "…") + "\x1b[0m\x1b[A")
	}
	out.WriteString("\x1b[" + strconv.Itoa(1+runewidth.StringWidth(prompt+l.text[:l.at])) + "G")
}

// editing tells what is edited next: the prompt, and what stands before it in its entry.
func (s *screen) editing(prompt, before string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt, s.before = prompt, toMarks.Replace(before)
	s.now, s.known, s.aids = line{}, false, aids{}
}

// setAids shows what was found for a line, if that is still as it was.
func (s *screen) setAids(of line, set func(*aids)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.helps || !s.active || !s.known || s.now != of {
		return
	}
	old := s.aids
	set(&s.aids)
	if s.aids == old {
		return
	}
	var out bytes.Buffer
	s.redraw(&out)
	s.w.Write(out.Bytes())
}

// redraw draws the edited line again where it is.
func (s *screen) redraw(out *bytes.Buffer) {
	var picture bytes.Buffer
	s.drawLine(&picture, s.aids)
	s.picture = picture.Bytes()
	s.plain = fmt.Appendf(nil, "%s%s%s\x1b[J\x1b[%dG", firstColumn, s.prompt, s.now.text, 1+runewidth.StringWidth(s.prompt+s.now.text[:s.now.at]))
	if s.calms {
		out.Write(s.plain)
		s.noted = false
	} else {
		out.Write(s.picture)
	}
	s.hinted.Store(!s.calms && s.aids.hint != "" && s.now.at == len(s.now.text))
}

const (
	flood = 2 * time.Millisecond  // other text that comes sooner after the one before is much
	calm  = 50 * time.Millisecond // after so long without any it was
)

// drawKnown draws the edited line below other text: without colours and aids where there is much of that, as their codes would
// take longer than the text.
func (s *screen) drawKnown(out *bytes.Buffer) {
	now := time.Now()
	if past := now.Sub(s.shownAt); past > flood && !s.calms {
		out.Write(s.picture)
		s.noted = s.noting
	} else {
		out.Write(s.plain)
		if !s.calms {
			s.calms = true
			time.AfterFunc(calm, s.calmed)
		}
	}
	s.shownAt = now
}

// calmed draws the line in full again once there is no more text.
func (s *screen) calmed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := calm - time.Since(s.shownAt); left > 0 {
		time.AfterFunc(left, s.calmed)
		return
	}
	if s.calms = false; s.active && s.known && !s.away {
		var out bytes.Buffer
		s.redraw(&out)
		s.w.Write(out.Bytes())
	}
}

// takeHint returns what is to be typed for the hint that is shown, if it is for all that has been typed.
func (s *screen) takeHint() string {
	if !s.hinted.Swap(false) {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aids.hint
}

// setHelps says whether colours, hints and errors are shown while a line is edited.
func (s *screen) setHelps(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.helps = on
}

// follow shows what the line editor writes, in colours and with what helps. The caller holds mu.
func (s *screen) follow(b []byte) {
	var out bytes.Buffer
	if bytes.Contains(b, []byte(allErased)) {
		out.WriteString(allErased)
		s.drawn, s.noted = 0, false
	}
	if bytes.IndexByte(b, '\a') >= 0 {
		out.WriteByte('\a')
	}
	b, rest, ends := bytes.Cut(b, []byte("\n"))
	s.line = append(s.line, bytes.ReplaceAll(b, []byte("\a"), nil)...)
	if i := bytes.LastIndex(s.line, []byte(firstColumn)); i >= 0 {
		s.line = s.line[i:]
	}
	columns, _ := s.size()
	now, whole, known := readLine(s.line, s.prompt, columns)
	switch {
	case known:
		s.aids = s.aids.after(s.now, now)
		if s.now, s.known = now, true; ends {
			s.aids = aids{}
		}
		s.redraw(&out)
	case whole || ends:
		s.known, s.aids = false, aids{}
		s.hinted.Store(false)
		if s.noted = false; whole {
			out.WriteString("\r\x1b[J")
		}
		out.Write(s.line)
	}
	if ends {
		s.entered, s.passed = nil, s.drawn
		if known {
			var entered bytes.Buffer
			s.drawLine(&entered, aids{})
			s.entered = entered.Bytes()
		} else {
			s.entered = s.line
		}
		s.entered = append(s.entered, '\n')
		out.WriteByte('\n')
		s.line, s.known, s.drawn = nil, false, 0
	}
	s.w.Write(out.Bytes())
	if len(rest) > 0 {
		s.follow(rest)
	}
	if s.changed != nil && s.known {
		s.changed(s.before, s.now)
	}
}

// allErased is what the line editor writes to clear the screen.
const allErased = "\x1b[H\x1b[2J"

// after are the aids of a line that was edited: a hint goes on as far as it was typed, a note stays while what it is about does.
func (a aids) after(was, now line) aids {
	added, ok := strings.CutPrefix(now.text, was.text)
	if !ok {
		return aids{}
	}
	if a.hint, ok = strings.CutPrefix(a.hint, added); !ok || now.at < len(now.text) {
		a.hint = ""
	}
	return a
}
