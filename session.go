package fst

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/runtime/attach"
	"fst/runtime/mainthread"
	"fst/runtime/maps"
	"fst/runtime/render"
	"fst/runtime/session"
	"fst/runtime/symbol"
	"fst/runtime/value"
)

// RunOptions say where the output of a session goes and how it looks.
type RunOptions struct {
	// Stdout gets what the script prints. If it is nil, Session.Events
	// yields it as values instead, and must be read.
	Stdout io.Writer
	// Stderr gets warnings and losses; nil discards them.
	Stderr io.Writer
	// Format is one of Formats; empty is text.
	Format string
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
	// OnAttached is called once everything is attached, before Child runs.
	OnAttached func()
}

// Formats lists the forms that output can have: text as a terminal shows it,
// JSON with one object a line, InfluxDB's line protocol, folded stacks for flame
// graphs.
func Formats() []string { return []string{"text", "json", "influx", "folded"} }

// Session is a running program. Its end by Close, by the context, by exit()
// or by its process detaches everything.
type Session struct {
	object   *object.Object
	resolver *resolver
	events   chan Event // nil if RunOptions.Stdout was set
	stop     context.CancelFunc
	attached chan struct{}
	done     chan struct{}
	code     int
	err      error
}

// ErrPermission is the error of a process without the rights to trace.
var ErrPermission = attach.ErrPermission

// OnMainThread runs f while the calling goroutine runs BEGIN and END clauses,
// and returns what f does. A program that calls it from main, with an init that
// locks the goroutine to its thread, sees pid and tid agree in those clauses.
func OnMainThread(f func() int) int { return mainthread.Serve(f) }

