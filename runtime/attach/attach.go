// Package attach loads a script's programs into the kernel and hangs them on
// their hooks, with the cheapest mechanism that serves.
//
// How a hook is reached:
//
//   - kprobes: one perf event of the kprobe PMU for each function, or one
//     kprobe.multi link for all. fentry and fexit: a trampoline, by the BTF id
//     that the compiler found, so that the kernel's BTF is not read here.
//   - tracepoints: a perf event that is never enabled. The program hangs on the
//     tracepoint and runs all the same, but no CPU has an event to feed. The
//     same holds for kprobes and uprobes.
//   - raw tracepoints: BPF_RAW_TRACEPOINT_OPEN, the cheapest to run and the
//     quickest to leave.
//   - raw tracepoints by a kprobe on __traceiter_EVENT, which calls their programs
//     (object.HookTraceiter). The kernel calls a lone program without it, so that two
//     programs that do nothing are there, too.
//   - timers, software and hardware events, watchpoints: enabled perf events,
//     one for each CPU, or for each thread of a process.
//   - BEGIN, END and self are raw tracepoint programs run by BPF_PROG_TEST_RUN.
//
// The order: of several programs on one hook, the one whose clause comes first
// in the script runs first. The kernel calls some hooks in the order of
// attaching and others backwards (see backwards), so there are two passes.
// Return halves of paired probes come before their entry halves, and leave
// after them.
//
// It must not import the compiler beyond object, nor what reads or shows data.
package attach

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"fst/compiler/object"
	"fst/compiler/target/facts"
	"fst/runtime/bpf"

	"golang.org/x/sys/unix"
)

// Mechanism is how a hook was attached, for people to read.
type Mechanism string

// The mechanisms.
const (
	TestRun          Mechanism = "test run"
	PerfKprobe       Mechanism = "kprobe (perf)"
	MultiKprobe      Mechanism = "kprobe.multi"
	Trampoline       Mechanism = "trampoline"
	PerfTracepoint   Mechanism = "tracepoint (perf)"
	RawTracepoint    Mechanism = "raw tracepoint"
	KprobeTraceiter  Mechanism = "kprobe (perf) of the raw tracepoint's caller"
	PerfUprobe       Mechanism = "uprobe (perf)"
	MultiUprobe      Mechanism = "uprobe.multi"
	PerfEventPerCPU  Mechanism = "perf event on each CPU"
	PerfEventOneCPU  Mechanism = "perf event on one CPU"
	PerfEventThreads Mechanism = "perf event on each thread"
	Iterator         Mechanism = "iterator"
	PinnedIterator   Mechanism = "pinned iterator"
	OnSignal         Mechanism = "test run on SIGUSR1"
)

// Attachment is one link: a program on one hook, or on several at once.
type Attachment struct {
	Program   *object.Program
	Hooks     []*object.Hook
	Mechanism Mechanism
	fds       []int
	pin       string // the path of a pinned iterator
	perCPU    *perCPU
}

// Places are the places of the script that the link serves: its hooks, but where
// one hook serves others that the script names.
func (a *Attachment) Places() []*object.Hook {
	if a.Program.Named == nil {
		return a.Hooks
	}
	places := make([]*object.Hook, len(a.Program.Named))
	for i := range places {
		places[i] = &a.Program.Named[i]
	}
	return places
}

// Attachments are all links of a script.
type Attachments struct {
	list []*Attachment
	// Missing are the hooks that could not be attached and were left out, as
	// the script's missing_probes allows.
	Missing []*Error
	// Warnings are about what is attached and will not run as often as it asks for.
	Warnings []string
	// openers are the links that make the kernel call the functions on which
	// HookTraceiter hangs.
	openers []int
	// returns count what kretprobes miss where their links do not.
	returns map[*object.Program]*returnCounter
	// missed is what the links missed that are closed.
	missed map[*object.Program]uint64
}

// Attached are links that are none of the kernel's.
func Attached(list []*Attachment) *Attachments { return &Attachments{list: list} }

// List returns the links in the order of attaching.
func (as *Attachments) List() []*Attachment { return as.list }

// Count is the number of links.
func (as *Attachments) Count() int { return len(as.list) }

// todo is a link that is to be made.
type todo struct {
	program *Program
	fd      int
	hooks   []*object.Hook
	multi   bool
}

// backwards reports whether the kernel calls the programs of one hook in the
// reverse order of attaching: it puts kprobes, uprobes and trampoline programs
// at the front of their lists. (Return probes go to the front of a list that is
// then worked off from its end; but not those of kprobe.multi since 6.14, when
// it moved to the function graph tracer.)
func backwards(k object.HookKind, multi, graph bool) bool {
	switch k {
	case object.HookKprobe, object.HookUprobe, object.HookUretprobe, object.HookFentry, object.HookFexit, object.HookTraceiter:
		return true
	case object.HookKretprobe:
		return multi && graph
	}
	return false
}

// graphFprobes reports whether a kernel is one whose kprobe.multi stands on the
// function graph tracer.
func graphFprobes() bool { return since(6<<16 | 14<<8) }

