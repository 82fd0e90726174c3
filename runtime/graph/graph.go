package graph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"fst/compiler/target"
	"fst/lang/diag"
	"fst/runtime/child"
	"fst/runtime/ftrace"
	"fst/runtime/kernel"
	"fst/runtime/session"
)

// Options say which calls a Graph follows and what it shows of them.
type Options struct {
	// Functions are those whose calls are followed: names, patterns with *,
	// and system calls, as syscall:NAME or by their name alone.
	Functions []string
	// PID is the process to follow, with what it starts; 0 for all.
	PID int
	// Child is the process to follow instead. It runs once all is in place.
	Child *child.Child
	// Depth is how many levels of calls are recorded; 0 for all.
	Depth int
	// BufferKB is the size of each CPU's buffer; 0 for one that suits.
	BufferKB int

	// Slower leaves out trees whose outermost call took less.
	Slower time.Duration
	// Longer leaves out inner calls that took less.
	Longer time.Duration
	// Layers shows the calls of these layers only, see LayerNames, and what
	// is between them not; Hide leaves out these with all that they call. Both
	// may also name modules, and functions by a pattern.
	Layers, Hide []string
	// Interrupts shows what is called within interrupts.
	Interrupts bool
	// Repeats shows equal calls in a row one by one.
	Repeats bool

	// Kernel is the running kernel. It must be set (fst.Kernel.Graph does so).
	Kernel *kernel.System
}

// Graph follows the calls inside functions of the kernel with its
// function_graph tracer. Its methods belong to one goroutine; those that tell of a run
// are for when Run has begun.
type Graph struct {
	options Options
	kernel  *kernel.System
	symbols *kernel.Symbols
	tracefs string
	names   map[string]bool
	view    View
	symbol  map[uint64]kernelName
	params  map[kernelName]*target.Func

	tracer  *ftrace.Tracer
	process int // a descriptor of the process to follow, while it is
	builder Builder
	done    []*Call
	faster  int
	probes  *witness // nil if there are none, because of noProbes

	noProbes error
}

type kernelName struct{ name, module string }

// New checks the options. It changes nothing yet.
func New(o Options) (*Graph, error) {
	g := &Graph{options: o, kernel: o.Kernel, names: map[string]bool{}, symbol: map[uint64]kernelName{}, params: map[kernelName]*target.Func{}}
	var err error
	if g.tracefs, _, err = g.kernel.TraceFS(); err != nil {
		return nil, err
	}
	if err := ftrace.Check(g.tracefs); err != nil {
		return nil, err
	}
	if _, _, nested := g.kernel.PIDNamespace(); nested && (o.PID != 0 || o.Child != nil) {
		return nil, errors.New("one process cannot be followed from within a container: the tracer knows the numbers that processes have outside")
	}
	if len(o.Functions) == 0 {
		return nil, errors.New("no function to follow")
	}
	for _, word := range o.Functions {
		names, err := g.find(word)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			g.names[n] = true
		}
	}
	g.view = View{Longer: o.Longer, Interrupts: o.Interrupts, Repeats: o.Repeats}
	if g.view.Only, err = g.layers(o.Layers); err != nil {
		return nil, err
	}
	if g.view.Hide, err = g.layers(o.Hide); err != nil {
		return nil, err
	}
	if g.symbols, err = g.kernel.KernelSymbols(false); err != nil {
		return nil, err
	}
	return g, nil
}

// find returns the functions that a word means.
func (g *Graph) find(word string) ([]string, error) {
	call, isSyscall := strings.CutPrefix(word, "syscall:")
	if !isSyscall {
		found, err := g.kernel.Traceable("", word)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
		}
		if names != nil {
			return names, nil
		}
		if target.IsWild(word) {
			return nil, fmt.Errorf("no function of the kernel that can be traced matches %s", word)
		}
	}
	var names []string
	for _, name := range g.kernel.Syscalls(call) {
		name, ok := g.syscall(name)
		if ok {
			names = append(names, name)
		}
	}
	if names != nil {
		return names, nil
	}
	if isSyscall {
		return nil, fmt.Errorf("the kernel has no system call %s%s", call, nearest(diag.Nearest(call, g.kernel.Syscalls("*"))))
	}
	if _, known := g.kernel.Symbol(word); known {
		return nil, fmt.Errorf("the kernel has a function %s, but does not let it be traced%s", word, nearest(g.copyOf(word)))
	}
	return nil, fmt.Errorf("the kernel has no function and no system call %s%s", word, nearest(g.near(word)))
}

