package fst

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"fst/lang/diag"
	"fst/lang/source"
	"fst/runtime/attach"
	"fst/runtime/interpreter"
	"fst/runtime/maps"
)

// ScriptError is one or more complaints about a script's text.
type ScriptError struct {
	set  *source.Set
	list diag.List
}

func newScriptError(set *source.Set, list *diag.List) *ScriptError {
	list.Sort(set)
	return &ScriptError{set: set, list: diag.List{All: slices.Clone(list.All)}}
}

// Error returns the complaints as Render shows them, without colours.
func (e *ScriptError) Error() string {
	var b strings.Builder
	e.Render(&b, Look{})
	return strings.TrimRight(b.String(), "\n")
}

// Look is how complaints are shown.
type Look struct {
	Color bool // in a terminal's colours
	Width int  // columns of the terminal; 0: not known
}

// Render writes each complaint with its place, the line and a caret.
func (e *ScriptError) Render(w io.Writer, look Look) {
	(&diag.Renderer{Set: e.set, Color: look.Color, Width: look.Width}).Render(w, &e.list)
}

// Problem is one complaint.
type Problem struct {
	File      string
	Line, Col int // from 1; 0 if it is about no place
	// EndLine and EndCol are behind the last character.
	EndLine, EndCol int
	Warning         bool
	Message         string
	Hint            string // the next thing to try, or empty
	Notes           []ProblemNote
}

// ProblemNote is a further place that explains a Problem.
type ProblemNote struct {
	File            string
	Line, Col       int
	EndLine, EndCol int
	Message         string
}

// Problems returns the complaints as data: those that Render shows. If it does not
// show all, the last one, which is about no place, tells how many there are besides.
func (e *ScriptError) Problems() []Problem {
	var list []Problem
	for i, d := range e.list.All {
		if i == diag.MaxShown {
			rest := diag.List{All: e.list.All[i:]}
			return append(list, Problem{Warning: !rest.HasErrors(), Message: diag.More(rest.All)})
		}
		p := Problem{Warning: d.Severity == diag.Warning, Message: d.Message, Hint: d.Hint}
		main, notes := d.Places(e.set)
		if pos := e.set.Position(main.Start); pos.File != nil {
			p.File, p.Line, p.Col = pos.File.Name, pos.Line, pos.Col
			end := e.set.Position(max(main.End, main.Start+1))
			p.EndLine, p.EndCol = end.Line, end.Col
		}
		for _, n := range notes {
			if pos := e.set.Position(n.Span.Start); pos.File != nil {
				end := e.set.Position(max(n.Span.End, n.Span.Start+1))
				p.Notes = append(p.Notes, ProblemNote{pos.File.Name, pos.Line, pos.Col, end.Line, end.Col, n.Message})
			}
		}
		list = append(list, p)
	}
	return list
}

// EnvError is a BPFTRACE_... variable of the environment with a value that it
// can't have.
type EnvError struct{ Err error }

func (e *EnvError) Error() string { return e.Err.Error() }

// Unwrap implements the interface of package errors.
func (e *EnvError) Unwrap() error { return e.Err }

// LoadError is a program that could not be loaded or attached, or that did not run to
// its end. It unwraps to the ScriptError that shows the place, if there is one, and
// to the error behind it: ErrPermission, the kernel's (a syscall.Errno; ESRCH if there
// is no process to trace), the context's, or that of a write.
type LoadError struct {
	Place *ScriptError // nil if no place is known
	// Log is all that the kernel's verifier said.
	Log string
	Err error
}

func (e *LoadError) Error() string {
	if e.Place != nil {
		return e.Place.Error()
	}
	return e.Err.Error()
}

// Unwrap implements the interface of package errors.
func (e *LoadError) Unwrap() []error {
	if e.Place == nil {
		return []error{e.Err}
	}
	return []error{e.Place, e.Err}
}

// explain leads an error of the kernel back to the script's text.
func (p *Program) explain(err error) error {
	var (
		list     diag.List
		verifier *attach.VerifierError
		hook     *attach.Error
		load     *attach.LoadError
		create   *maps.CreateError
		inside   *interpreter.Error
		store    *maps.StoreError
	)
	switch {
	case errors.As(err, &verifier):
		verifier.Diagnose(&list, p.object.Sources)
		return &LoadError{newScriptError(p.object.Sources, &list), verifier.Log, err}
	case errors.Is(err, ErrPermission): // has nothing to do with the script
		return &LoadError{Err: err}
	case errors.As(err, &hook):
		d := list.Errorf(hook.Hook.Span, "%s", hook.What())
		if need := hook.Hook.For; need != nil {
			d.Span, d.Message = need.Span, fmt.Sprintf("%s can't work on this kernel: %s", need.Name, hook.What())
			d.Notef(hook.Hook.Span, "its definition needs this probe")
		}
		d.Hint = hook.Remedy
		return &LoadError{newScriptError(p.object.Sources, &list), "", err}
	case errors.As(err, &load) && load.Hook != nil:
		d := list.Errorf(load.Hook.Span, "%s", load.What())
		d.Hint = load.Remedy
		return &LoadError{newScriptError(p.object.Sources, &list), "", err}
	case errors.As(err, &store):
		d := list.Errorf(store.Map.Span, "%s can't be taken over from the store: %s", store.Map.Name, store.Reason)
		if old := p.stored[store.Map.Name]; old != nil {
			d.Notef(old.Span, "%s is this in the store", store.Map.Name)
		} else {
			d.Hintf("it got its type at %s", store.Old)
		}
		return &LoadError{newScriptError(p.object.Sources, &list), "", err}
	case errors.As(err, &inside):
		list.Errorf(inside.Span, "%s", inside.Message).Hint = inside.Hint
		return &LoadError{newScriptError(p.object.Sources, &list), "", err}
	case errors.As(err, &create) && create.Map.Span.IsValid():
		d := list.Errorf(create.Map.Span, "%s", create.What())
		d.Hint = create.Remedy
		return &LoadError{newScriptError(p.object.Sources, &list), "", err}
	}
	return &LoadError{Err: err}
}
