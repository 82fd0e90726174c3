// Package interpreter runs compiled scripts in this process: the second Backend of a
// session, which needs no rights and no particular kernel. It runs the programs of begin,
// end, test and bench probes, and of intervals, and stands for a machine with one CPU, on
// which this process runs. What only the kernel knows it refuses by name (Check).
//
// Time does not pass while nothing runs: when a session waits for its next interval, the
// clock is put forward to it.
package interpreter

import (
	"context"
	"errors"
	"fmt"
	stdmaps "maps"
	"math"
	"sync"
	"time"

	"fst/compiler/ir"
	"fst/compiler/ir/interp"
	"fst/compiler/object"
	"fst/lang/source"
	"fst/runtime/attach"
	"fst/runtime/bpf"
	"fst/runtime/maps"
	"fst/runtime/session"
)

// Options are the facts of one run.
type Options struct {
	// MaxSteps ends each run of a program after so many instructions, with the error
	// interp.ErrSteps; 0 does not.
	MaxSteps int
	// Events are run after the begin programs, in their order: tests fire by them what the interpreter does not.
	Events []Event
	// Memory is the memory of the kernel and of processes, nil where there is none.
	Memory func(addr uint64, n int) []byte
	// Helpers are helpers of the kernel that the interpreter does not have, or has in another way.
	Helpers map[int32]interp.Helper
	// Tables are the unwind tables for dw_ustack, by file.
	Tables map[[object.UnwindKeySize]byte][]object.UnwindRow
}

// Event is one run of a program.
type Event struct {
	Program int // in Object.Programs
	Context []byte
}

// New makes a script ready to run. code is the IR of its programs, in their order. What
// Check finds must have been refused before.
func New(obj *object.Object, code []*ir.Program, o Options) (*session.Backend, error) {
	if len(code) != len(obj.Programs) {
		return nil, fmt.Errorf("%d programs, IR of %d", len(obj.Programs), len(code))
	}
	p := &programs{obj: obj, events: o.Events, pending: map[uint64][]byte{}}
	store := &memory{mu: &p.mu, maps: make([]interp.Map, len(obj.Maps)), tables: o.Tables}
	set, err := maps.New(obj, store, nil)
	if err != nil {
		return nil, err
	}
	if p.ring, err = newRing(p); err != nil {
		return nil, err
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = math.MaxInt
	}
	for _, c := range code {
		helpers := p.helpers()
		stdmaps.Copy(helpers, o.Helpers)
		p.list = append(p.list, &program{vm: interp.Machine{Prog: c, Maps: store.maps, Helpers: helpers, MaxSteps: o.MaxSteps, Outside: o.Memory}})
	}
	return &session.Backend{Programs: p, Maps: set, Records: p.ring}, nil
}

// Error is a program that did not run to its end.
type Error struct {
	Span          source.Span // in the script
	Message, Hint string
	Err           error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// programs implements session.Programs.
type programs struct {
	obj  *object.Object
	list []*program
	ring *ring
	// events are what begin is followed by.
	events []Event

	mu      sync.Mutex // held while a program runs, and by who reads or changes its maps
	pending map[uint64][]byte
	timers  []timer
	skipped time.Duration // how far the clock was put forward
}

type program struct {
	vm   interp.Machine
	cost bpf.Info
}

// timer is an interval.
type timer struct {
	program int
	every   time.Duration
	next    time.Duration // since the first was set
}

// contextSize is what a program is given that the kernel is asked to run: zeros.
const contextSize = 64

// run runs a program once.
func (p *programs) run(i int) (int32, error) { return p.runWith(i, make([]byte, contextSize)) }

func (p *programs) runWith(i int, ctx []byte) (int32, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.list[i]
	clear(p.pending)
	start := time.Now()
	v, err := one.vm.Run(ctx)
	one.cost.Runs++
	one.cost.RunTimeNS += uint64(time.Since(start))
	if err == nil && len(p.pending) > 0 {
		err = fmt.Errorf("%d records were reserved and not submitted", len(p.pending))
	}
	if err != nil {
		return 0, p.explain(i, err)
	}
	return int32(v), nil
}

// explain leads an error back to the script.
func (p *programs) explain(i int, err error) error {
	e := &Error{Span: p.obj.Programs[i].Span, Err: err, Message: fmt.Sprintf("the interpreter can't run this: %v", err),
		Hint: "this is a bug in fst: please report it with the script"}
	var at *interp.Error
	if errors.As(err, &at) && at.Instr.Span.IsValid() {
		e.Span = at.Instr.Span
	}
	var foreign *foreignError
	switch {
	case errors.As(err, &foreign):
		e.Message, e.Hint = foreign.Error(), remedy
	case errors.Is(err, interp.ErrTurns):
		e.Message, e.Hint = "this loop has more turns than the kernel's verifier goes through, or does not end", "count them, and break when there are enough"
	case errors.Is(err, interp.ErrSteps):
		e.Message, e.Hint = "this does not end", ""
	}
	return e
}

// each calls f with the programs on hooks of a kind, in the order of the script.
func (p *programs) each(kind object.HookKind, f func(i int, h *object.Hook) error) error {
	for i, prog := range p.obj.Programs {
		for n := range prog.Hooks {
			if h := &prog.Hooks[n]; h.Kind == kind {
				if err := f(i, h); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Attach implements session.Programs: it sets the intervals.
func (p *programs) Attach(context.Context, func(done, all int)) (*attach.Attachments, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var links []*attach.Attachment
	p.each(object.HookInterval, func(i int, h *object.Hook) error {
		every := time.Duration(h.Period)
		if h.Frequency > 0 {
			every = time.Second / time.Duration(h.Frequency)
		}
		p.timers = append(p.timers, timer{i, every, every})
		links = append(links, &attach.Attachment{Program: p.obj.Programs[i], Hooks: []*object.Hook{h}, Mechanism: "interpreter"})
		return nil
	})
	return attach.Attached(links), nil
}

// tick runs the interval whose time comes next; ok is false if there is none.
func (p *programs) tick() (ok bool, err error) {
	p.mu.Lock()
	var first *timer
	for i := range p.timers {
		if t := &p.timers[i]; first == nil || t.next < first.next {
			first = t
		}
	}
	if first == nil {
		p.mu.Unlock()
		return false, nil
	}
	i := first.program
	p.skipped = first.next
	first.next += first.every
	p.mu.Unlock()
	_, err = p.run(i)
	return true, err
}

// Run implements session.Programs.
func (p *programs) Run(kind object.HookKind) error {
	if kind == object.HookEnd {
		p.mu.Lock()
		p.timers = nil
		p.mu.Unlock()
	}
	err := p.each(kind, func(i int, _ *object.Hook) error {
		_, err := p.run(i)
		return err
	})
	for n := 0; err == nil && kind == object.HookBegin && n < len(p.events); n++ {
		_, err = p.runWith(p.events[n].Program, p.events[n].Context)
	}
	return err
}

// Trials implements session.Programs.
func (p *programs) Trials(kind object.HookKind) (list []attach.Trial) {
	p.each(kind, func(i int, h *object.Hook) error {
		list = append(list, attach.Trial{Hook: h, Run: func() (int32, error) { return p.run(i) },
			Cost: func() (bpf.Info, error) { return p.list[i].cost, nil }})
		return nil
	})
	return list
}

// Stats implements session.Programs.
func (p *programs) Stats(*attach.Attachments) (all []attach.Stats) {
	for i, one := range p.list {
		all = append(all, attach.Stats{Program: p.obj.Programs[i], Info: one.cost})
	}
	return all
}

// Close implements session.Programs.
func (p *programs) Close() {}
