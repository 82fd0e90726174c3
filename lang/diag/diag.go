// Package diag holds complaints about a program's text as data, so that a
// terminal, the REPL, an editor and a test can each show them their own way.
//
// It imports lang/source only.
package diag

import (
	"fmt"
	"slices"
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

// maxNotes is how many notes of a complaint are shown, and maxMessage how long a
// message or a hint can be, which may quote a script's names.
const (
	maxNotes   = 10
	maxMessage = 1000
)

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
func (l *List) HasErrors() bool { return l.Errors() > 0 }

// Errors counts the errors.
func (l *List) Errors() int {
	n := 0
	for i := range l.All {
		if l.All[i].Severity == Error {
			n++
		}
	}
	return n
}

// Sort orders the diagnostics by place and drops repetitions of the same
// message at the same place (a clause is checked once for each attach point, a
// macro for each of its calls). set has the texts; it may be nil.
func (l *List) Sort(set *source.Set) {
	sort.SliceStable(l.All, func(i, j int) bool { return l.All[i].mainOrigin(set).Start < l.All[j].mainOrigin(set).Start })
	kept := l.All[:0]
	seen := map[string]bool{}
	for _, d := range l.All {
		sp := d.Span
		if set != nil {
			sp = set.Origin(sp)
			if f := set.File(sp.Start); d.Severity == Warning && f != nil && f.Library {
				continue // nobody can mend it
			}
		}
		key := fmt.Sprint(sp, d.Message)
		if !seen[key] {
			seen[key] = true
			kept = append(kept, d)
		}
	}
	l.All = kept
}

func (d *Diagnostic) mainOrigin(set *source.Set) source.Span {
	if set == nil {
		return d.Span
	}
	main, _ := d.Places(set)
	return set.Origin(main)
}

// Places are where a complaint is shown, and the further places that explain
// it: what is used there, or where the text is used that it is about, unless
// that is round the place anyway. The first
// is the script's own, if it leads to the script at all.
func (d *Diagnostic) Places(set *source.Set) (main source.Span, notes []Note) {
	main = d.Span
	uses := set.Uses(d.Span)
	isLibrary := func(sp source.Span) bool {
		f := set.File(sp.Start)
		return f != nil && f.Library
	}
	own := 0 // the use that leads from the library to the script
	for inner := d.Span; isLibrary(inner) && own < len(uses); own++ {
		inner = uses[own].At
	}
	if own > 0 && isLibrary(uses[own-1].At) {
		own = 0 // it leads nowhere
	}
	inner := d.Span
	for i, u := range uses {
		if i < own {
			notes = append(notes, Note{inner, "this is in " + u.What})
			inner, main = u.At, u.At
		} else if set.Explains(u, d.Span) {
			notes = append(notes, Note{u.At, u.What + " is used here"})
		}
	}
	notes = append(slices.Clone(d.Notes), notes...)
	if rest := len(notes) - maxNotes; rest > 0 {
		notes = append(notes[:maxNotes], Note{Message: "and " + Plural(rest, "more place")})
	}
	return main, notes
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
