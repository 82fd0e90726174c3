package fst

import (
	"io"
	"slices"
	"strings"

	"fst/lang/diag"
	"fst/lang/source"
)

// ScriptError is one or more complaints about a script's text.
type ScriptError struct {
	set  *source.Set
	list diag.List
}

func newScriptError(set *source.Set, list *diag.List) *ScriptError {
	list.Sort()
	return &ScriptError{set: set, list: diag.List{All: slices.Clone(list.All)}}
}

// Error returns the complaints as Render shows them, without colours.
func (e *ScriptError) Error() string {
	var b strings.Builder
	e.Render(&b, false)
	return strings.TrimRight(b.String(), "\n")
}

// Render writes each complaint with its place, the line and a caret.
func (e *ScriptError) Render(w io.Writer, color bool) {
	(&diag.Renderer{Set: e.set, Color: color}).Render(w, &e.list)
}

// Problem is one complaint.
type Problem struct {
	File      string
	Line, Col int // from 1; 0 if it is about no place
	Warning   bool
	Message   string
	Hint      string // the next thing to try, or empty
}

// Problems returns the complaints as data.
func (e *ScriptError) Problems() []Problem {
	var list []Problem
	for _, d := range e.list.All {
		p := Problem{Warning: d.Severity == diag.Warning, Message: d.Message, Hint: d.Hint}
		if pos := e.set.Position(d.Span.Start); pos.File != nil {
			p.File, p.Line, p.Col = pos.File.Name, pos.Line, pos.Col
		}
		list = append(list, p)
	}
	return list
}

func sortedUnique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
