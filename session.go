package fst

import (
	"context"
	"io"
	"iter"
)

// RunOptions say where the output of a session goes and how it looks.
type RunOptions struct {
	// Stdout gets what the script prints. If it is nil, Session.Events
	// yields it as values instead.
	Stdout io.Writer
	// Stderr gets warnings and losses; nil discards them.
	Stderr io.Writer
	// JSON writes one object a line instead of text.
	JSON bool
	// LineBuffered writes each line at once.
	LineBuffered bool
	// Quiet leaves out the line about the probes that were attached.
	Quiet bool
	// NoWarnings leaves out warnings at run time.
	NoWarnings bool
	// Verbose says which mechanism each probe got and what it cost.
	Verbose bool
	// DryRun ends the session as soon as everything is attached.
	DryRun bool
	// OnAttached is called once everything is attached, before Child runs.
	OnAttached func()
}

// Event is something that the script said.
type Event struct {
	// Kind is "printf", "value" (print of a value), "event" (a clause
	// without an action), "map", "time", "join", "cat", "system", "error",
	// "warning" or "lost".
	Kind string
	// Probe is the place that a clause without an action reports.
	Probe string
	// Text is the event as a terminal shows it.
	Text string
	// Fields are its values, decoded: numbers are int64 or uint64, strings
	// string, tuples []any, structs map[string]any.
	Fields []Field
	// Map and Entries are set for Kind "map".
	Map     string
	Entries []MapEntry
}

// Field is a value of an event. Name is empty for the arguments of printf.
type Field struct {
	Name  string
	Value any
}

// MapEntry is one element of a map. Key is nil for a map without keys and a
// []any for one with several.
type MapEntry struct {
	Key, Value any
}

// Session is a running program. Its end by Close, by the context, by exit()
// or by its process detaches everything.
type Session struct{}

// Start loads and attaches the program. The session ends gracefully, its END
// clauses run and its maps shown, when ctx is done.
func (p *Program) Start(ctx context.Context, o RunOptions) (*Session, error) {
	return nil, errNotYet
}

// Wait returns when the session has ended, with the script's exit code.
func (s *Session) Wait() (code int, err error) { return 0, errNotYet }

// Events yields what the script says until the session has ended.
func (s *Session) Events() iter.Seq[Event] { return func(func(Event) bool) {} }

// ReadMap returns the entries of a map now, in the order they are shown. The
// name is with or without its @.
func (s *Session) ReadMap(name string) ([]MapEntry, error) { return nil, errNotYet }

// PrintMap writes a map as the script's print(@name) would.
func (s *Session) PrintMap(w io.Writer, name string) error { return errNotYet }

// Close ends the session and waits for it. It may be called more than once.
func (s *Session) Close() error { return nil }
