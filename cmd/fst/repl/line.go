package repl

import (
	"bytes"
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

const (
	firstColumn = "\x1b[1G"
	dim         = "\x1b[2m"
	normal      = "\x1b[0m"
)

// drawing is how the line editor draws a line, in its mode of several rows, which shows lines whole.
type drawing struct {
	text   string // the prompt and the line
	below  bool   // the cursor has gone to an empty row below it first
	up     int    // the cursor goes up so many rows from there
	column int    // and to this column, from 1
}

// readDrawing reads the drawing that a text begins with, which takes n bytes; 0 if it is not whole yet.
func readDrawing(text string) (d drawing, n int) {
	all := len(text)
	for { // what erases the rows of the drawing before
		_, _, rest := readCode(text)
		if len(rest) == len(text) {
			break
		}
		text = rest
	}
	end := strings.IndexAny(text, "\x1b\n")
	if end <= 0 {
		return d, 0
	}
	d.text, text = text[:end], text[end:]
	text, d.below = strings.CutPrefix(text, "\n"+firstColumn)
	number, letter, rest := readCode(text)
	if letter == 'A' {
		d.up = number
		number, letter, rest = readCode(rest)
	}
	if letter != 'G' {
		return d, 0
	}
	d.column = number
	return d, all - len(rest)
}

// readCode reads a code of terminals that a text begins with. rest is all of it if there is none, or not a whole one.
func readCode(text string) (number int, letter byte, rest string) {
	code, ok := strings.CutPrefix(text, "\x1b[")
	end := strings.IndexFunc(code, func(r rune) bool { return r < '0' || r > '9' })
	if !ok || end < 0 {
		return 0, 0, text
	}
	number, _ = strconv.Atoi(code[:end])
	return number, code[end], code[end+1:]
}

// line is what is drawn, behind the prompt: of something else, such as a search of the history, it is all, and known is false.
// columns are those that the editor has drawn for.
func (d drawing) line(prompt string, columns int) (l line, known bool) {
	all := 0
	for _, r := range d.text {
		all = advance(all, r, columns)
	}
	rows := (all + columns - 1) / columns
	if d.below {
		rows++
	}
	left := (rows-1-d.up)*columns + d.column - 1
	at := len(d.text)
	for i, column := 0, 0; i < len(d.text); {
		r, size := utf8.DecodeRuneInString(d.text[i:])
		next := advance(column, r, columns)
		if column >= left && next > column {
			at = i
			break
		}
		column, i = next, i+size
	}
	l.text, known = strings.CutPrefix(d.text, prompt)
	l.at = max(0, at-(len(d.text)-len(l.text)))
	return l, known
}

// advance is where the cursor stands behind a rune, in columns from the beginning of the first row, as the line editor counts.
func advance(column int, r rune, columns int) int {
	width := columnsOfRune(r)
	if column += width; width == 2 && column%columns == 1 {
		column++
	}
	return column
}

// columnsOf is how many columns a text takes.
func columnsOf(text string) (n int) {
	for _, r := range text {
		n += columnsOfRune(r)
	}
	return n
}

func columnsOfRune(r rune) int {
	if ' ' <= r && r < 0x7f { // a long line has many of these
		return 1
	}
	return runewidth.RuneWidth(r)
}

// minRows is how many rows a terminal must have for a note below the line.
const minRows = 4

// aids are what is shown besides an edited line, while that is as it was when they were found.
type aids struct {
	hint   string // may follow, dim; Right or End takes it
	note   string // is wrong with it, below it
	column int    // what the note is about, in runes of the text
}

// waiting is shown behind a line whose candidates are being read.
const waiting = "  reading…"

// view is the part of the line that its row has room for: text[from:to], with a sign before and behind it where it is not
// all.
func (s *screen) view(columns int) (from, to int) {
	room, text := columns-1-columnsOf(s.head), s.now.text
	if columnsOf(text) <= room {
		return 0, len(text)
	}
	// A quarter is left free behind its end, for hints, and so that not all moves with each key.
	most := columnsOf(text) + room/4 - room
	start := max(0, min(columnsOf(text[:s.now.at])-room/2, most))
	if start > 0 {
		start++
	}
	end := start + room - 1
	if start == 0 {
		end = room
	}
	from, to = -1, len(text)
	column := 0
	for i, r := range text {
		if from < 0 && column >= start {
			from = i
		}
		width := columnsOfRune(r)
		if column+width > end-1 && i+utf8.RuneLen(r) < len(text) { // one is left for the sign
			to = i
			break
		}
		column += width
	}
	return max(from, 0), to
}

// drawLine draws the edited line, in colours if there is help, with aids.
func (s *screen) drawLine(out *bytes.Buffer, a aids, colors bool) {
	head, l := s.head, s.now
	columns, rows := s.size()
	from, to := s.view(columns)
	cut := "…"
	if colors {
		cut = dim + cut + normal
	}
	out.WriteString(firstColumn + head)
	left := columnsOf(head)
	if from > 0 {
		out.WriteString(cut)
		left++
	}
	if colors {
		s.writeColored(out, l, from, to)
	} else {
		out.WriteString(l.text[from:to])
	}
	if room := columns - 1 - left - columnsOf(l.text[from:to]); to < len(l.text) {
		out.WriteString(cut)
	} else if s.waits.Load() && s.waitsFor == l && room > 0 {
		out.WriteString(runewidth.Truncate(waiting, room, "…"))
	} else if a.hint != "" && room > 0 {
		out.WriteString(dim + runewidth.Truncate(a.hint, room, "…") + normal)
	}
	out.WriteString("\x1b[J")
	if a.note != "" && rows > minRows {
		text := "^ " + a.note
		place := placeOf(l.text, a.column)
		indent := left + columnsOf(l.text[from:max(from, min(place, to))])
		if room := columns - 1 - columnsOf(text); indent > room || place < from || place > to { // the message matters more than its place
			text, indent = a.note, max(0, min(indent, room+2))
		}
		out.WriteString("\n" + strings.Repeat(" ", indent) + "\x1b[31m" + runewidth.Truncate(text, columns-1, "…") + normal + "\x1b[A")
	}
	out.WriteString("\x1b[" + strconv.Itoa(1+left+columnsOf(l.text[from:max(from, l.at)])) + "G")
}

// placeOf is where a rune of a text begins, in bytes.
func placeOf(text string, rune int) int {
	for i := range text {
		if rune == 0 {
			return i
		}
		rune--
	}
	return len(text)
}

// drawEntered draws a line that has ended, which goes over several rows if it is long: all of it stays on the screen.
func (s *screen) drawEntered() (picture []byte, taken int) {
	var out bytes.Buffer
	columns, rows := s.size()
	width := columnsOf(s.head + s.now.text)
	if taken = (width + columns - 1) / columns; taken <= 1 || taken > rows/2 {
		s.drawLine(&out, aids{}, s.helps && s.known)
		return out.Bytes(), 1
	}
	out.WriteString(firstColumn + "\x1b[J" + s.head)
	if s.helps && s.known {
		s.writeColored(&out, s.now, 0, len(s.now.text))
	} else {
		out.WriteString(s.now.text)
	}
	return out.Bytes(), taken
}

// editing tells what is edited next: the prompt, and what stands before it in its entry.
func (s *screen) editing(prompt, before string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt, s.before = prompt, toMarks.Replace(before)
	s.head, s.now, s.known, s.aids = prompt, line{}, false, aids{}
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

// wait tells that candidates for a line are being read. The line may not be shown yet.
func (s *screen) wait(of line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waitsFor = of
	s.waits.Store(true)
	s.drawWait()
}

// waited tells that candidates for a line have been read. It is false if something else has been typed since.
func (s *screen) waited(of line) bool {
	for range 100 { // until the line is shown
		s.mu.Lock()
		same := s.now == of
		if same && s.waits.Swap(false) {
			s.drawWait()
			s.mu.Unlock()
			return true
		}
		s.mu.Unlock()
		if same || !s.waits.Load() {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// drawWait draws the line again if candidates for it are being read, or were.
func (s *screen) drawWait() {
	if s.active && s.known && s.picture != nil && !s.away && s.now == s.waitsFor {
		var out bytes.Buffer
		s.redraw(&out)
		s.w.Write(out.Bytes())
	}
}

// redraw draws the edited line again where it is.
func (s *screen) redraw(out *bytes.Buffer) {
	var plain, picture bytes.Buffer
	s.drawLine(&plain, aids{}, false)
	s.plain, s.picture, s.noting = plain.Bytes(), plain.Bytes(), false
	if s.helps && s.known {
		s.drawLine(&picture, s.aids, true)
		_, rows := s.size()
		s.picture, s.noting = picture.Bytes(), s.aids.note != "" && rows > minRows
	}
	if s.calms {
		out.Write(s.plain)
		s.noted = false
	} else {
		out.Write(s.picture)
		s.noted = s.noting
	}
	s.hinted.Store(s.helps && s.known && !s.calms && !s.waits.Load() && s.aids.hint != "" && s.now.at == len(s.now.text))
}

const (
	flood = 2 * time.Millisecond  // other text that comes sooner after the one before is much
	calm  = 50 * time.Millisecond // after so long without any it was
)

// drawAgain draws the edited line below other text: without colours and aids where there is much of that, as their codes would
// take longer than the text.
func (s *screen) drawAgain(out *bytes.Buffer) {
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
	if s.calms = false; s.active && s.picture != nil && !s.away {
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
	if bytes.IndexByte(b, '\a') >= 0 {
		out.WriteByte('\a')
	}
	s.unread = append(s.unread, bytes.ReplaceAll(b, []byte("\a"), nil)...)
	rest, drawn := string(s.unread), out.Len() > 0 && s.picture != nil
	for whole := true; whole && rest != "" && !s.over; {
		switch {
		case strings.HasPrefix(rest, allErased):
			out.WriteString(allErased)
			s.drawn, s.noted = 0, false
			rest = rest[len(allErased):]
		case s.inserting && rest[0] != '\x1b':
			rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r != '\x1b' })
		case rest[0] == '\n': // Enter
			s.aids, s.over = aids{}, true
			s.entered, s.enteredRows = s.drawEntered()
			out.Write(append(s.entered, '\n'))
			s.entered = append(s.entered, '\n')
			s.passed, s.drawn, s.known, s.picture, drawn = s.drawn, 0, false, nil, false
		case rest[0] == '\x1b':
			d, n := readDrawing(rest)
			if whole = n > 0; !whole {
				rest = lastCode(rest)
				break
			}
			rest = rest[n:]
			if s.inserting = strings.Contains(d.text, pasteMark); !s.inserting {
				columns, _ := s.size()
				s.showLine(d.line(s.prompt, columns))
				drawn = true
			}
		default: // the prompt alone at first, or ^C
			end := strings.IndexAny(rest+"\n", "\x1b\n")
			text := s.now.text + rest[:end]
			if s.picture == nil && !drawn {
				text = strings.TrimPrefix(rest[:end], s.prompt)
			}
			s.showLine(line{text, len(text)}, s.known || s.picture == nil)
			rest, drawn = rest[end:], true
		}
	}
	s.unread = []byte(rest)
	if drawn {
		s.redraw(&out)
	}
	s.w.Write(out.Bytes())
	if s.changed != nil && s.known && s.helps && len(s.before)+len(s.now.text) <= maxHelped {
		s.changed(s.before, s.now)
	}
}

// lastCode is what a text that begins with codes that erase rows is worth: the last of them. Thousands come for a long line, in
// small pieces.
func lastCode(text string) string {
	for {
		_, _, rest := readCode(text)
		if len(rest) == len(text) || rest == "" || rest[0] != '\x1b' {
			return text
		}
		text = rest
	}
}

// showLine has a line be shown from now on. known is false for something else that stands there without a prompt.
func (s *screen) showLine(now line, known bool) {
	if s.aids = s.aids.after(s.now, now); !known {
		s.aids = aids{}
	}
	s.head, s.now, s.known = s.prompt, now, known
	if !known {
		s.head = ""
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
