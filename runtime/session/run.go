package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/event"
	"fst/runtime/events"

	"golang.org/x/sys/unix"
)

// lastWrite is how long a record that is still being written is waited for when
// nothing is attached any more.
const lastWrite = 20 * time.Millisecond

// Run runs the script to its end and leaves only its maps. It ends when ctx is
// done, the script calls exit, the process of -p or -c ends, or nothing is left
// to wait for. The exit code is that of exit(), else 0. Nothing is run, and the
// error is ctx's, if that is done already. After an error nothing is left.
func (s *Session) Run(ctx context.Context) (exitCode int, err error) {
	defer func() {
		if err != nil {
			s.Close()
		}
		s.end()
	}()
	defer s.witnesses.close()
	defer func() { s.stats = s.Stats() }()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.stopped = func() bool { return ctx.Err() != nil }

	wakers := &wakers{session: s}
	defer wakers.stop()
	wakers.start(ctx)

	if s.opts.DryRun {
		if s.attached, err = s.programs.Attach(ctx, s.tellProgress()); err != nil {
			return 0, err
		}
		s.attached.Unpin()
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if s.opts.OnAttached != nil {
			s.opts.OnAttached()
		}
		return 0, nil
	}
	// What BEGIN said is shown when everything is attached: a script's
	// "Tracing..." is then true.
	if err := s.speak(object.HookBegin); err != nil {
		return 0, err
	}
	wakers.cpus()
	if err := s.attach(ctx); err != nil {
		return 0, err
	}
	s.handleKept()
	if s.opts.Trials != nil && !s.exited {
		if err := s.runTrials(); err != nil {
			return 0, err
		}
		return s.finish(ctx, wakers)
	}
	if s.opts.Child != nil && !s.exited && ctx.Err() == nil {
		if err := s.opts.Sink.Flush(); err != nil {
			return 0, err
		}
		if err := s.opts.Child.Release(); err != nil {
			return 0, err
		}
	}
	s.waited = !s.exited
	if err := s.loop(ctx, wakers); err != nil {
		return 0, err
	}
	return s.finish(ctx, wakers)
}

// attach attaches everything, or, if ctx is done meanwhile, what it has come to.
func (s *Session) attach(ctx context.Context) (err error) {
	if s.attached, err = s.programs.Attach(ctx, s.tellProgress()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // the session ends: there is nothing to be told
	}
	if s.obj.Config.MissingProbes != "ignore" {
		for _, text := range attach.LeftOut(s.attached.Missing) {
			s.opts.Sink.Event(&event.Warning{Text: text})
		}
	}
	for _, w := range s.attached.Warnings {
		s.opts.Sink.Event(&event.Warning{Text: w})
	}
	s.opts.Sink.Event(&event.Attached{Probes: s.probeCount()})
	if s.opts.OnAttached != nil {
		s.opts.OnAttached()
	}
	return nil
}

// detach detaches everything, and says so where it takes long: what the script has
// counted is shown behind it.
func (s *Session) detach() {
	links, long, told := s.attached.Count(), time.Now().Add(longAttach), false
	s.meanwhile(s.attached.Detach, func() {
		s.drainAndFlush()
		if !told && time.Now().After(long) {
			told = true
			what := "the probe is being detached, which takes this kernel a while"
			if links > 1 {
				what = fmt.Sprintf("%d probes are being detached, which this kernel does one after the other", links)
			}
			s.opts.Sink.Event(&event.Remark{Text: what})
		}
	})
}

// longAttach is after how long attaching or detaching is said to take its time.
const longAttach = 2 * time.Second

// tellProgress says how far attaching is when it has taken long, and again when it
// has taken twice as long.
func (s *Session) tellProgress() func(done, all int) {
	start, next := time.Now(), longAttach
	return func(done, all int) {
		took := time.Since(start)
		if took < next || done == all {
			return
		}
		next = 2 * took
		left := took / time.Duration(done) * time.Duration(all-done)
		s.opts.Sink.Event(&event.Remark{Text: fmt.Sprintf("%d of %d probes are attached; the others take about %.0f s", done, all, max(1, left.Seconds()))})
	}
}

// probeCount counts the probes that are attached, BEGIN, END and self included,
// however many links that took: it tells how much a pattern matched. A static probe
// that is in several places is one, and so is a pair of an entry and a return.
func (s *Session) probeCount() int {
	type named struct {
		program                   *object.Program
		name, place, path, symbol string
	}
	n := 0
	seen := map[named]bool{}
	for _, a := range s.Attachments() {
		if a.Program.Entry {
			continue // the other half of a pair is the probe
		}
		for _, h := range a.Places() {
			probe := named{a.Program, h.Name, h.Place, h.Path, h.Symbol}
			if h.Path == "" || !seen[probe] {
				n++
			}
			seen[probe] = true
		}
	}
	for _, p := range s.obj.Programs {
		for _, h := range p.Hooks {
			if h.Kind == object.HookBegin || h.Kind == object.HookEnd || h.Kind == object.HookSelf {
				n++
			}
		}
	}
	return n
}

