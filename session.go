package fst

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/lang/printable"
	"fst/runtime/action"
	"fst/runtime/attach"
	"fst/runtime/event"
	"fst/runtime/maps"
	"fst/runtime/render"
	"fst/runtime/session"
	"fst/runtime/trace"
)

// RunOptions say where the output of a session goes and how it looks.
type RunOptions struct {
	// Stdout gets what the script prints. If it is nil, Session.Events
	// yields it as values instead, and must be read until it ends or the
	// session is closed: a script that nobody listens to comes to a standstill.
	// It is io.Discard for one of which only maps are read.
	Stdout io.Writer
	// Stderr gets warnings and losses; nil discards them.
	Stderr io.Writer
	// Format is one of Formats; empty is text.
	Format string
	// Also are other outputs of the same session. Each goes at its own pace: what one of
	// them, or Stdout, can't take in time is left out there, and a warning at the end
	// tells how much that was.
	Also []Output
	// LineBuffered writes each line by itself. Without it, lines that come
	// together are written together, and at once as well.
	LineBuffered bool
	// Width is how many columns the terminal behind Stdout has, asked for each
	// line of a table: longer ones are cut. nil or 0 leaves them as they are.
	Width func() int
	// Quiet leaves out the line about the probes that were attached.
	Quiet bool
	// NoWarnings leaves out warnings at run time.
	NoWarnings bool
	// NoExitMaps leaves out the maps that a script shows at its end.
	NoExitMaps bool
	// NoMapsWhenStopped leaves them out if the session is ended by its context or
	// by Close, and not by the script.
	NoMapsWhenStopped bool
	// NoExitLines leaves out the empty lines between what a script says and
	// the maps at its end.
	NoExitLines bool
	// MaxOverhead is the share of one CPU that the programs may take before
	// the costliest probe is detached, instead of the script's max_overhead;
	// 0 leaves that as it is.
	MaxOverhead float64
	// Verbose says which mechanism each probe got and what it cost.
	Verbose bool
	// DryRun ends the session as soon as everything is attached, with no
	// other output than Verbose's.
	DryRun bool
	// Interrupts end the loops of END clauses that run when one comes: a second Ctrl-C. The end of
	// Start's context does so too if it comes only then.
	Interrupts <-chan struct{}
	// OnAttached is called once everything is attached, before Child runs. It
	// must not wait for the session.
	OnAttached func()
}

// Output is where what a session says is written, and how.
type Output struct {
	Name   string // for messages
	Writer io.Writer
	Format string // one of Formats; empty is text
}

// Session is a running program. Its end by Close, by the context, by exit()
// or by its process detaches everything; its maps can be read until Close. The
// methods may be called by several goroutines.
type Session struct {
	object   *object.Object
	run      *trace.Trace
	resolver *trace.Names
	events   chan Event // nil if RunOptions.Stdout was set
	fan      *event.Fan // nil if there is one output
	stop     context.CancelFunc
	attached chan struct{} // closed when Start may return
	closing  chan struct{} // closed by Close
	close    func()
	done     chan struct{}
	code     int
	err      error
}

// ErrPermission is the error of a process without the rights to trace.
var ErrPermission = attach.ErrPermission

// Errors of asking something of a session: the first of one that is closed, the other
// for a map that the script has not (see Program.Maps).
var (
	ErrClosed = session.ErrClosed
	ErrNoMap  = session.ErrNoMap
)