// CountsSkipped reports whether the running kernel counts the events that it skips, of all kinds of probes.
func CountsSkipped() bool { return since(6<<16 | 7<<8) }

// since reports whether the running kernel has at least a version: major<<16 | minor<<8.
func since(version uint32) bool {
	var u unix.Utsname
	return unix.Uname(&u) == nil && facts.ParseVersion(unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Version[:])) >= version
}

// plan lists the links in the order they are made.
func (ps *Programs) plan(graph bool) []todo {
	var forward, reverse []todo
	for _, p := range ps.list {
		for _, v := range p.loaded {
			for _, t := range p.split(v) {
				if backwards(t.hooks[0].Kind, t.multi, graph) {
					reverse = append(reverse, t)
				} else {
					forward = append(forward, t)
				}
			}
		}
	}
	slices.Reverse(reverse)
	all := append(forward, reverse...)
	// Stable: otherwise the order stays.
	slices.SortStableFunc(all, func(a, b todo) int { return cmp.Compare(a.rank(), b.rank()) })
	return all
}

// rank is larger for what is attached later: the entry halves of pairs, and at
// last intervals, whose time is to begin when everything is in place.
func (t todo) rank() int {
	switch {
	case t.hooks[0].Kind == object.HookInterval:
		return 2
	case t.program.Spec.Entry:
		return 1
	}
	return 0
}

// split makes one link for each hook, but one for all that share a multi link.
func (p *Program) split(v loaded) []todo {
	var out []todo
	if !v.multi {
		for _, h := range v.hooks {
			if !h.Kind.Once() {
				out = append(out, todo{p, v.fd, []*object.Hook{h}, false})
			}
		}
		return out
	}
	// A uprobe.multi link is for one file and process, a link for one kind.
	type group struct {
		kind object.HookKind
		path string
		pid  int
	}
	index := map[group]int{}
	for _, h := range v.hooks {
		g := group{h.Kind, h.Path, h.PID}
		i, ok := index[g]
		if !ok {
			i = len(out)
			index[g] = i
			out = append(out, todo{program: p, fd: v.fd, multi: true})
		}
		out[i].hooks = append(out[i].hooks, h)
	}
	return out
}

// Attach hangs all programs on their hooks, those that are run by hand
// excepted. On an error nothing stays attached or pinned, and the error names the
// probe.
// A failing hook of a kernel function is no error if the script's
// missing_probes is "warn" or "ignore", or if a pattern named it, and another
// one could be attached.
// On old kernels each function takes some hundredths of a second: when ctx is done
// it stays at what is attached by then, and progress is told of each link.
func (ps *Programs) Attach(ctx context.Context, progress func(done, all int)) (*Attachments, error) {
	lenient := isLenient(ps.obj)
	k := &kernel{}
	defer k.close()
	as := &Attachments{Missing: ps.missing}
	plan := ps.plan(graphFprobes())
	for i, t := range plan {
		if ctx.Err() != nil {
			break
		}
		made, missing, err := k.attach(t, lenient)
		as.list = append(as.list, made...)
		as.Missing = append(as.Missing, missing...)
		if err != nil {
			as.openers, as.returns = k.openers, k.returns
			as.Unpin()
			as.Detach()
			return nil, err
		}
		progress(i+1, len(plan))
	}
	as.openers, as.returns, as.Warnings = k.openers, k.returns, k.warnings
	if len(as.list) == 0 && len(as.Missing) > 0 && !ps.runsByHand() {
		as.Detach() // of the openers
		return nil, as.Missing[0]
	}
	return as, nil
}

// runsByHand reports whether the script has something to do without any link.
func (ps *Programs) runsByHand() bool {
	return ps.obj.Has(object.HookBegin) || ps.obj.Has(object.HookAttached) || ps.obj.Has(object.HookEnd) || ps.obj.Has(object.HookSelf)
}

// isLenient reports whether a script lets probes be missing.
func isLenient(obj *object.Object) bool {
	return obj.Config.MissingProbes == "warn" || obj.Config.MissingProbes == "ignore"
}

// attach makes one link, or as many as it takes to leave out hooks that are
// not there.
func (k *kernel) attach(t todo, lenient bool) (made []*Attachment, missing []*Error, err error) {
	a := &Attachment{Program: t.program.Spec, Hooks: t.hooks}
	if t.multi {
		err = k.multi(a, t.fd)
	} else {
		err = k.single(a, t.fd, t.hooks[0])
	}
	if err == nil {
		return []*Attachment{a}, nil, nil
	}
	a.close()
	if len(t.hooks) == 1 {
		e := explainAttach(t.hooks[0], err)
		if (lenient || t.hooks[0].Wild) && e.mayBeMissing() {
			return nil, []*Error{e}, nil
		}
		return nil, nil, e
	}
	if !isMissing(t.hooks[0], err) {
		e := explainAttach(t.hooks[0], err)
		e.More = len(t.hooks) - 1
		return nil, nil, e
	}
	// One of many functions is not attachable: halve, to find and name it.
	half := len(t.hooks) / 2
	for _, hooks := range [][]*object.Hook{t.hooks[:half], t.hooks[half:]} {
		part := t
		part.hooks = hooks
		m, miss, err := k.attach(part, lenient)
		made = append(made, m...)
		missing = append(missing, miss...)
		if err != nil {
			for _, a := range made {
				a.close()
			}
			return nil, nil, err
		}
	}
	return made, missing, nil
}

