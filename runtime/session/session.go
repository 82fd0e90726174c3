// Package session runs a compiled script: it loads it into the kernel, runs
// BEGIN, attaches the rest, hands what comes back to a sink in order, and
// leaves nothing behind on any way out but, until Close, its maps.
//
// It owns every descriptor. It decodes nothing but what steers it (exit, print,
// clear and zero); how things look is the sink's business. It must not import
// the packages that render.
package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/bpf"
	"fst/runtime/event"
	"fst/runtime/events"
	"fst/runtime/maps"

	"golang.org/x/sys/unix"
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
	Child *Child
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

	// stop is object.StopMapName's word, which programs read.
	stop *uint64
	// ending is set while END speaks.
	ending atomic.Bool

	// record is the event of a record: there is one at a time.
	record event.Record

	exited bool // an exit message was seen: what follows is discarded
	// stopped reports whether the session was ended from outside, until END speaks:
	// commands that still wait are then not run but counted.
	stopped  func() bool
	notRun   int
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
	s := &Session{obj: obj, opts: opts, statsFD: -1, pidFD: -1, drained: map[int]*maps.Snapshot{}, stop: new(uint64)}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if opts.PID != 0 {
		if s.pidFD, err = OpenProcess(opts.PID); err != nil {
			return nil, err
		}
	}
	bpf.RaiseMemlock()
	if s.maps, err = maps.Create(obj); err != nil {
		return nil, permission(err)
	}
	runtime.AddCleanup(s, (*maps.Set).Close, s.maps)
	if err = s.writeStart(); err != nil {
		return nil, err
	}
	for _, m := range obj.Maps {
		if m.Name == object.StopMapName {
			s.stop = s.maps.Map(m.ID).Word(0)
		}
	}
	if opts.Stats || opts.Trials != nil || obj.Config.MaxOverhead > 0 {
		if s.statsFD, err = bpf.EnableStats(); err != nil {
			opts.Sink.Event(&event.Warning{Text: "the kernel does not account the time of programs: " + err.Error()})
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

// writeStart gives the maps what programs find there from the beginning: tables,
// and the session's clocks (object.StartMapName).
func (s *Session) writeStart() error {
	for _, m := range s.obj.Maps {
		if m.Initial != nil && !m.Unused {
			if err := bpf.Update(s.maps.FD(m.ID), make([]byte, 4), m.Initial); err != nil {
				return err
			}
		}
		if m.Name != object.StartMapName {
			continue
		}
		var boot, tai unix.Timespec
		if err := errors.Join(unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot), unix.ClockGettime(unix.CLOCK_TAI, &tai)); err != nil {
			return err
		}
		val := binary.NativeEndian.AppendUint64(nil, uint64(boot.Nano()))
		val = binary.NativeEndian.AppendUint64(val, uint64(tai.Nano()-boot.Nano()))
		if err := bpf.Update(s.maps.FD(m.ID), make([]byte, 4), val); err != nil {
			return err
		}
	}
	return nil
}

// permission makes one sentence of a map that could not be created for lack of
// rights: it is the first thing that a session asks of the kernel.
func permission(err error) error {
	if errors.Is(err, unix.EPERM) {
		if _, _, counts := bpf.MemoryLimit(); counts {
			return err
		}
		if os.Geteuid() != 0 {
			return attach.ErrPermission
		}
		return errors.Join(attach.ErrPermission, err)
	}
	return err
}

// OpenProcess returns a descriptor of a process, which can be read from when that has
// ended. The error wraps ESRCH if there is none.
func OpenProcess(pid int) (fd int, err error) {
	fd, err = unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		err = noProcess(pid)
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // newer kernels say the second
		err = fmt.Errorf("%d is a thread, not a process", pid)
	case err != nil:
		err = fmt.Errorf("process %d can't be watched: %w", pid, err)
	default:
		// It is readable once all threads have ended, though the parent has not asked for it yet.
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); n > 0 {
			unix.Close(fd)
			return -1, fmt.Errorf("process %d has ended: it is a zombie", pid)
		}
	}
	return fd, err
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