// Start loads the program and attaches it. It returns when everything is
// attached, or the program has already ended. The session ends gracefully,
// its END clauses run and its maps shown, when ctx is done; nothing is started, and
// the error is ctx's, if it is done already. Other errors are a *LoadError, or those
// of options that do not go together.
func (p *Program) Start(ctx context.Context, o RunOptions) (*Session, error) {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if k := p.options.Kernel; k.target != target.Target(k.system) {
		return nil, fmt.Errorf("the program is compiled for a recorded kernel (%s), so it can't be started", k.Release())
	}
	tried := p.options.Mode != ""
	if tried && (o.Stdout == nil || len(o.Also) > 0) {
		return nil, errors.New("tests and benchmarks write text or JSON to RunOptions.Stdout, and nowhere else")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	obj := *p.object
	if o.NoExitMaps {
		obj.Config.PrintMapsOnExit = false
	}
	if o.MaxOverhead > 0 {
		obj.Config.MaxOverhead = o.MaxOverhead
	}
	s := &Session{object: &obj, stop: stop, attached: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	s.resolver = trace.NewNames(p.options.Kernel.system, &obj, p.options.Kernel.debugDirs)
	opts := session.Options{PID: p.options.PID, DryRun: o.DryRun, NoMapsWhenStopped: o.NoMapsWhenStopped, Stats: o.Verbose && !o.DryRun,
		Interrupts: o.Interrupts}
	var err error
	if opts.Sink, opts.Trials, err = s.sinks(o, tried); err != nil {
		stop()
		return nil, err
	}
	opts.Child = p.options.Child
	var run *trace.Trace
	var once sync.Once
	opts.OnAttached = func() {
		if o.Verbose {
			writeAttachments(o.Stderr, run.Session)
		}
		if o.OnAttached != nil {
			o.OnAttached()
		}
		once.Do(func() { close(s.attached) })
	}
	run, err = trace.New(&obj, s.resolver, opts)
	if err != nil {
		stop()
		s.closeFan(o)
		return nil, p.explain(err)
	}
	s.run = run
	go func() {
		defer close(s.done)
		if s.events != nil {
			defer close(s.events)
		}
		defer stop()
		s.code, s.err = run.Run(ctx)
		if err := s.closeFan(o); s.err == nil {
			s.err = err
		}
		if s.err != nil {
			s.err = p.explain(s.err)
		} else if o.Verbose && !o.DryRun {
			writeStats(o.Stderr, run.Session)
		}
	}()
	select {
	case <-s.attached:
	case <-s.done:
		if s.err != nil {
			return nil, s.err
		}
	}
	return s, nil
}

// sinks makes what the session says to: the actions of the script, and then its
// outputs. Tests and benchmarks of a script have a form of their own.
func (s *Session) sinks(o RunOptions, tried bool) (event.Sink, session.Trials, error) {
	ro := render.Options{LineBuffered: o.LineBuffered, Width: o.Width, NoWarnings: o.NoWarnings,
		Quiet: o.Quiet || tried, NoExitLines: o.NoExitMaps || o.NoExitLines}
	form, err := formNamed(o.Format)
	if err != nil {
		return nil, nil, err
	}
	actions := &action.Runner{MaxCat: s.object.Config.MaxCatBytes, BootTime: s.resolver.BootTime, Stderr: o.Stderr,
		Command: render.NewText(io.Discard, io.Discard, s.object, s.resolver, ro).Command}
	switch {
	case o.Stdout == nil:
		s.events = make(chan Event, 64)
		actions.Next = newEventOutput(s, o.Stderr, ro)
	case tried:
		t := render.NewTrials(form.open(o.Stdout, o.Stderr, s.object, s.resolver, ro), o.Stdout, o.Stderr, o.Format == "json", s.object, s.resolver, ro)
		actions.Next = t
		return actions, t, nil
	default:
		actions.Next = form.open(o.Stdout, o.Stderr, s.object, s.resolver, ro)
		if form.plain && len(o.Also) == 0 {
			actions.Stdout = o.Stdout
		}
	}
	if len(o.Also) == 0 {
		return actions, nil, nil
	}
	all := []event.Sink{actions.Next}
	ro.Width = nil
	for _, also := range o.Also {
		if form, err = formNamed(also.Format); err != nil {
			return nil, nil, err
		}
		// What is said about the script is said once.
		all = append(all, form.open(also.Writer, io.Discard, s.object, s.resolver, ro))
	}
	s.fan = event.NewFan(all...)
	actions.Next = s.fan
	return actions, nil, nil
}

// lastPatience is how long an output may take for one event when the session has ended.
const lastPatience = 5 * time.Second

// closeFan lets all outputs have what waits for them.
func (s *Session) closeFan(o RunOptions) error {
	if s.fan == nil {
		return nil
	}
	dropped, err := s.fan.Close(lastPatience)
	names := []string{"standard output"}
	for _, also := range o.Also {
		names = append(names, also.Name)
	}
	for i, n := range dropped {
		if n > 0 && !o.NoWarnings {
			fmt.Fprintf(o.Stderr, "WARNING: %d events are not in %s: it could not take them in time\n", n, names[i])
		}
	}
	return err
}

// Wait returns when the session has ended, with the script's exit code. Events, if
// they are not written to RunOptions.Stdout, must be read meanwhile.
func (s *Session) Wait() (code int, err error) {
	<-s.done
	return s.code, s.err
}

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close ends the session, waits for it, and lets its maps go. It may be called more
// than once, and while another goroutine reads Events; what that has not read by
// then may be lost. To read all to the end, END clauses and maps included, cancel
// Start's context before. The error is that of Wait.
func (s *Session) Close() error {
	s.close()
	s.stop()
	<-s.done
	s.run.Session.Close()
	return s.err
}

// Events yields what the script says until the session has ended; nothing if it is
// written to RunOptions.Stdout. A session whose events nobody reads comes to a
// standstill; loops that run at the same time share them. A loop that is left by
// break may be followed by another.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for e := range s.events {
			if !yield(e) {
				return
			}
		}
	}
}

