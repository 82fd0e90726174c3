// Package session runs a compiled script: it loads it into the kernel, runs
// BEGIN, attaches the rest, hands what comes back to a sink in order, and
// leaves nothing behind on any way out but, until Close, its maps.
//
// It owns every descriptor. It decodes nothing but what steers it (exit, print,
// clear and zero); how things look is the sink's business. It must not import
// the packages that render.
package session

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/child"
	"fst/runtime/clock"
	"fst/runtime/event"
	"fst/runtime/maps"
)

// Options are the facts of one run.
type Options struct {
	// Sink gets what the session says, from the goroutine that calls Run. It must be
	// set.
	Sink event.Sink
	// PID is the process of -p: the session ends when it ends. 0: none.
	PID int
	// Child is the process of -c, or nil: it is let go when everything is
	// attached, and the session ends when it ends.
	Child *child.Child
	// NoMapsWhenStopped leaves out the maps at the end if Run's context ends the
	// session, not the script.
	NoMapsWhenStopped bool
	// Interrupts end the loops of END clauses that run when one comes, as the end of Run's
	// context does if it comes only then.
	Interrupts <-chan struct{}
	// OnAttached is called after the event Attached, before the child is let go.
	OnAttached func()
	// DryRun ends the session when everything is attached: no code of the
	// script is run for its own sake, and nothing is shown.
	DryRun bool
	// Refresh is how often the maps that a script shows at its end, and not by itself before,
	// are shown while it runs; 0: never.
	Refresh time.Duration
	// Trials, if set, is told of the script's tests or benchmarks, which are
	// run instead of waiting for events.
	Trials Trials
	// Store has the maps of the script that are kept; nil: none is.
	Store *maps.Store
	// Replaces is a session of the same backend whose place this one takes (Switch), or nil.
	Replaces *Session
	// Generation is that of the script, if it was compiled with one.
	Generation uint8
	// Backend is what runs the script, and is closed with the session; nil is the kernel.
	Backend *Backend
	// Clock is that of the events' times; nil is one that nobody sets.
	Clock *clock.Clock
	// Stats asks the kernel to account the time of programs (see
	// Session.Stats), which costs about 27 ns an event.
	Stats bool
}

// Session is a script in the kernel. Its methods belong to one goroutine,
// except where they say otherwise. When Run has ended, its maps are left, to be
// read until Close.
type Session struct {
	// Maps are the script's maps, for every goroutine.
	Maps *Maps

	obj      *object.Object
	opts     Options
	process  process
	programs Programs
	attached *attach.Attachments
	reader   Records
	records  dispatcher
	// stop is object.StopMapName's word, which programs read.
	stop *uint64
	gate gate

	stats []attach.Stats // when Run has ended
	ended sync.Once      // nothing is left but the maps

	lost      losses
	budget    budget
	witnesses witnesses
}

// New loads a script: its maps are created and its programs verified. Nothing
// is attached yet. Errors are those of Kernel, unless there is an Options.Backend.
func New(obj *object.Object, opts Options) (_ *Session, err error) {
	if opts.Clock == nil {
		opts.Clock = clock.New()
	}
	s := &Session{obj: obj, opts: opts, process: process{fd: -1, child: opts.Child}, stop: new(uint64)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if opts.PID != 0 {
		if s.process.fd, err = OpenProcess(opts.PID); err != nil {
			return nil, err
		}
	}
	b := opts.Backend
	if b == nil {
		timed := func(p *object.Program) bool {
			return slices.ContainsFunc(p.Hooks, func(h object.Hook) bool { return h.Kind == object.HookBench })
		}
		stats := opts.Stats || obj.Config.MaxOverhead > 0 || opts.Trials != nil && slices.ContainsFunc(obj.Programs, timed)
		if b, err = Kernel(obj, opts.Store, gateOf(opts.Replaces), stats, opts.Sink); err != nil {
			return nil, err
		}
	}
	set := b.Maps
	s.programs, s.reader, s.Maps = b.Programs, b.Records, &Maps{obj: obj, set: set}
	runtime.AddCleanup(s.Maps, (*maps.Set).Close, set)
	if err = s.Maps.writeStart(); err != nil {
		return nil, err
	}
	for _, m := range obj.Maps {
		switch m.Name {
		case object.StopMapName:
			s.stop = set.Word(m.ID, 0)
		case object.FollowMapName:
			s.process.followed = set.Bytes(m.ID)
			if opts.Child != nil {
				s.process.followed[opts.Child.PID] = 1
			}
		case object.GateMapName:
			s.gate.open(set, m.ID, opts)
		}
	}
	s.records = dispatcher{obj: obj, sink: opts.Sink, reader: s.reader, maps: s.Maps, clock: opts.Clock, drained: map[int]*maps.Snapshot{}, printed: map[int]bool{}, stopped: never, over: never}
	s.lost.init(set, obj)
	s.budget.limit = obj.Config.MaxOverhead
	s.witnesses.init(set, obj)
	return s, nil
}

// warn tells of trouble that does not end the session.
func warn(out event.Sink, format string, args ...any) {
	out.Event(&event.Warning{Text: fmt.Sprintf(format, args...)})
}

// remark tells of something that is no trouble.
func remark(out event.Sink, format string, args ...any) {
	out.Event(&event.Remark{Text: fmt.Sprintf(format, args...)})
}

// Close detaches and unloads everything. It may be called twice, and after Run from
// any goroutine.
func (s *Session) Close() {
	s.end()
	if s.Maps != nil {
		s.gate.close()
		s.Maps.close()
	}
}

// end detaches and unloads everything but the maps. It may be called twice.
func (s *Session) end() {
	s.ended.Do(func() {
		s.attached.Detach()
		if s.programs != nil {
			s.programs.Close()
		}
		if s.reader != nil {
			s.reader.Close()
		}
		s.process.close()
	})
}

// Attachments tells what is attached and how, for -v. It is empty before Run
// attaches.
func (s *Session) Attachments() []*attach.Attachment {
	if s.attached == nil {
		return nil
	}
	return s.attached.List()
}

// Cost tells how often the session's programs have run, and how long while the kernel accounted
// it; zero when it has ended. Any goroutine may call it.
func (s *Session) Cost() (runs, ns uint64) {
	for _, st := range s.programs.Stats(nil) {
		runs += st.Runs
		ns += st.RunTimeNS
	}
	return runs, ns
}

// Stats tells what each program has cost, after Run or during it. Times need
// Options.Stats.
func (s *Session) Stats() []attach.Stats {
	if s.stats != nil {
		return s.stats
	}
	return s.programs.Stats(s.attached)
}