// syscallPrefix is how the names of the functions begin that make system calls.
var syscallPrefix = map[string]string{"amd64": "__x64_sys_", "arm64": "__arm64_sys_"}

// syscall returns the function that makes a system call.
func (g *Graph) syscall(name string) (string, bool) {
	name = syscallPrefix[runtime.GOARCH] + name
	found, err := g.kernel.Traceable("", name)
	return name, err == nil && len(found) > 0
}

// copyOf names a copy of a function that the compiler made and that can be
// traced, or "".
func (g *Graph) copyOf(word string) string {
	for _, kind := range []string{".isra", ".constprop", ".part"} {
		for n := range 10 {
			name := word + kind + "." + strconv.Itoa(n)
			if found, err := g.kernel.Traceable("", name); err == nil && len(found) > 0 && !found[0].Unsure {
				return name
			}
		}
	}
	return ""
}

// near names the function or system call that a misspelt word most likely
// means.
func (g *Graph) near(word string) string {
	names := g.kernel.Syscalls("*")
	if found, err := g.kernel.Traceable("", "*"); err == nil {
		for _, f := range found {
			names = append(names, f.Name)
		}
	}
	return diag.Nearest(word, names)
}

func nearest(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// layers reads names of layers. A name that is none must be that of some
// functions.
func (g *Graph) layers(words []string) (Layers, error) {
	chosen, others := ParseLayers(words)
	for _, word := range others {
		pattern := word
		if !target.IsWild(word) {
			pattern = word + "*"
		}
		found, err := g.kernel.Traceable("", pattern)
		if err == nil && len(found) == 0 && !target.IsWild(word) {
			found, err = g.kernel.Traceable(word, "*")
		}
		if err == nil && len(found) == 0 {
			names, _ := LayerNames()
			return nil, fmt.Errorf("no layer, module or function is named %s%s (layers are %s)", word, nearest(diag.Nearest(word, names)),
				strings.Join(names, ", "))
		}
	}
	return chosen, nil
}

// Functions are the names of the functions that are followed, sorted.
func (g *Graph) Functions() []string {
	var names []string
	for n := range g.names {
		names = append(names, n)
	}
	return sortedUnique(names)
}

// bufferKB is a size for the buffer of each CPU: 64 MB for all, but from 1 to
// 4 MB for each.
func (g *Graph) bufferKB() int {
	if g.options.BufferKB > 0 {
		return g.options.BufferKB
	}
	return min(max(64<<10/max(g.kernel.CPUs(), 1), 1<<10), 4<<10)
}

// Run records until ctx is done, the process to follow ends, or show returns
// false, and calls show with each tree as its outermost call returns; at the
// end also with those of calls that have not. Whatever it changed of the
// kernel's tracer is as it was when it returns, and also if this process ends
// while it runs. started is called once it records.
func (g *Graph) Run(ctx context.Context, started func(), show func(*Call) bool) (err error) {
	o := g.options
	options := ftrace.Options{Functions: g.Functions(), Depth: o.Depth, BufferKB: g.bufferKB()}
	switch {
	case o.Child != nil:
		options.Threads = []int{o.Child.PID}
	case o.PID != 0:
		if g.process, err = session.OpenProcess(o.PID); err != nil {
			return err
		}
		defer unix.Close(g.process)
		options.Threads = ftrace.Threads(o.PID)
	}
	if g.probes, g.noProbes = g.witness(ctx, options.Threads); g.probes != nil {
		defer g.probes.close()
	}
	if ctx.Err() != nil {
		return nil // to switch the tracer on and off again may take seconds
	}
	g.tracer, err = ftrace.Start(g.tracefs, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.tracer.Close()) }()
	g.builder = Builder{Roots: func(addr uint64) bool { return g.names[g.name(addr).name] }, Emit: func(c *Call) { g.done = append(g.done, c) }}
	started()
	if o.Child != nil {
		if err := o.Child.Release(); err != nil {
			return err
		}
	}
	const pause = 20 * time.Millisecond
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		last := g.ended(ctx)
		if !last {
			select {
			case <-ctx.Done():
				last = true
			case <-ticker.C:
			}
		}
		read := g.tracer.Read
		if last {
			read = g.tracer.Stop
		}
		events, err := read()
		for _, e := range events {
			g.builder.Add(e)
		}
		if last {
			g.builder.Finish()
			if g.probes != nil {
				g.probes.close()
			}
		}
		if !g.show(show, last) || last || err != nil {
			return err
		}
	}
}

