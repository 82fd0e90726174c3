// Package diag holds complaints about a program's text as data, so that a
// terminal, the REPL, an editor and a test can each show them their own way.
//
// It imports lang/source only.
package diag

import (
	"fmt"
	"sort"

	"fst/lang/source"
)

// Severity tells whether a program can still run.
type Severity int

const (
	Error Severity = iota
	Warning
)

// Diagnostic is one complaint about one place of a program.
type Diagnostic struct {
	Severity Severity
	Span     source.Span
	// Message says what is wrong and what was expected, in one sentence
	// without a final full stop.
	Message string
	// Hint is the next thing to try ("did you mean vfs_read?"), or empty.
	Hint string
	// Notes point at further places that explain the message (where a map
	// got its type, for example).
	Notes []Note
	// Incomplete is true if the text ended where more was expected: a REPL
	// then asks for another line.
	Incomplete bool
}

// Note is a second place of a Diagnostic.
type Note struct {
	Span    source.Span
	Message string
}

// List collects diagnostics. The zero List is empty and ready for use.
type List struct {
	All []Diagnostic
}

// Errorf adds an error at a place and returns it for a hint or notes.
func (l *List) Errorf(sp source.Span, format string, args ...any) *Diagnostic {
	return l.add(Error, sp, format, args)
}

// Warnf adds a warning at a place.
func (l *List) Warnf(sp source.Span, format string, args ...any) *Diagnostic {
	return l.add(Warning, sp, format, args)
}

func (l *List) add(sev Severity, sp source.Span, format string, args []any) *Diagnostic {
	l.All = append(l.All, Diagnostic{Severity: sev, Span: sp, Message: fmt.Sprintf(format, args...)})
	return &l.All[len(l.All)-1]
}

// Hintf sets the hint and returns d.
func (d *Diagnostic) Hintf(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// Notef adds a note and returns d.
func (d *Diagnostic) Notef(sp source.Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{sp, fmt.Sprintf(format, args...)})
	return d
}

// HasErrors reports whether any diagnostic is an error.
func (l *List) HasErrors() bool {
	for i := range l.All {
		if l.All[i].Severity == Error {
			return true
		}
	}
	return false
}

// Sort orders the diagnostics by place and drops repetitions of the same
// message at the same place (a clause is checked once for each attach point).
func (l *List) Sort() {
	sort.SliceStable(l.All, func(i, j int) bool { return l.All[i].Span.Start < l.All[j].Span.Start })
	kept := l.All[:0]
	seen := map[string]bool{}
	for _, d := range l.All {
		key := fmt.Sprint(d.Span, d.Message)
		if !seen[key] {
			seen[key] = true
			kept = append(kept, d)
		}
	}
	l.All = kept
}

// Err returns l as an error if it holds one, else nil.
func (l *List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Error implements error with the plain messages; Renderer shows them with
// their places.
func (l *List) Error() string {
	for i := range l.All {
		if l.All[i].Severity == Error {
			if n := len(l.All) - 1; n > 0 {
				return fmt.Sprintf("%s (and %d more)", l.All[i].Message, n)
			}
			return l.All[i].Message
		}
	}
	return "no errors"
}