// Start loads the program and attaches it. It returns when everything is
// attached, or the program has already ended. The session ends gracefully,
// its END clauses run and its maps shown, when ctx is done.
func (p *Program) Start(ctx context.Context, o RunOptions) (*Session, error) {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		return nil, fmt.Errorf("there is no format %s, only %s", o.Format, strings.Join(Formats(), ", "))
	}
	if k := p.options.Kernel; k.target != target.Target(k.system) {
		return nil, fmt.Errorf("the program is compiled for a recorded kernel (%s), so it can't be started", k.Release())
	}
	ctx, stop := context.WithCancel(ctx)
	obj := *p.object
	if o.NoExitMaps {
		obj.Config.PrintMapsOnExit = false
	}
	if o.MaxOverhead > 0 {
		obj.Config.MaxOverhead = o.MaxOverhead
	}
	s := &Session{object: &obj, stop: stop, attached: make(chan struct{}), done: make(chan struct{})}
	s.resolver = newResolver(p.options.Kernel)
	s.resolver.Mangled = !obj.Config.CppDemangle
	for _, prog := range obj.Programs {
		for _, h := range prog.Hooks {
			if h.Path != "" {
				s.resolver.Probed(h.Path, h.FileOffset)
			}
		}
	}
	ro := render.Options{LineBuffered: o.LineBuffered, Width: o.Width, NoWarnings: o.NoWarnings, Quiet: o.Quiet || p.options.Mode != "", NoExitLines: o.NoExitMaps || o.NoExitLines}
	var out session.Output
	switch {
	case o.Stdout == nil:
		s.events = make(chan Event, 64)
		out = newEventOutput(s, o.Stderr, ro)
	case o.Format == "json":
		out = render.NewJSON(o.Stdout, o.Stderr, &obj, s.resolver, ro)
	case o.Format == "influx":
		out = render.NewInflux(o.Stdout, o.Stderr, &obj, s.resolver, ro)
	case o.Format == "folded":
		out = render.NewFolded(o.Stdout, o.Stderr, &obj, s.resolver, ro)
	default:
		out = render.NewText(o.Stdout, o.Stderr, &obj, s.resolver, ro)
	}
	var trial session.Trials
	if p.options.Mode != "" && s.events == nil {
		t := newTrials(out, o, &obj, s.resolver, ro)
		out, trial = t, t
	}
	tables := newTables(&obj, p.options.Kernel.target, s.resolver)
	if obj.Debugs {
		p.options.Kernel.showDebug()
	}
	watcher := s.resolver.watch(&obj, tables)
	var run *session.Session
	opts := session.Options{Output: out, Trials: trial, PID: p.options.PID, DryRun: o.DryRun, Stats: o.Verbose && !o.DryRun}
	if p.options.Child != nil {
		opts.Child = p.options.Child.child
	}
	var once sync.Once
	opts.OnAttached = func() {
		if o.Verbose {
			writeAttachments(o.Stderr, run)
		}
		if o.OnAttached != nil {
			o.OnAttached()
		}
		once.Do(func() { close(s.attached) })
	}
	run, err := session.New(&obj, opts)
	if err != nil {
		stop()
		watcher.Close()
		return nil, p.explain(err)
	}
	s.resolver.session = run
	tables.start(run, opts)
	go func() {
		defer close(s.done)
		defer watcher.Close()
		if s.events != nil {
			defer close(s.events)
		}
		defer stop()
		s.code, s.err = run.Run(ctx)
		if s.err != nil {
			s.err = p.explain(s.err)
		} else if o.Verbose && !o.DryRun {
			writeStats(o.Stderr, run)
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

// Wait returns when the session has ended, with the script's exit code.
func (s *Session) Wait() (code int, err error) {
	<-s.done
	return s.code, s.err
}

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close ends the session and waits for it. It may be called more than once.
func (s *Session) Close() error {
	s.stop()
	if s.events != nil {
		for range s.events { // what nobody will read must not hold up the end
		}
	}
	<-s.done
	return s.err
}

// Events yields what the script says until the session has ended.
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
	return s.resolver.session.ReadMap(name)
}

// ReadMap returns the entries of a map now, in the order they are shown. The
// name is with or without its @.
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

// resolver gives the names of the running system to what is shown.
type resolver struct {
	*symbol.Resolver
	session *session.Session
}

func newResolver(k *Kernel) *resolver {
	return &resolver{Resolver: symbol.New(func() (symbol.Table, error) {
		t, err := k.system.KernelSymbols()
		if err != nil {
			return nil, err
		}
		return t, nil
	})}
}

// watch follows the processes of the system if the program shows places in
// them, as far as this kernel lets it.
func (r *resolver) watch(obj *object.Object, t *tables) *symbol.Watcher {
	if !showsUserPlaces(obj) {
		return nil
	}
	cpus, err := attach.OnlineCPUs()
	if err != nil {
		return nil
	}
	w, err := r.Watch(cpus, t.watched())
	if err != nil {
		return nil // without it, only what ends early loses its names
	}
	return w
}

// showsUserPlaces reports whether a program has values that are named by what
// is mapped in a process.
func showsUserPlaces(obj *object.Object) bool {
	var has func(t *types.Type) bool
	has = func(t *types.Type) bool {
		if t == nil {
			return false
		}
		switch t.Kind {
		case types.UStack, types.USym:
			return true
		case types.Func:
			return t.User
		case types.Tuple, types.Record:
			return slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return has(f.Type) })
		}
		return false
	}
	for _, m := range obj.Maps {
		if has(m.Key) || has(m.Value) {
			return true
		}
	}
	for _, m := range obj.Messages {
		if slices.ContainsFunc(m.Fields, func(f object.MessageField) bool { return has(f.Type) }) {
			return true
		}
	}
	return false
}

// Stack implements render.Resolver.
func (r *resolver) Stack(s value.Stack) []uint64 {
	if r.session == nil || s.ID < 0 {
		return nil
	}
	addrs, _ := r.session.Stack(object.StackKey{Limit: s.Format.Limit, Tables: s.Format.Tables}, uint64(s.ID))
	return addrs
}

// writeAttachments says what is attached, and how.
func writeAttachments(w io.Writer, s *session.Session) {
	for _, a := range s.Attachments() {
		for i, h := range a.Hooks {
			if i == 10 && len(a.Hooks) > 12 {
				fmt.Fprintf(w, "  and %d more\n", len(a.Hooks)-i)
				break
			}
			fmt.Fprintf(w, "  %s: %s\n", h.Name, a.Mechanism)
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
			st.Instructions, st.Misses)
	}
}