func (a *Attachment) close() {
	for _, fd := range a.fds {
		unix.Close(fd)
	}
	a.fds = nil
}

// Detach closes all links, entry halves first. Closing a perf event waits for
// the kernel's RCU, so many are closed at a time. It may be called twice.
func (as *Attachments) Detach() {
	if as == nil {
		return
	}
	var entries, rest []int
	as.missed = as.Missed()
	for _, a := range as.list {
		if a.Program.Entry {
			entries = append(entries, a.fds...)
		} else {
			rest = append(rest, a.fds...)
		}
		a.fds = nil
	}
	closeAll(entries)
	closeAll(append(rest, as.openers...))
	for _, c := range as.returns {
		c.close()
	}
	as.openers, as.returns = nil, nil
}

// Unpin removes the names of pinned iterators, which otherwise outlive Detach.
func (as *Attachments) Unpin() {
	for _, a := range as.list {
		if a.pin != "" {
			unix.Unlink(a.pin)
			a.pin = ""
		}
	}
}

// DetachSome closes the links of some programs, entry halves first, and
// returns how many places of the script those had that were no entry halves.
func (as *Attachments) DetachSome(choose func(*object.Program) bool) (hooks int) {
	gone := &Attachments{returns: map[*object.Program]*returnCounter{}}
	as.list = slices.DeleteFunc(as.list, func(a *Attachment) bool {
		if !choose(a.Program) {
			return false
		}
		gone.list = append(gone.list, a)
		if c := as.returns[a.Program]; c != nil {
			gone.returns[a.Program] = c
			delete(as.returns, a.Program)
		}
		if !a.Program.Entry {
			hooks += len(a.Places())
		}
		return true
	})
	gone.missed = as.missed
	gone.Detach()
	as.missed = gone.missed
	return hooks
}

// Missed is how often the kernel passed the functions that programs hang on without
// coming to run them (bpf.LinkMissed, returnCounter), also those that are detached by now.
func (as *Attachments) Missed() map[*object.Program]uint64 {
	if as == nil {
		return nil
	}
	sums := map[*object.Program]uint64{}
	for _, a := range as.list {
		if a.Mechanism != PerfKprobe && a.Mechanism != KprobeTraceiter && a.Mechanism != MultiKprobe {
			continue
		}
		for _, fd := range a.fds {
			// Older kernels have perf events here, which can't be asked.
			if n, err := bpf.LinkMissed(fd); err == nil {
				sums[a.Program] += n
			}
		}
	}
	for p, c := range as.returns {
		// Links of kernels that were given what later ones have may tell it, too.
		sums[p] = max(sums[p], c.read())
	}
	for p, n := range as.missed {
		sums[p] += n
	}
	return sums
}

// Has reports whether a program hangs on anything.
func (as *Attachments) Has(p *object.Program) bool {
	return slices.ContainsFunc(as.list, func(a *Attachment) bool { return a.Program == p })
}

// closeAll closes descriptors, several at a time.
func closeAll(fds []int) {
	if len(fds) <= 1 {
		for _, fd := range fds {
			unix.Close(fd)
		}
		return
	}
	workers := min(len(fds), max(32, 8*runtime.NumCPU()))
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for fd := range next {
				unix.Close(fd)
			}
		})
	}
	for _, fd := range fds {
		next <- fd
	}
	close(next)
	wg.Wait()
}

// HasIterators reports whether there is something to Iterate.
func (as *Attachments) HasIterators() bool {
	return slices.ContainsFunc(as.list, func(a *Attachment) bool { return a.Mechanism == Iterator })
}

// Iterate walks each iterator that is not pinned once, until stop is not 0: the
// programs then end the walk (object.StopMapName). all tells whether they have seen all
// objects.
func (as *Attachments) Iterate(stop *uint64) (all bool, err error) {
	for _, a := range as.list {
		if a.Mechanism != Iterator {
			continue
		}
		all, err := walk(a.fds[0], stop)
		if err != nil {
			return false, explainAttach(a.Hooks[0], err)
		}
		if !all {
			return false, nil
		}
	}
	return true, nil
}

// walk walks the iterator of a link.
func walk(link int, stop *uint64) (all bool, err error) {
	file, err := bpf.Iter(link)
	if err != nil {
		return false, err
	}
	defer unix.Close(file)
	var buf [4096]byte
	for atomic.LoadUint64(stop) == 0 {
		// Again: the kernel goes through so many objects at once and no more.
		n, err := unix.Read(file, buf[:])
		if again := errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN); !again && n <= 0 {
			return err == nil, err
		}
	}
	return false, nil
}