// loop handles messages until something ends the session.
func (s *Session) loop(ctx context.Context, w *wakers) error {
	if s.opts.PID != 0 {
		if err := s.reader.Watch(s.pidFD, events.Watched); err != nil {
			return err
		}
	}
	if s.opts.Child != nil {
		w.child(s.opts.Child)
	}
	if err := s.walk(ctx); err != nil {
		return err
	}
	if s.obj.Config.MaxOverhead > 0 {
		s.budget.start(s.programs.Stats(nil))
		w.every(budgetInterval)
	}
	s.witnesses.start()
	waiting := s.isWaiting()
	for {
		s.drain()
		wait := sooner(s.lost.report(s.opts.Sink), s.witnesses.ask(s.opts.Sink))
		if s.keepBudget(); len(s.attached.List()) == 0 {
			waiting = s.isWaiting()
		}
		if !waiting || s.isOver(ctx) || s.processEnded() {
			return nil
		}
		if err := s.opts.Sink.Flush(); err != nil {
			return err
		}
		if _, err := s.reader.Wait(wait); err != nil {
			return err
		}
		w.join()
		if w.signalled() {
			if err := s.programs.Run(object.HookSelf); err != nil {
				s.opts.Sink.Event(&event.Warning{Text: err.Error()})
			}
		}
	}
}

// isOver reports whether the script or the session's context has ended it.
func (s *Session) isOver(ctx context.Context) bool { return s.exited || ctx.Err() != nil }

// processEnded reports whether there is a process of -p or -c and it has ended.
func (s *Session) processEnded() bool {
	if s.opts.PID == 0 {
		return s.opts.Child.Ended()
	}
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(s.pidFD), Events: unix.POLLIN}}, 0)
	return n > 0
}

// longWalk is how long iterators have, whenever the process of -p or -c ends: what they
// show is there without it, too.
const longWalk = time.Second

// walk walks the iterators, once and until the session is over.
func (s *Session) walk(ctx context.Context) (err error) {
	if !s.attached.HasIterators() || s.isOver(ctx) {
		return nil
	}
	start, all := time.Now(), false
	s.meanwhile(func() { all, err = s.attached.Iterate(s.stop) }, func() {
		s.drainAndFlush()
		if s.isOver(ctx) || s.processEnded() && time.Since(start) > longWalk {
			atomic.StoreUint64(s.stop, 1)
		}
	})
	s.drain()
	if err == nil && !all && !s.exited {
		s.opts.Sink.Event(&event.Remark{Text: "the iterator was ended before it had seen everything"})
	}
	return err
}

// isWaiting reports whether there is anything that can still happen: a script
// of begin and end probes only, or of iterators, is over when they have run.
func (s *Session) isWaiting() bool {
	if s.programs.Has(object.HookSelf) || s.opts.Child != nil {
		return true
	}
	for _, a := range s.attached.List() {
		if a.Mechanism != attach.Iterator {
			return true
		}
	}
	return false
}

// finish detaches, lets END speak and prints the maps.
func (s *Session) finish(ctx context.Context, wakers *wakers) (int, error) {
	stopped := ctx.Err() != nil // the session was ended from outside
	s.witnesses.askNow(s.opts.Sink)
	s.detach()
	if s.opts.Child != nil {
		s.opts.Child.Stop()
	}
	s.reader.DrainAll(s.handle, lastWrite)
	s.exited = false                         // END speaks even after exit()
	s.stopped = func() bool { return false } // and runs its commands
	if stopped {
		<-wakers.stopped
	}
	select {
	case <-s.opts.Interrupts: // what has ended the session
	default:
	}
	atomic.StoreUint64(s.stop, 0) // and its loops, until somebody has enough of them
	s.ending.Store(true)
	if err := s.speak(object.HookEnd); err != nil {
		s.opts.Sink.Event(&event.Warning{Text: err.Error()})
	}
	s.handleKept()
	s.reader.DrainAll(s.handle, lastWrite)
	s.opts.Sink.Event(&event.Exit{})
	// What tests and benchmarks leave in maps is no result.
	if s.obj.Config.PrintMapsOnExit && s.opts.Trials == nil && !(stopped && s.opts.NoMapsWhenStopped) {
		s.printMaps()
	}
	if s.notRun > 0 {
		s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("%d of the commands of system() were not run: they still waited when the script was stopped", s.notRun)})
	}
	s.lost.reportAll(s.opts.Sink, s.Stats(), s.obj.Reads)
	s.lost.reportStacks(s.opts.Sink, s.obj, s.maps)
	if s.waited {
		s.tellSilence()
	}
	return s.exitCode, s.opts.Sink.Flush()
}

// speak runs the programs of a kind that is run by hand, and keeps what they say.
// In a loop they may say more than the ring buffer holds: it is read while they
// run. All is answered when all have run: print(@m) then shows the same in each run
// of a script.
func (s *Session) speak(kind object.HookKind) (err error) {
	if s.programs.Speaks(kind) {
		err = s.readMeanwhile(s.keep, func() error { return s.programs.Run(kind) })
	} else {
		err = s.programs.Run(kind)
	}
	s.reader.Drain(s.keep)
	return err
}

// readMeanwhile reads the ring buffer while run runs.
func (s *Session) readMeanwhile(handle func(record []byte) bool, run func() error) error {
	var over atomic.Bool
	var ran sync.WaitGroup
	var err error
	ran.Go(func() {
		err = run()
		over.Store(true)
		s.reader.Wake()
	})
	// Whoever has woken the reader is noticed by the next Wait as well.
	defer s.reader.Wake()
	var failed error
	for !over.Load() && failed == nil {
		s.reader.Drain(handle)
		_, failed = s.reader.Wait(events.Never)
	}
	ran.Wait()
	return errors.Join(err, failed)
}

// meanwhile reads the ring buffer while f runs, which may take long: detaching
// takes the kernel seconds, an iterator may have much to say.
func (s *Session) meanwhile(f, read func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			read()
		}
	}
}

func (s *Session) drainAndFlush() {
	s.drain()
	s.opts.Sink.Flush() // an error is told at the end, too
}
