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
	s.records.stopped = func() bool { return ctx.Err() != nil }
	s.records.over = func() bool { return ctx.Err() != nil || s.process.ended() }

	wakers := &wakers{session: s}
	defer wakers.stop()
	wakers.start(ctx)

	if s.opts.DryRun {
		if s.attached, err = s.programs.Attach(ctx, tellProgress(s.opts.Sink)); err != nil {
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
	s.records.handleKept()
	if s.opts.Trials != nil && !s.records.exited {
		if err := s.runTrials(); err != nil {
			return 0, err
		}
		return s.finish(ctx, wakers, false)
	}
	if s.opts.Child != nil && !s.isOver(ctx) {
		if err := s.opts.Sink.Flush(); err != nil {
			return 0, err
		}
		if err := s.opts.Child.Release(); err != nil {
			return 0, err
		}
	}
	waited := !s.records.exited // BEGIN has not ended the session
	if err := s.loop(ctx, wakers); err != nil {
		return 0, err
	}
	return s.finish(ctx, wakers, waited)
}

// attach attaches everything, or, if ctx is done meanwhile, what it has come to.
func (s *Session) attach(ctx context.Context) (err error) {
	if s.attached, err = s.programs.Attach(ctx, tellProgress(s.opts.Sink)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil // the session ends: there is nothing to be told
	}
	if err := s.speak(object.HookAttached); err != nil {
		return err
	}
	if s.process.followed != nil && s.opts.PID != 0 {
		if err := follow(s.process.followed, s.opts.PID); err != nil {
			return err
		}
	}
	if s.obj.Config.MissingProbes != "ignore" {
		for _, text := range attach.LeftOut(s.attached.Missing) {
			warn(s.opts.Sink, "%s", text)
		}
	}
	for _, w := range s.attached.Warnings {
		warn(s.opts.Sink, "%s", w)
	}
	s.opts.Sink.Event(&event.Attached{Probes: probeCount(s.obj, s.attached.List())})
	if s.opts.OnAttached != nil {
		s.opts.OnAttached()
	}
	return nil
}

// detach detaches everything, and says so where it takes long: what the script has
// counted is shown behind it.
func (s *Session) detach() {
	links, long, told := s.attached.Count(), time.Now().Add(longAttach), false
	meanwhile(s.attached.Detach, func() {
		s.drainAndFlush()
		if !told && time.Now().After(long) {
			told = true
			if links > 1 {
				remark(s.opts.Sink, "%d probes are being detached, which this kernel does one after the other", links)
			} else {
				remark(s.opts.Sink, "the probe is being detached, which takes this kernel a while")
			}
		}
	})
}

// longAttach is after how long attaching or detaching is said to take its time.
const longAttach = 2 * time.Second

// tellProgress says how far attaching is when it has taken long, and again when it
// has taken twice as long.
func tellProgress(out event.Sink) func(done, all int) {
	p := newPace(time.Now())
	return func(done, all int) {
		if text := p.progress(time.Now(), done, all); text != "" {
			remark(out, "%s", text)
		}
	}
}

// pace is how fast probes are attached now. The first ones say little of the others: the kernel prepares for them, and
// single ones wait for what others take no part in.
type pace struct {
	next            time.Time // when something is said
	start           time.Time
	earlier, latest mark // paceWindow apart, or more
}

// mark is how many probes were attached at a time.
type mark struct {
	at   time.Time
	done int
}

// paceWindow is how long the time is, at least, in which the rate is measured.
const paceWindow = time.Second

func newPace(start time.Time) *pace { return &pace{next: start.Add(longAttach), start: start} }

// progress notes that some probes are attached, and returns what is to be said of it, or "".
func (p *pace) progress(now time.Time, done, all int) (text string) {
	if p.latest.done == 0 || now.Sub(p.latest.at) >= paceWindow {
		p.earlier, p.latest = p.latest, mark{now, done}
	}
	if now.Before(p.next) || done == all {
		return ""
	}
	p.next = now.Add(now.Sub(p.start))
	text = fmt.Sprintf("%d of %d probes are attached", done, all)
	if p.earlier.done == 0 || done == p.earlier.done {
		return text
	}
	left := time.Duration(float64(now.Sub(p.earlier.at)) / float64(done-p.earlier.done) * float64(all-done))
	return fmt.Sprintf("%s; the others take about %.0f s", text, max(1, left.Seconds()))
}

// probeCount counts the probes that are attached, BEGIN, END and self included,
// however many links that took: it tells how much a pattern matched. A static probe
// that is in several places is one, and so is a pair of an entry and a return.
func probeCount(obj *object.Object, list []*attach.Attachment) int {
	type named struct {
		program                   *object.Program
		name, place, path, symbol string
	}
	n := 0
	seen := map[named]bool{}
	for _, a := range list {
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
	for _, p := range obj.Programs {
		for _, h := range p.Hooks {
			if h.Kind == object.HookBegin || h.Kind == object.HookEnd || h.Kind == object.HookSelf || h.Kind == object.HookAttached {
				n++
			}
		}
	}
	return n
}

// loop handles messages until something ends the session.
func (s *Session) loop(ctx context.Context, w *wakers) error {
	if s.opts.PID != 0 {
		if err := s.reader.Watch(s.process.fd, events.Watched); err != nil {
			return err
		}
	}
	if s.opts.Child != nil {
		w.child(s.opts.Child)
	}
	if err := s.walk(ctx); err != nil {
		return err
	}
	if s.budget.limit > 0 {
		s.budget.start(s.programs.Stats(nil))
		w.every(budgetInterval)
	}
	s.witnesses.start()
	refreshed := time.Now()
	if s.opts.Refresh > 0 {
		w.every(s.opts.Refresh)
	}
	waiting := s.isWaiting()
	for {
		s.drain()
		if every := s.opts.Refresh; every > 0 && time.Since(refreshed) >= every*9/10 { // timers are not exact
			refreshed = time.Now()
			s.records.refresh()
		}
		wait := sooner(s.lost.report(s.opts.Sink), s.witnesses.ask(s.opts.Sink))
		if s.budget.keep(s.programs, s.attached, s.opts.Sink); len(s.attached.List()) == 0 {
			waiting = s.isWaiting()
		}
		if !waiting || s.isOver(ctx) || s.process.ended() {
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
				warn(s.opts.Sink, "%v", err)
			}
		}
	}
}

// isOver reports whether the script or the session's context has ended it.
func (s *Session) isOver(ctx context.Context) bool { return s.records.exited || ctx.Err() != nil }

// longWalk is how long iterators have, whenever the process of -p or -c ends: what they
// show is there without it, too.
const longWalk = time.Second

// walk walks the iterators, once and until the session is over.
func (s *Session) walk(ctx context.Context) (err error) {
	if !s.attached.HasIterators() || s.isOver(ctx) {
		return nil
	}
	start, all := time.Now(), false
	meanwhile(func() { all, err = s.attached.Iterate(s.stop) }, func() {
		s.drainAndFlush()
		if s.isOver(ctx) || s.process.ended() && time.Since(start) > longWalk {
			atomic.StoreUint64(s.stop, 1)
		}
	})
	s.drain()
	if err == nil && !all && !s.records.exited {
		remark(s.opts.Sink, "the iterator was ended before it had seen everything")
	}
	return err
}

// isWaiting reports whether there is anything that can still happen: a script
// of begin and end probes only, or of iterators, is over when they have run.
func (s *Session) isWaiting() bool {
	if s.obj.Has(object.HookSelf) || s.opts.Child != nil {
		return true
	}
	for _, a := range s.attached.List() {
		if a.Mechanism != attach.Iterator {
			return true
		}
	}
	return false
}

// finish detaches, lets END speak and prints the maps. waited tells that there was
// time to see something.
func (s *Session) finish(ctx context.Context, wakers *wakers, waited bool) (int, error) {
	stopped := ctx.Err() != nil // the session was ended from outside
	s.witnesses.askNow(s.opts.Sink)
	s.detach()
	if s.opts.Child != nil {
		s.opts.Child.Stop()
	}
	s.records.over = never
	s.records.handleKept()
	s.reader.DrainAll(s.records.handle, lastWrite)
	s.records.exited = false  // END speaks even after exit()
	s.records.stopped = never // and runs its commands
	if stopped {
		<-wakers.stopped
	}
	select {
	case <-s.opts.Interrupts: // what has ended the session
	default:
	}
	atomic.StoreUint64(s.stop, 0) // and its loops, until somebody has enough of them
	wakers.ending.Store(true)
	if err := s.speak(object.HookEnd); err != nil {
		warn(s.opts.Sink, "%v", err)
	}
	s.records.handleKept()
	s.reader.DrainAll(s.records.handle, lastWrite)
	s.opts.Sink.Event(&event.Exit{})
	// What tests and benchmarks leave in maps is no result.
	if s.obj.Config.PrintMapsOnExit && !s.gate.replaced.Load() && s.opts.Trials == nil && !(stopped && s.opts.NoMapsWhenStopped) {
		s.records.printMaps()
	}
	if n := s.records.notRun; n > 0 {
		warn(s.opts.Sink, "%d commands of system() were not run: they were still waiting when the script was stopped", n)
	}
	s.lost.reportAll(s.opts.Sink, s.Stats(), s.obj.Reads)
	s.lost.reportStacks(s.opts.Sink, s.obj, s.Maps.set)
	if waited {
		s.tellSilence()
	}
	return s.records.exitCode, s.opts.Sink.Flush()
}

// speak runs the programs of a kind that is run by hand, and keeps what they say.
// In a loop they may say more than the ring buffer holds: it is read while they
// run. All is answered when all have run: print(@m) then shows the same in each run
// of a script.
func (s *Session) speak(kind object.HookKind) (err error) {
	if s.obj.Speaks(kind) {
		err = s.keepMeanwhile(func() error { return s.programs.Run(kind) })
	} else {
		err = s.programs.Run(kind)
	}
	s.reader.Drain(s.records.keep)
	return err
}

// keepMeanwhile keeps what comes from the ring buffer while run runs.
func (s *Session) keepMeanwhile(run func() error) error {
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
		s.reader.Drain(s.records.keep)
		_, failed = s.reader.Wait(events.Never)
	}
	ran.Wait()
	return errors.Join(err, failed)
}

// meanwhile calls read again and again while f runs, which may take long: detaching
// takes the kernel seconds, an iterator may have much to say.
func meanwhile(f, read func()) {
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

// drain handles what is in the ring buffer now.
func (s *Session) drain() {
	if s.records.kept.isFull() {
		return
	}
	if s.reader.Drain(s.records.handle) > 0 {
		s.lost.news = true
	}
}

func (s *Session) drainAndFlush() {
	s.drain()
	s.opts.Sink.Flush() // an error is told at the end, too
}
