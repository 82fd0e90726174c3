package fst

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"fst/compiler/explain"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/lang/printable"
	"fst/runtime/action"
	"fst/runtime/attach"
	"fst/runtime/bpf"
	"fst/runtime/event"
	"fst/runtime/interpreter"
	"fst/runtime/naming"
	"fst/runtime/render"
	"fst/runtime/rights"
	"fst/runtime/session"
	"fst/runtime/trace"

	"golang.org/x/sys/unix"
)

// RunOptions say where what a session says goes, and how it runs.
type RunOptions struct {
	// Outputs are where what the script says is written, each in its form. If there are
	// several listeners, each goes at its own pace: what one can't take in time is left out
	// there, and a warning at the end tells how much that was. Of a single one, the session
	// waits for each write.
	Outputs []Output
	// View shows what the script says in place (Program.View), instead of the first output or beside it. The maps
	// that the script leaves at its end are shown there each second.
	View *View
	// Page shows it to browsers (Program.Page), as View does.
	Page *Page
	// Metrics has Session.WriteMetrics tell what the script's maps count.
	Metrics bool
	// Listen has Session.Events and Session.Channel yield what the script says as values.
	// Without Outputs they do so anyway.
	Listen bool
	// Log is where what is said about the session goes.
	Log Log
	// Maps says when the maps that a script has at its end are shown.
	Maps EndMaps
	// MaxOverhead is the share of one CPU (0.02 is 2 %) that the programs may take before
	// the costliest probe is detached, instead of the script's max_overhead; 0 leaves that
	// as it is.
	MaxOverhead float64
	// DryRun ends the session as soon as everything is attached, with no other output than
	// the details of Log.
	DryRun bool
	// UntilPID is a process with whose end the session ends, as it does with that of Options.PID, or 0.
	UntilPID int
	// Interrupts end the loops of END clauses that run when one comes: a second Ctrl-C. The end of
	// Start's context does so too if it comes only then.
	Interrupts <-chan struct{}
	// DropCapabilities has the process keep only the capabilities that the session needs
	// once everything is attached (docs/reliability.md): it is for programs that end with
	// their only session. A failure is not reported: the session runs as it is.
	DropCapabilities bool
	// OnAttached is called once everything is attached, before Child runs. It
	// must not wait for the session.
	OnAttached func()
}

// Output is where what a session says is written, and how.
type Output struct {
	Writer io.Writer
	// Name is what warnings call it.
	Name string
	// Format is one of Formats; empty is text. In the format otlp each Write is one request of OpenTelemetry's protocol: a line with
	// its kind (logs, traces, metrics) and how many items it has, and its message in Protocol Buffers.
	Format string
	// LineBuffered writes each line by itself. Without it, lines that come
	// together are written together, and at once as well.
	LineBuffered bool
	// Width is how many columns the terminal behind Writer has, asked for each
	// line of a table: longer ones are cut. nil or 0 leaves them as they are.
	Width func() int
	// Apart writes empty lines between what the script says and the maps at its end.
	Apart bool
}

// Log is where what is said about a session goes, and how much of it. Losses and what
// errorf() says are always told, if there is a Writer. Without Outputs all but the details
// are events instead: Warning, Lost, Note.
type Log struct {
	Writer   io.Writer // nil discards all
	Warnings bool      // trouble that does not end the session, and warnf()
	Progress bool      // how many probes were attached, and what takes long
	Details  bool      // which mechanism each probe got, and what it cost
}

// EndMaps says when the maps at a script's end are shown.
type EndMaps int

const (
	MapsAtEnd  EndMaps = iota // as the script wants it (print_maps_on_exit)
	MapsOnExit                // if the script ends by itself, not by its context or Close
	MapsNever
)

// Session is a running program. Its end by Close, by the context, by exit()
// or by its process detaches everything; its maps can be read until Close. The
// methods may be called by several goroutines.
type Session struct {
	object     *object.Object
	run        *trace.Trace
	generation uint8 // of Options.Replaces
	namer      *naming.Namer
	single     *render.Single
	events     *queue // nil if nobody is to listen
	channel    func() <-chan Event
	metrics    *metrics   // nil if nobody asks for them
	fan        *event.Fan // nil if there is one sink
	enders     []event.Ender
	stop       context.CancelFunc
	attached   chan struct{} // closed when Start may return
	closing    chan struct{} // closed by Close
	close      func()
	done       chan struct{}
	code       int
	err        error
}

