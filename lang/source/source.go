// Package source keeps the texts of a program: the script, text given with
// -e, and standard-library files. All of them share one offset space, so that
// a position in a syntax tree is one integer and can never quote the wrong file.
//
// A text that is used in several places, such as a macro's, has positions of its
// own for each Use: they lead to the text, and to the place where it is used.
//
// It must not import any other package of this project.
package source

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is an offset in the space shared by all files of a Set. The zero Pos
// means "nowhere".
type Pos int32

// Span is the half-open range [Start, End) of a piece of text.
type Span struct {
	Start, End Pos
}

// IsValid reports whether s points into some file.
func (s Span) IsValid() bool { return s.Start > 0 }

// To returns the span from the start of s to the end of t.
func (s Span) To(t Span) Span {
	if !s.IsValid() {
		return t
	}
	if !t.IsValid() {
		return s
	}
	return Span{min(s.Start, t.Start), max(s.End, t.End)}
}

// File is one text of a Set.
type File struct {
	Name string // as shown in messages: a path, or "stdin" (also for text given with -e)
	Text string
	Base Pos // position of the first byte
	// Library is true for the texts that come with fst: messages name the
	// script's own place first.
	Library bool
	// lines holds the offset in Text of each line's first byte.
	lines []int
}

// Set is a collection of files in one offset space. The zero Set is empty and
// ready for use.
type Set struct {
	files []*File
	uses  []*Use
	end   Pos // behind the last position that is taken
}

// Use is one use of a piece of text.
type Use struct {
	What string // "the macro half"
	At   Span   // where it is used
	// Argument is true for what is put in for a parameter: where that stands
	// tells something of the whole argument only.
	Argument bool

	text Span
	base Pos
}

// Place is where a part of the text is in this use. A span outside of the text
// stays as it is, as all do for nil.
func (u *Use) Place(sp Span) Span {
	if u == nil || sp.Start < u.text.Start || sp.End > u.text.End {
		return sp
	}
	return Span{sp.Start - u.text.Start + u.base, sp.End - u.text.Start + u.base}
}

// Use gives positions to a use of a text, which must be that of a file.
func (s *Set) Use(text Span, what string, at Span) *Use {
	u := &Use{What: what, At: at, text: text, base: s.take(text.End - text.Start)}
	s.uses = append(s.uses, u)
	return u
}

// Argument gives positions to an argument that is used at the place of a
// parameter.
func (s *Set) Argument(text Span, what string, at Span) *Use {
	u := s.Use(text, what, at)
	u.Argument = true
	return u
}

// Explains reports whether the place of a use explains what is said about sp.
func (s *Set) Explains(u *Use, sp Span) bool {
	sp = s.Origin(sp)
	at := s.Origin(u.At)
	return (!u.Argument || sp == u.text) && (at.Start > sp.Start || at.End < sp.End)
}

// take reserves positions for a text of a length, and for its end.
func (s *Set) take(length Pos) Pos {
	base := s.end + 1
	s.end = base + length
	return base
}

// use finds the use that p belongs to, or nil.
func (s *Set) use(p Pos) *Use {
	i := sort.Search(len(s.uses), func(i int) bool { return s.uses[i].base > p }) - 1
	if i < 0 || p-s.uses[i].base > s.uses[i].text.End-s.uses[i].text.Start {
		return nil
	}
	return s.uses[i]
}

// Origin is the place in a file that a span belongs to.
func (s *Set) Origin(sp Span) Span {
	if u := s.use(sp.Start); u != nil {
		shift := u.text.Start - u.base
		return Span{sp.Start + shift, sp.End + shift}
	}
	return sp
}

// Uses lists the uses that a span is part of, the innermost first.
func (s *Set) Uses(sp Span) []*Use {
	var list []*Use
	for u := s.use(sp.Start); u != nil; u = s.use(u.At.Start) {
		list = append(list, u)
	}
	return list
}

// Add appends a text under a name and returns its file.
func (s *Set) Add(name, text string) *File {
	f := &File{Name: name, Text: text, Base: s.take(Pos(len(text))), lines: []int{0}}
	if strings.HasPrefix(text, "\ufeff") {
		f.lines[0] = len("\ufeff") // a byte order mark is in no column
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	s.files = append(s.files, f)
	return f
}

// File returns the file that holds p, or nil.
func (s *Set) File(p Pos) *File {
	p = s.Origin(Span{p, p}).Start
	i := sort.Search(len(s.files), func(i int) bool { return s.files[i].Base > p }) - 1
	if i < 0 {
		return nil
	}
	f := s.files[i]
	if int(p-f.Base) > len(f.Text) {
		return nil
	}
	return f
}

// Position is a place as people write it.
type Position struct {
	File *File
	Line int // from 1
	Col  int // from 1, in bytes
}

// Position returns the file, line and column of p. Its File is nil if p is
// nowhere.
func (s *Set) Position(p Pos) Position {
	p = s.Origin(Span{p, p}).Start
	f := s.File(p)
	if f == nil {
		return Position{}
	}
	off := int(p - f.Base)
	line := max(sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > off }), 1)
	return Position{File: f, Line: line, Col: max(off-f.lines[line-1], 0) + 1}
}

// Place returns "NAME:LINE:COL-COL" for a span, the second column being the
// one behind its end, "NAME:LINE:COL" if it goes over several lines, and ""
// if it points nowhere.
func (s *Set) Place(sp Span) string {
	p := s.Position(sp.Start)
	if !sp.IsValid() || p.File == nil {
		return ""
	}
	text := strings.TrimRight(s.Text(sp), " \t\r\n")
	if strings.Contains(text, "\n") {
		return fmt.Sprintf("%s:%d:%d", p.File.Name, p.Line, p.Col)
	}
	return fmt.Sprintf("%s:%d:%d-%d", p.File.Name, p.Line, p.Col, p.Col+max(len(text), 1))
}

// Text returns the source text of a span.
func (s *Set) Text(sp Span) string {
	sp = s.Origin(sp)
	f := s.File(sp.Start)
	if f == nil {
		return ""
	}
	a, b := int(sp.Start-f.Base), int(sp.End-f.Base)
	return f.Text[a:min(max(a, b), len(f.Text))]
}

// Line returns line n (from 1) of f without its newline.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	text := f.Text[f.lines[n-1]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// Span returns the span of the bytes [start, end) of f.
func (f *File) Span(start, end int) Span {
	return Span{f.Base + Pos(start), f.Base + Pos(end)}
}
