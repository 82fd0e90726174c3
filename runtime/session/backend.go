package session

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/bpf"
	"fst/runtime/event"
	"fst/runtime/events"
	"fst/runtime/maps"

	"golang.org/x/sys/unix"
)

// Backend is what a compiled script runs on: the kernel (Kernel), or the interpreter of
// package interpreter.
type Backend struct {
	Programs Programs
	Maps     *maps.Set
	Records  Records
}

// Programs are the programs of a script where they run.
type Programs interface {
	// Attach hangs programs on their hooks, or on some of them if ctx is done meanwhile.
	Attach(ctx context.Context, progress func(done, all int)) (*attach.Attachments, error)
	// Run runs the programs on hooks of a kind that is run by hand, in the order of the script.
	Run(kind object.HookKind) error
	// Trials lists the programs on test or bench hooks, in the order of the script.
	Trials(kind object.HookKind) []attach.Trial
	// Stats tells what each program has cost. Any goroutine may call it.
	Stats(as *attach.Attachments) []attach.Stats
	Close()
}

// Records are what the programs send. Only Wake may be called by another goroutine than the
// one that reads; *events.Reader says what each method does.
type Records interface {
	Drain(f func(record []byte) bool) int
	DrainAll(f func(record []byte) bool, wait time.Duration) int
	Wait(most time.Duration) ([]events.Event, error)
	Watch(fd int, e events.Event) error
	Wake()
	Close() error
}

// close lets all of it go but the maps.
func (b *Backend) close() {
	if b.Programs != nil {
		b.Programs.Close()
	}
	if b.Records != nil {
		b.Records.Close()
	}
}

// Kernel loads a script into the running kernel, which accounts the time of programs if
// stats is set. The maps that are kept are those of a store, if it is not nil; gate is as in maps.Create. Errors are of
// the types attach.VerifierError, attach.LoadError, maps.CreateError and maps.StoreError, or
// wrap attach.ErrPermission.
func Kernel(obj *object.Object, store *maps.Store, gate int, stats bool, warnings event.Sink) (_ *Backend, err error) {
	bpf.RaiseMemlock()
	b := &Backend{}
	if b.Maps, err = maps.Create(obj, store, gate); err != nil {
		return nil, permission(err)
	}
	defer func() {
		if err != nil {
			b.close()
			b.Maps.Close()
		}
	}()
	accounting := -1
	if stats {
		if accounting, err = bpf.EnableStats(); err != nil {
			warn(warnings, "the kernel does not measure the run time of programs: %v", err)
			accounting = -1
		}
	}
	loaded, err := attach.Load(obj, b.Maps)
	if err != nil {
		if accounting >= 0 {
			unix.Close(accounting)
		}
		return nil, err
	}
	b.Programs = &kernelPrograms{Programs: loaded, accounting: accounting}
	var reader *events.Reader
	if obj.Ring >= 0 && obj.Ring < len(obj.Maps) && obj.Maps[obj.Ring].Kind == object.MapRingBuf {
		reader, err = events.NewReader(b.Maps.FD(obj.Ring), maps.RingSize(obj.Maps[obj.Ring]))
	} else {
		reader, err = events.NewIdle()
	}
	if err != nil {
		return nil, err
	}
	b.Records = reader
	return b, nil
}

// kernelPrograms are programs in the kernel, which accounts their time as long as a
// descriptor is open.
type kernelPrograms struct {
	*attach.Programs
	accounting int        // -1: it does not
	mu         sync.Mutex // held by Stats and Close
}

// Stats implements Programs.
func (p *kernelPrograms) Stats(as *attach.Attachments) []attach.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Programs.Stats(as)
}

// Close implements Programs.
func (p *kernelPrograms) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Programs.Close()
	if p.accounting >= 0 {
		unix.Close(p.accounting)
	}
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