// ErrUnsuited is the error of a format in which nothing of a program can be shown. It goes on with the reason.
var ErrUnsuited = errors.New("the format does not suit the program")

// ErrNoMetrics is the error of metrics that are asked of a program that has none. It goes on with the reason.
var ErrNoMetrics = errors.New("there are no metrics")

// ErrPermission is the error of a process without the rights to trace.
var ErrPermission = attach.ErrPermission

// Start loads the program and attaches it. It returns when everything is
// attached, or the program has already ended. The session ends gracefully,
// its END clauses run and its maps shown, when ctx is done; nothing is started, and
// the error is ctx's, if it is done already. Other errors are a *LoadError, or those
// of options that do not go together.
func (p *Program) Start(ctx context.Context, o RunOptions) (*Session, error) {
	if o.Log.Writer == nil {
		o.Log.Writer = io.Discard
	}
	if k := p.options.Kernel; k.target != target.Target(k.system) {
		return nil, fmt.Errorf("the program is compiled for a recorded kernel (%s), so it can't be started", k.Release())
	}
	if p.options.Mode != Trace && (len(o.Outputs) != 1 || o.Listen || o.inPlace()) {
		return nil, errors.New("tests and benchmarks write text or JSON to one of RunOptions.Outputs, and nowhere else")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	obj := *p.object
	if o.Maps == MapsNever {
		obj.Config.PrintMapsOnExit = false
	}
	if o.MaxOverhead > 0 {
		obj.Config.MaxOverhead = o.MaxOverhead
	}
	s := &Session{object: &obj, generation: p.options.generation(), stop: stop, attached: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	s.channel = sync.OnceValue(s.pump)
	names := trace.NewNames(p.options.Kernel.system, &obj, p.options.Kernel.debugDirs)
	if p.options.Store != nil {
		names.Probes = p.options.Store.probeName
	}
	s.namer = &naming.Namer{System: names, Object: &obj, Plain: render.NewPlain, Frames: o.Listen || len(o.Outputs) == 0}
	s.single = render.NewSingle(&obj)
	opts := session.Options{PID: cmp.Or(p.options.PID, o.UntilPID), Child: p.options.Child, DryRun: o.DryRun, NoMapsWhenStopped: o.Maps == MapsOnExit,
		Stats: o.Log.Details && !o.DryRun, Interrupts: o.Interrupts}
	if o.inPlace() {
		opts.Refresh = viewRefresh
	}
	opts.Generation = s.generation
	if old := p.options.Replaces; old != nil {
		opts.Replaces = old.run.Session
	}
	var err error
	if err = p.setMetrics(s, o); err == nil {
		opts.Sink, opts.Trials, err = p.sinks(s, o)
	}
	if err != nil {
		stop()
		return nil, err
	}
	if p.options.Store != nil {
		opts.Store = &p.options.Store.maps
	}
	if p.options.Interpret {
		if opts.Backend, err = interpreter.New(&obj, p.code, interpreter.Options{}); err != nil {
			stop()
			return nil, err
		}
	}
	var run *trace.Trace
	var once sync.Once
	opts.OnAttached = func() {
		if o.Log.Details {
			writeAttachments(o.Log.Writer, run.Session)
		}
		if o.DropCapabilities {
			_ = rights.Keep(rights.Running(&obj, p.options.Child != nil)...)
		}
		if o.OnAttached != nil {
			o.OnAttached()
		}
		once.Do(func() { close(s.attached) })
	}
	run, err = trace.New(&obj, names, opts)
	if err != nil {
		stop()
		s.closeFan(o)
		return nil, p.explain(err)
	}
	s.run = run
	if s.metrics != nil {
		run.Session.Maps.KeepTotals(s.metrics.maps)
	}
	if p.options.Store != nil {
		p.options.Store.adopted(&obj, s.namer, s.single)
	}
	go func() {
		defer close(s.done)
		defer stop()
		s.code, s.err = run.Run(ctx)
		if err := s.closeFan(o); s.err == nil {
			s.err = err
		}
		for _, sink := range s.enders {
			if err := sink.End(); s.err == nil {
				s.err = err
			}
		}
		if s.err != nil {
			s.err = p.explain(s.err)
		} else if o.Log.Details && !o.DryRun {
			writeStats(o.Log.Writer, run.Session)
		}
		if s.events != nil {
			s.events.end()
		}
	}()
	select {
	case <-s.attached:
	case <-s.done:
		if s.err != nil {
			return nil, s.err
		}
	}
	if old := p.options.Replaces; old != nil {
		if p.remembers() {
			time.Sleep(settled)
		}
		if err := s.run.Session.Switch(!session.Paused(old.run.Session)); err != nil { // a paused one is replaced by a paused one
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// settled is how long a program that remembers something follows what is under way before it takes another's place: calls that
// had begun before it was attached have mostly returned then.
const settled = 20 * time.Millisecond

// remembers reports whether a program keeps something of an event for a later one, such as the entry of a call for its return,
// in a map of its own: not one of the script, which what takes its place goes on with.
func (p *Program) remembers() bool {
	return slices.ContainsFunc(p.object.Maps, func(m *object.Map) bool {
		switch m.Kind {
		case object.MapHash, object.MapLRUHash, object.MapPerCPUHash, object.MapPerCPULRUHash, object.MapTaskStorage:
			return !m.Script && !m.Unused
		}
		return false
	})
}

// Pause has the clauses of a Live program see nothing until Resume, but begin and end: they stay attached, and
// keep account of calls and requests.
func (s *Session) Pause() error { return s.run.Session.Switch(false) }

// Resume has them see events again.
func (s *Session) Resume() error { return s.run.Session.Switch(true) }

// setMetrics has the session know what its maps have counted all in all, if somebody asks for that.
func (p *Program) setMetrics(s *Session, o RunOptions) error {
	needed, wanted := o.Metrics, o.Metrics
	for _, out := range o.Outputs {
		form, err := formNamed(out.Format)
		if err != nil {
			return err
		}
		needed, wanted = needed || form.metrics && !form.hidden, wanted || form.metrics
	}
	if !wanted {
		return nil
	}
	switch list, why := p.Metrics(); {
	case len(list) == 0 && !needed:
		return nil
	case len(list) == 0:
		return fmt.Errorf("%w: %s", ErrNoMetrics, why)
	}
	s.metrics = newMetrics(s.object)
	return nil
}

// sinks makes what the session says to: what gives events their names, the actions of the
// script, and then its outputs. Tests and benchmarks of a script have a form of their own.
func (p *Program) sinks(s *Session, o RunOptions) (event.Sink, session.Trials, error) {
	tried := p.options.Mode != Trace
	actions := &action.Runner{MaxCat: s.object.Config.MaxCatBytes, Stderr: o.Log.Writer,
		Command: render.NewText(io.Discard, io.Discard, s.object, render.Options{}).Command}
	named := naming.NewStage(s.namer, actions)
	var all []event.Sink
	errs := o.Log.Writer
	if o.inPlace() {
		errs = io.Discard // it shows that, too
	}
	for i, out := range o.Outputs {
		form, err := formNamed(out.Format)
		switch {
		case err != nil:
			return nil, nil, err
		case tried && form.name != "text" && form.name != "json":
			return nil, nil, fmt.Errorf("tests and benchmarks write text or json, not %s", form.name)
		case form.document && out.Width != nil:
			return nil, nil, fmt.Errorf("a terminal does not show the format %s: write it to a file, as with -o FILE or > FILE", form.name)
		case form.timed && !p.options.stamps():
			return nil, nil, fmt.Errorf("the format %s tells the time of each event, and the program is compiled without: it must be among Options.Formats", form.name)
		}
		if form.unsuited != nil && p.options.Store == nil { // what one script puts into a store others may show
			if why := form.unsuited(s.object); why != "" {
				return nil, nil, fmt.Errorf("%w: %s: %s", ErrUnsuited, form.name, why)
			}
		}
		ro := render.Options{LineBuffered: out.LineBuffered, Width: out.Width, NoWarnings: !o.Log.Warnings,
			Quiet: !o.Log.Progress || tried, NoExitLines: !out.Apart, Totals: s.totals, Version: Version}
		s.namer.Frames = s.namer.Frames || form.frames
		sink := form.open(out.Writer, errs, s.object, ro)
		if tried {
			t := render.NewTrials(sink, out.Writer, errs, out.Format == "json", s.object, ro)
			actions.Next = t
			return named, t, nil
		}
		if i == 0 && form.plain && len(o.Outputs) == 1 && !o.Listen && !o.inPlace() {
			actions.Stdout = out.Writer
		}
		all = append(all, sink)
		if e, ok := sink.(event.Ender); ok {
			s.enders = append(s.enders, e)
		}
		errs = io.Discard // what is said about the script is said once
	}
	if o.View != nil {
		all = append(all, o.View.live)
	}
	if o.Page != nil {
		all = append(all, o.Page.page)
		s.enders = append(s.enders, o.Page.page)
		s.namer.Frames = true
	}
	if o.Listen || len(o.Outputs) == 0 && !o.inPlace() {
		l := newListener(s.object, s.single)
		s.events = l.queue
		all = append(all, l)
	}
	if len(all) == 1 {
		actions.Next = all[0]
		return named, nil, nil
	}
	s.fan = event.NewFan(all...)
	actions.Next = s.fan
	return named, nil, nil
}

// lastPatience is how long an output may take for one event when the session has ended.
const lastPatience = 5 * time.Second

// closeFan lets all outputs have what waits for them.
func (s *Session) closeFan(o RunOptions) error {
	if s.fan == nil {
		return nil
	}
	missed, err := s.fan.Close(lastPatience)
	for i, out := range o.Outputs {
		cut := ""
		if missed[i].Stuck {
			cut = "; what it got last is incomplete"
		}
		if (missed[i].Dropped > 0 || missed[i].Stuck) && o.Log.Warnings {
			fmt.Fprintf(o.Log.Writer, "WARNING: %d events were dropped from %s: it was too slow%s\n", missed[i].Dropped, out.Name, cut)
		}
	}
	return err
}

// Wait returns when the session has ended, with the script's exit code. It does not need
// somebody to read Events. The error is a *LoadError; nil for a session that was stopped.
func (s *Session) Wait() (code int, err error) {
	<-s.done
	return s.code, s.err
}

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close ends the session, waits for it, and lets its maps go. It may be called more
// than once, and while other goroutines read Events: what they have not read by then is
// dropped. To read all to the end, END clauses and maps included, cancel Start's context
// before. The error is that of Wait.
func (s *Session) Close() error {
	s.close()
	s.stop()
	<-s.done
	if s.events != nil {
		s.events.close()
	}
	s.run.Session.Close()
	return s.err
}

// Events yields what the script says until the session has ended, and then, if that was by
// an error, a nil Event with it: the error of Wait. It is part of the sequence, as nobody
// then forgets to ask for it. Events that are not read wait, up to about 32 MB of them; what
// is beyond is dropped, and a Lost of the kind LossUnread tells how many those were.
//
// A loop that is left by break may be followed by another. Loops that run at the same time,
// and Channel, share the events. If RunOptions have outputs and do not say Listen, there are
// no events, only the end.
func (s *Session) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for s.events != nil {
			e, ok := s.events.pop()
			if !ok {
				break
			}
			if !yield(e, nil) {
				return
			}
		}
		if _, err := s.Wait(); err != nil {
			yield(nil, err)
		}
	}
}

// Channel has the same as Events, for a select. It is closed when the session has ended
// and all was received, or was closed; Wait then tells the error. All calls return the same
// channel.
func (s *Session) Channel() <-chan Event { return s.channel() }

// pump fills the channel.
func (s *Session) pump() <-chan Event {
	events := make(chan Event)
	go func() {
		defer close(events)
		for s.events != nil {
			e, ok := s.events.pop()
			if !ok {
				return
			}
			select {
			case events <- e:
			case <-s.closing:
				return
			}
		}
	}()
	return events
}

// Losses are what the script's programs have lost so far, by clause and kind: numbers that
// only grow. What the kernel leaves out it tells at the end only, as a Lost. It may be
// asked until the session is closed; the error is then ErrClosed.
func (s *Session) Losses() ([]Loss, error) {
	sums, err := s.run.Session.Maps.Losses()
	if err != nil {
		return nil, err
	}
	values := render.NewDecoder(s.object)
	var list []Loss
	for what, n := range sums {
		if n > 0 {
			list = append(list, newLoss(s.object, values, what, n))
		}
	}
	slices.SortFunc(list, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Clause, b.Clause), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return list, nil
}

// Cost tells how often the session's programs have run, and how long, while the kernel accounted it
// (AccountCosts). It may be asked at any time; when the session has ended, both are 0.
func (s *Session) Cost() (runs uint64, took time.Duration) {
	runs, ns := s.run.Session.Cost()
	return runs, time.Duration(ns)
}

// ProbeCost is what a ProbeUse has cost.
type ProbeCost struct {
	// Runs is how often its programs have run, of a call at its return: as often as it fired, unless it is Wide.
	Runs uint64
	Took time.Duration
}

// ProbeCosts tells what each of the Probes of the program's Explanation has cost, while the kernel accounted it
// (AccountCosts), also when the session has ended. p is the session's program.
func (s *Session) ProbeCosts(p *Program) []ProbeCost {
	stats := s.run.Session.Stats()
	var costs []ProbeCost
	for _, g := range explain.Groups(p.object) {
		var c ProbeCost
		for _, st := range stats {
			if !slices.Contains(g.Programs, st.Program) {
				continue
			}
			c.Took += time.Duration(st.RunTimeNS)
			if !st.Program.Entry {
				c.Runs += st.Runs
			}
		}
		costs = append(costs, c)
	}
	return costs
}

// AccountCosts has the kernel account the time of all BPF programs, which costs some 27 ns an event, until stop is called.
func AccountCosts() (stop func(), err error) {
	fd, err := bpf.EnableStats()
	if err != nil {
		return nil, fmt.Errorf("the kernel does not measure the run time of programs: %w", err)
	}
	return sync.OnceFunc(func() { unix.Close(fd) }), nil
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

// inPlace reports whether what the script says is shown in place.
func (o RunOptions) inPlace() bool { return o.View != nil || o.Page != nil }

// Page is a page of HTML that a session of the program fills while it runs: what -f html shows at the end, with the last ten
// minutes. Its methods may be called by several goroutines.
type Page struct{ page *render.Page }

// Page returns a page for RunOptions.Page, with a title. Warnings and errors of the script are also written to errs.
func (p *Program) Page(title string, errs io.Writer) *Page {
	return &Page{render.NewLivePage(title, errs, p.object)}
}

// HTML is the page as it is now. Its script asks for "data?" with what it knows (Data), once a second.
func (p *Page) HTML() ([]byte, error) { return p.page.HTML() }

// Data is what is new, as JSON, for a reader who knows what earlier answers have said.
func (p *Page) Data(known string) ([]byte, error) { return p.page.Data(known) }

// View shows what a session says on one screen, which changes in place: tables, charts and heat maps as they are
// now, rows and lines as they come. Who has a terminal shows its Frame when there is a Changed, and gives it
// the Keys that are typed. Its methods may be called by several goroutines.
type View struct{ live *render.Live }

// viewRefresh is how often a view gets the maps that a script leaves at its end.
const viewRefresh = time.Second

// View returns a view of a session of the program, for RunOptions.View. Its first line has the title.
func (p *Program) View(title string) *View { return &View{render.NewLive(title, p.object)} }

// Changed gets word when there is something new to show.
func (v *View) Changed() <-chan struct{} { return v.live.Changed() }

// Frame returns the lines of the screen, which set how they look by escape sequences.
func (v *View) Frame(columns, rows int) []string { return v.live.Frame(columns, rows) }

// Text is all that there is to be seen, as plain lines. columns is how long they may be; 0: as they are.
func (v *View) Text(columns int) string { return v.live.Text(columns) }

// Key does what a key is for: a character, or one of up, down, left, right, pgup, pgdn, home, end, tab, enter, esc
// and backspace. quit reports that the user wants the end.
func (v *View) Key(key string) (quit bool) { return v.live.Key(key) }

// Say shows what a command beside the session has written.
func (v *View) Say(text []byte) { v.live.Say(text) }
