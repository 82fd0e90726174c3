// Package session runs a compiled script: it loads it into the kernel, runs
// BEGIN, attaches the rest, hands what comes back to an Output in order, and
// leaves nothing behind on any way out.
//
// It owns every descriptor. It decodes nothing but what steers it (exit, print,
// clear and zero); how things look is the Output's business. It must not import
// the packages that render.
package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/bpf"
	"fst/runtime/events"
	"fst/runtime/maps"

	"golang.org/x/sys/unix"
)

// Output shows what a session says. All methods are called by the goroutine
// that calls Run, one at a time.
type Output interface {
	// Attached is called once everything is attached; n counts links.
	Attached(n int)
	// Message is a record of the ring buffer: printf, a printed value, time,
	// cat, join, an event and the like. The record is valid during the call.
	Message(m *object.Message, record []byte)
	// Map is print(@m, top, div), and with zeros a map printed at exit.
	Map(m *object.Map, s *maps.Snapshot, top, div int64)
	// Heat is heat(@m).
	Heat(msg *object.Message, m *object.Map, s *maps.Snapshot)
	// Table is table(), with a snapshot of each of m.Table.Maps.
	Table(m *object.Message, snapshots []*maps.Snapshot)
	// Exit comes before the maps printed at exit (also if there are none, but
	// not with print_maps_on_exit=false).
	Exit()
	// Lost says that n things of a clause were lost: while the script runs how
	// many messages found the ring buffer full since the last call, and at the
	// very end, after Exit and the maps, the totals of every kind.
	Lost(what object.Loss, n uint64)
	// Warn is trouble that does not end the session.
	Warn(text string)
	// Remark is something about the session that is no trouble.
	Remark(text string)
	// Flush is called whenever there is nothing to read at the moment.
	Flush() error
}

// Options are the facts of one run.
type Options struct {
	// Output must be set.
	Output Output
	// PID is the process of -p: the session ends when it ends. 0: none.
	PID int
	// Child is the process of -c, or nil: it is let go when everything is
	// attached, and the session ends when it ends.
	Child *Child
	// NoMapsWhenStopped leaves out the maps at the end if Run's context ends the
	// session, not the script.
	NoMapsWhenStopped bool
	// OnAttached is called after Output.Attached, before the child is let go.
	OnAttached func()
	// DryRun ends the session when everything is attached: no code of the
	// script is run for its own sake, and nothing is shown.
	DryRun bool
	// Trials, if set, is told of the script's tests or benchmarks, which are
	// run instead of waiting for events.
	Trials Trials
	// Stats asks the kernel to account the time of programs (see
	// Session.Stats), which costs about 27 ns an event.
	Stats bool
}

// Session is a script in the kernel. Its methods belong to one goroutine,
// except where they say otherwise. When Run has ended, its maps are left, to be
// read until Close.
type Session struct {
	obj      *object.Object
	opts     Options
	maps     *maps.Set
	programs *attach.Programs
	attached *attach.Attachments
	reader   *events.Reader

	statsFD int
	pidFD   int // of the process of -p
	stats   []attach.Stats
	ended   bool       // nothing is left but the maps
	closed  bool       // nor are they
	mapsMu  sync.Mutex // held by Close, by what empties maps, and by what other goroutines may call
	// adding is held by Close too, and shared by AddUnwindTable: a large table
	// must not hold up what is shown.
	adding sync.RWMutex
	// drained is what each map had when a report last began it anew.
	drained map[int]*maps.Snapshot

	// kept are records that came while the one before them was being handled.
	kept     [][]byte
	keptSize int

	exited   bool // an exit message was seen: what follows is discarded
	waited   bool // BEGIN has not ended the session
	exitCode int
	// complained is set by each errorf().
	complained bool
	lost       losses
	budget     budget
	witnesses  witnesses
}