// ended reports whether there is nothing more to follow.
func (g *Graph) ended(ctx context.Context) bool {
	switch {
	case ctx.Err() != nil:
		return true
	case g.options.Child != nil:
		return g.options.Child.Ended()
	case g.options.PID != 0:
		return hasEnded(g.process)
	}
	return false
}

// hasEnded reports whether a process has ended, by its descriptor: its id stays until
// its parent has asked how it ended, and may then be another's.
func hasEnded(process int) bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}, 0)
	return n > 0
}

// show shows the trees that are complete, but for those whose arguments may
// still come; the last time all. It returns false if no more are wanted.
func (g *Graph) show(show func(*Call) bool, last bool) bool {
	now := bootNow()
	for len(g.done) > 0 {
		c := g.done[0]
		if c.Took < g.options.Slower {
			g.done = g.done[1:]
			g.faster++
			continue
		}
		n := g.name(c.rec.addr)
		c.Name, c.Module = n.name, n.module
		if g.probes != nil && !g.probes.describe(c, now) && !last {
			return true
		}
		g.done = g.done[1:]
		c.Comm = g.comm(c.TID)
		c.All(func(c *Call) {
			if c.Kind == Function {
				n := g.name(c.rec.addr)
				c.Name, c.Module = n.name, n.module
			}
		})
		c = g.view.Apply(c)
		c.All(g.describe)
		if !show(c) {
			return false
		}
	}
	if g.probes != nil {
		g.probes.forget(now - min(now, uint64(10*time.Second)))
	}
	return true
}

// bootNow is how long the system has been running, in nanoseconds.
func bootNow() uint64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return uint64(t.Nano())
}

// comm is the name of a thread.
func (g *Graph) comm(tid int) string {
	if tid == 0 {
		return "swapper"
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", tid)); err == nil {
		return strings.TrimSuffix(string(text), "\n")
	}
	if name := g.builder.Comm(tid); name != "" {
		return name
	}
	text, _ := os.ReadFile(filepath.Join(g.tracefs, "saved_cmdlines"))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, strconv.Itoa(tid)+" "); ok {
			return strings.TrimSuffix(rest, "\n")
		}
	}
	return ""
}

// name is that of the function at an address.
func (g *Graph) name(addr uint64) kernelName {
	n, ok := g.symbol[addr]
	if !ok {
		n.name, _, n.module, ok = g.symbols.Lookup(addr)
		if !ok {
			n.name = "0x" + strconv.FormatUint(addr, 16)
		}
		g.symbol[addr] = n
	}
	return n
}

// How says with which mechanism a running Graph records, in lines of text.
func (g *Graph) How() string {
	text := "in the kernel's only trace buffer"
	if g.tracer.Own {
		text = "in an instance of its own"
	}
	text = fmt.Sprintf("The function_graph tracer runs %s, with %d KB for each CPU.\n", text, g.bufferKB())
	if g.probes == nil {
		return text + fmt.Sprintf("Arguments are not told by probes: %v\n", g.noProbes)
	}
	var probes []string
	for p := range g.probes.functions {
		probes = append(probes, p)
	}
	return text + "Arguments are read by " + strings.Join(sortedUnique(probes), ", ") + ".\n"
}

// Faster is how many calls took less than Options.Slower.
func (g *Graph) Faster() int { return g.faster }

// Lost is how many records the kernel dropped because its buffer was full;
// more is true if it did not always say how many.
func (g *Graph) Lost() (records uint64, more bool) {
	return g.builder.Lost, g.builder.LostUnknown > 0
}

func sortedUnique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