// readMap reads a map of the running script.
func (s *Session) readMap(name string) (*object.Map, *maps.Snapshot, error) {
	if !strings.HasPrefix(name, "@") {
		name = "@" + name
	}
	return s.run.Session.Maps.Read(name)
}

// ReadMap returns the entries of a map now, or as they were when the script ended,
// in the order they are shown: smallest values first. The name is with or without
// its @. The error is ErrNoMap, ErrClosed, or the kernel's.
func (s *Session) ReadMap(name string) ([]MapEntry, error) {
	m, snapshot, err := s.readMap(name)
	if err != nil {
		return nil, err
	}
	return entries(s.textTo(io.Discard), m, snapshot), nil
}

// textTo renders what is read from a running script.
func (s *Session) textTo(w io.Writer) *render.Text {
	return render.NewText(w, io.Discard, s.object, s.resolver, render.Options{})
}

// PrintMap writes a map as the script's print(@name) would, or only the
// element with a key as text shows it.
func (s *Session) PrintMap(w io.Writer, name, key string) error {
	m, snapshot, err := s.readMap(name)
	if err != nil {
		return err
	}
	var text strings.Builder
	out := s.textTo(&text)
	if key == "" {
		out.Map(m, snapshot, 0, 0)
		out.Flush()
		_, err = io.WriteString(w, text.String())
		return err
	}
	for i := range snapshot.Entries {
		text.Reset()
		one := *snapshot
		one.Entries = snapshot.Entries[i : i+1]
		out.Map(m, &one, 0, 0)
		out.Flush()
		if strings.HasPrefix(text.String(), m.Name+"["+key+"]:") {
			_, err = io.WriteString(w, text.String())
			return err
		}
	}
	return fmt.Errorf("%s has no key %s", m.Name, key)
}

// writeAttachments says what is attached, and how.
func writeAttachments(w io.Writer, s *session.Session) {
	for _, a := range s.Attachments() {
		for i, h := range a.Hooks {
			if i == 10 && len(a.Hooks) > 12 {
				fmt.Fprintf(w, "  and %d more\n", len(a.Hooks)-i)
				break
			}
			fmt.Fprintf(w, "  %s: %s\n", printable.String(h.Name), a.Mechanism)
		}
	}
}

// writeStats says what each program has cost.
func writeStats(w io.Writer, s *session.Session) {
	for _, st := range s.Stats() {
		each := uint64(0)
		if st.Runs > 0 {
			each = st.RunTimeNS / st.Runs
		}
		fmt.Fprintf(w, "  %s: %d runs, %d ns each, %d instructions, %d missed\n", st.Program.Name, st.Runs, each,
			st.Instructions, st.Misses+st.Unreached)
	}
}