// New loads a script: its maps are created and its programs verified. Nothing
// is attached yet. Errors are of the types attach.VerifierError,
// attach.LoadError and maps.CreateError, or wrap attach.ErrPermission.
func New(obj *object.Object, opts Options) (_ *Session, err error) {
	s := &Session{obj: obj, opts: opts, statsFD: -1, pidFD: -1, drained: map[int]*maps.Snapshot{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if opts.PID != 0 {
		s.pidFD, err = unix.PidfdOpen(opts.PID, 0)
		switch {
		case errors.Is(err, unix.ESRCH):
			return nil, noProcess(opts.PID)
		case errors.Is(err, unix.EINVAL):
			return nil, fmt.Errorf("%d is a thread, not a process", opts.PID)
		case err != nil:
			return nil, fmt.Errorf("process %d can't be watched: %w", opts.PID, err)
		}
	}
	raiseMemlock()
	if s.maps, err = maps.Create(obj); err != nil {
		return nil, permission(err)
	}
	runtime.AddCleanup(s, (*maps.Set).Close, s.maps)
	if err = s.writeStart(); err != nil {
		return nil, err
	}
	if opts.Stats || opts.Trials != nil || obj.Config.MaxOverhead > 0 {
		if s.statsFD, err = bpf.EnableStats(); err != nil {
			opts.Output.Warn("the kernel does not account the time of programs: " + err.Error())
		}
	}
	if s.programs, err = attach.Load(obj, s.maps); err != nil {
		return nil, err
	}
	if obj.Ring >= 0 && obj.Ring < len(obj.Maps) && obj.Maps[obj.Ring].Kind == object.MapRingBuf {
		if s.reader, err = events.NewReader(s.maps.FD(obj.Ring), s.maps.Map(obj.Ring).RingSize()); err != nil {
			return nil, err
		}
	} else if s.reader, err = events.NewIdle(); err != nil {
		return nil, err
	}
	s.lost.init(s.maps, obj)
	s.witnesses.init(s.maps, obj)
	return s, nil
}

// writeStart tells the programs the session's clocks: object.StartMapName.
func (s *Session) writeStart() error {
	for _, m := range s.obj.Maps {
		if m.Name != object.StartMapName {
			continue
		}
		var boot, tai unix.Timespec
		if err := errors.Join(unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot), unix.ClockGettime(unix.CLOCK_TAI, &tai)); err != nil {
			return err
		}
		val := binary.NativeEndian.AppendUint64(nil, uint64(boot.Nano()))
		val = binary.NativeEndian.AppendUint64(val, uint64(tai.Nano()-boot.Nano()))
		return bpf.Update(s.maps.FD(m.ID), make([]byte, 4), val)
	}
	return nil
}

// permission makes one sentence of a map that could not be created for lack of
// rights: it is the first thing that a session asks of the kernel.
func permission(err error) error {
	if errors.Is(err, unix.EPERM) {
		if os.Geteuid() != 0 {
			return attach.ErrPermission
		}
		return errors.Join(attach.ErrPermission, err)
	}
	return err
}

// noProcess is the error for a process that is not there.
type noProcess int

func (pid noProcess) Error() string { return fmt.Sprintf("there is no process %d", int(pid)) }

// Unwrap implements the interface of package errors.
func (noProcess) Unwrap() error { return unix.ESRCH }

// Close detaches and unloads everything. It may be called twice, and after Run from
// any goroutine.
func (s *Session) Close() {
	s.mapsMu.Lock()
	defer s.mapsMu.Unlock()
	s.adding.Lock()
	defer s.adding.Unlock()
	s.end()
	s.closed = true
	if s.maps != nil {
		s.maps.Close()
	}
}

// end detaches and unloads everything but the maps. It may be called twice.
func (s *Session) end() {
	if s.ended {
		return
	}
	s.ended = true
	s.attached.Detach()
	if s.programs != nil {
		s.programs.Close()
	}
	if s.reader != nil {
		s.reader.Close()
	}
	if s.pidFD >= 0 {
		unix.Close(s.pidFD)
		s.pidFD = -1
	}
	if s.statsFD >= 0 {
		unix.Close(s.statsFD)
		s.statsFD = -1
	}
	if s.opts.Child != nil {
		s.opts.Child.Stop()
	}
}

// ReadMap reads a map of the script, by its name with the @, as it is now. It
// may be called from any goroutine. The error is ErrClosed or an ErrNoMap if it is
// not the kernel's.
func (s *Session) ReadMap(name string) (*object.Map, *maps.Snapshot, error) {
	s.mapsMu.Lock()
	defer s.mapsMu.Unlock()
	if s.closed {
		return nil, nil, ErrClosed
	}
	for _, m := range s.obj.Maps {
		if m.Script && m.Name == name {
			snap, err := s.maps.Map(m.ID).Read()
			return m, snap, err
		}
	}
	return nil, nil, fmt.Errorf("%w %s", ErrNoMap, name)
}

var (
	// ErrClosed is returned for a session that was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrNoMap is returned for a map that the script has not.
	ErrNoMap = errors.New("there is no map")
)

// Attachments tells what is attached and how, for -v. It is empty before Run
// attaches.
func (s *Session) Attachments() []*attach.Attachment {
	if s.attached == nil {
		return nil
	}
	return s.attached.List()
}

// Stats tells what each program has cost, after Run or during it. Times need
// Options.Stats.
func (s *Session) Stats() []attach.Stats {
	if s.ended {
		return s.stats
	}
	return s.programs.Stats(s.attached)
}

// Stack reads a recorded stack by its id, from the map for stacks of its kind:
// the addresses, innermost first; nil if the id is unknown. It may be called from
// any goroutine.
func (s *Session) Stack(k object.StackKey, id uint64) ([]uint64, error) {
	m, ok := s.obj.Stacks[k]
	if !ok {
		return nil, nil
	}
	s.mapsMu.Lock()
	defer s.mapsMu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	return s.maps.Map(m).Stack(id)
}

// AddUnwindTable gives the programs the unwind table of a file. It may be called
// from any goroutine.
func (s *Session) AddUnwindTable(id int, key [object.UnwindKeySize]byte, rows []object.UnwindRow) error {
	s.adding.RLock()
	defer s.adding.RUnlock()
	if s.closed {
		return ErrClosed
	}
	return s.maps.Map(id).AddUnwindTable(key, rows)
}

// Events says how many records the ring buffer has carried.
func (s *Session) Events() events.Counts { return s.reader.Counts() }

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

	wakers := &wakers{session: s}
	defer wakers.stop()
	wakers.start(ctx)

	if s.opts.DryRun {
		if s.attached, err = s.programs.Attach(); err != nil {
			return 0, err
		}
		s.attached.Unpin()
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
	if err := s.attach(); err != nil {
		return 0, err
	}
	s.handleKept()
	if s.opts.Trials != nil && !s.exited {
		if err := s.runTrials(); err != nil {
			return 0, err
		}
		return s.finish(ctx.Err() != nil)
	}
	if s.opts.Child != nil && !s.exited && ctx.Err() == nil {
		if err := s.opts.Output.Flush(); err != nil {
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
	return s.finish(ctx.Err() != nil)
}

// attach attaches everything.
func (s *Session) attach() (err error) {
	if s.attached, err = s.programs.Attach(); err != nil {
		return err
	}
	if s.obj.Config.MissingProbes != "ignore" {
		for _, m := range s.attached.Missing {
			s.opts.Output.Warn(m.Error())
		}
	}
	for _, w := range s.attached.Warnings {
		s.opts.Output.Warn(w)
	}
	s.opts.Output.Attached(s.linkCount())
	if s.opts.OnAttached != nil {
		s.opts.OnAttached()
	}
	return nil
}

// linkCount counts what is attached, BEGIN, END and self included.
func (s *Session) linkCount() int {
	n := len(s.Attachments())
	for _, p := range s.obj.Programs {
		for _, h := range p.Hooks {
			if h.Kind == object.HookBegin || h.Kind == object.HookEnd || h.Kind == object.HookSelf {
				n++
			}
		}
	}
	return n
}

// processEnded is the event of the process of -p.
const processEnded = events.Watched

// loop handles messages until something ends the session.
func (s *Session) loop(ctx context.Context, w *wakers) error {
	if s.opts.PID != 0 {
		if err := s.reader.Watch(s.pidFD, processEnded); err != nil {
			return err
		}
	}
	if s.opts.Child != nil {
		w.child(s.opts.Child)
	}
	var err error
	if s.attached.HasIterators() {
		s.meanwhile(func() { err = s.attached.Iterate() }, s.drainAndFlush)
	}
	if err != nil {
		return err
	}
	if s.obj.Config.MaxOverhead > 0 {
		s.budget.start(s.programs.Stats(nil))
		w.every(budgetInterval)
	}
	s.witnesses.start()
	waiting := s.isWaiting()
	ended := false
	for {
		s.drain()
		wait := sooner(s.lost.report(s.opts.Output), s.witnesses.ask(s.opts.Output))
		if s.keepBudget(); len(s.attached.List()) == 0 {
			waiting = s.isWaiting()
		}
		if s.exited || !waiting || ended || ctx.Err() != nil || s.opts.Child.Ended() {
			return nil
		}
		if err := s.opts.Output.Flush(); err != nil {
			return err
		}
		evs, err := s.reader.Wait(wait)
		if err != nil {
			return err
		}
		for _, e := range evs {
			ended = ended || e == processEnded
		}
		if w.signalled() {
			if err := s.programs.Run(object.HookSelf); err != nil {
				s.opts.Output.Warn(err.Error())
			}
		}
	}
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

// finish detaches, lets END speak and prints the maps. stopped says that the
// session was ended from outside.
func (s *Session) finish(stopped bool) (int, error) {
	s.witnesses.askNow(s.opts.Output)
	s.meanwhile(s.attached.Detach, s.drainAndFlush)
	if s.opts.Child != nil {
		s.opts.Child.Stop()
	}
	s.reader.DrainAll(s.handle, lastWrite)
	s.exited = false // END speaks even after exit()
	if err := s.speak(object.HookEnd); err != nil {
		s.opts.Output.Warn(err.Error())
	}
	s.handleKept()
	s.reader.DrainAll(s.handle, lastWrite)
	s.opts.Output.Exit()
	if s.obj.Config.PrintMapsOnExit && !(stopped && s.opts.NoMapsWhenStopped) {
		s.printMaps()
	}
	s.lost.reportAll(s.opts.Output, s.Stats(), s.obj.Reads)
	s.lost.reportStacks(s.opts.Output, s.obj, s.maps)
	if s.waited {
		s.tellSilence()
	}
	return s.exitCode, s.opts.Output.Flush()
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
	s.opts.Output.Flush() // an error is told at the end, too
}
