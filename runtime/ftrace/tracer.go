// Package ftrace drives the kernel's function_graph tracer through tracefs and
// decodes what it records: the calls that functions make, in all tasks or some.
//
// The tracer's settings belong to the whole system. They are read before any is
// changed, and a second process puts them back, however this one ends. Where
// the kernel can (Linux 6.11) the tracer runs in an instance of its own, so that
// the buffer of everybody else stays as it is; a few settings are the system's
// there, too.
//
// It must not import eBPF libraries.
package ftrace

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Options say what to record.
type Options struct {
	// Functions are those whose calls are recorded, with all that they call,
	// by name or by a pattern with *.
	Functions []string
	// Threads are those that are recorded, with the threads and processes that
	// they start; nil for all but this process's own.
	Threads []int
	// Depth is how many levels of calls are recorded; 0 for all.
	Depth int
	// BufferKB is the size of each CPU's buffer.
	BufferKB int
}

// Tracer is a running tracer.
type Tracer struct {
	dir     string // the instance's directory
	lock    int    // held as long as the settings are not those of before
	guard   *guard
	layouts *Layouts
	cpus    []source
	page    []byte
	pending []Event
	// Own is true if the tracer runs in an instance of its own.
	Own bool
}

// source is the buffer of a CPU.
type source struct{ cpu, fd int }

const name = "function_graph"

// Check says what keeps the tracer of a tracefs from being used, or nil.
func Check(tracefs string) error {
	text, err := os.ReadFile(filepath.Join(tracefs, "available_tracers"))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the kernel's tracers cannot be used: %w (root is needed, and no lockdown)", err)
	case errors.Is(err, fs.ErrNotExist), err == nil && !slices.Contains(strings.Fields(string(text)), name):
		return errors.New("this kernel has no function_graph tracer (CONFIG_FUNCTION_GRAPH_TRACER), which records the calls inside a function")
	case err != nil:
		return fmt.Errorf("the kernel's tracers cannot be used: %w", err)
	}
	// Which functions are followed is one setting for all instances.
	dirs, _ := filepath.Glob(filepath.Join(tracefs, "instances", "*"))
	for _, dir := range append(dirs, tracefs) {
		text, _ := os.ReadFile(filepath.Join(dir, "current_tracer"))
		if strings.TrimSpace(string(text)) == name {
			return fmt.Errorf("the kernel's function_graph tracer is in use by somebody else, and there is only one (echo nop > %s/current_tracer would end it)", dir)
		}
	}
	return nil
}

// checkTop says what keeps the tracefs's only buffer from being used.
func checkTop(top string) error {
	text, _ := os.ReadFile(filepath.Join(top, "current_tracer"))
	if tracer := strings.TrimSpace(string(text)); tracer != "nop" {
		return fmt.Errorf("the kernel's tracer is in use by somebody else (%s), and there is only one (echo nop > %s/current_tracer would end it)", tracer, top)
	}
	text, _ = os.ReadFile(filepath.Join(top, "set_event"))
	events := strings.Fields(string(text))
	// The kernel itself switches this one on, for good, when it loads a BPF
	// program that may print (bpf_trace_printk): it is no sign of a user.
	events = slices.DeleteFunc(events, func(e string) bool { return e == "bpf_trace:bpf_trace_printk" })
	if len(events) > 0 {
		return fmt.Errorf("the kernel's trace buffer is in use by somebody else for the event %s (echo > %s/set_event would end it)", events[0], top)
	}
	stats, _ := filepath.Glob(filepath.Join(top, "per_cpu", "cpu*", "stats"))
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), "entries:")
		if n := strings.Fields(rest); len(n) > 0 && n[0] != "0" {
			return fmt.Errorf("the kernel's trace buffer holds records of somebody else, which would be lost (echo > %s/trace would empty it)", top)
		}
	}
	return nil
}

// Start begins to record. The error says who else uses the tracer, or what the
// kernel lacks; nothing is changed then.
func Start(tracefs string, o Options) (*Tracer, error) {
	if err := Check(tracefs); err != nil {
		return nil, err
	}
	if text, _ := os.ReadFile("/proc/sys/kernel/ftrace_enabled"); strings.TrimSpace(string(text)) == "0" {
		return nil, errors.New("the kernel's function tracers are switched off (sysctl kernel.ftrace_enabled=1 would switch them on)")
	}
	lock, err := takeLock(tracefs)
	if err != nil {
		return nil, err
	}
	t := &Tracer{lock: lock, Own: true, dir: filepath.Join(tracefs, "instances", "fst-"+strconv.Itoa(os.Getpid()))}
	err = t.startOwn(tracefs, o)
	if errors.Is(err, errNoInstance) {
		t.dir, t.Own = tracefs, false
		if err = checkTop(tracefs); err == nil {
			err = t.start(tracefs, o, []step{{path: filepath.Join(tracefs, "trace"), truncate: true}})
		}
	}
	if err != nil {
		err = errors.Join(err, t.Close())
		return nil, err
	}
	return t, nil
}

// takeLock keeps other fsts from the tracer until the descriptor is closed, here
// and in the guard.
func takeLock(tracefs string) (int, error) {
	lock, err := unix.Open(tracefs, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: tracefs, Err: err}
	}
	if err := unix.Flock(lock, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		unix.Close(lock)
		return -1, errors.New("the kernel's function_graph tracer is in use by another fst, and there is only one")
	}
	return lock, nil
}

// errNoInstance tells that the tracer does not run in instances.
var errNoInstance = errors.New("no instances of function_graph")

// startOwn starts in an instance of its own.
func (t *Tracer) startOwn(tracefs string, o Options) error {
	last := []step{{path: t.dir, remove: true}}
	// The instance must go, too, if this process ends right here.
	g, err := startGuard(last, t.lock)
	if err != nil {
		return err
	}
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return errors.Join(errNoInstance, g.restore())
	}
	// Its list has the tracers that run in instances. Trying instead would mark
	// the buffer of all others as grown to its full size, which it is not.
	text, err := os.ReadFile(filepath.Join(t.dir, "available_tracers"))
	if err != nil || !slices.Contains(strings.Fields(string(text)), name) {
		return errors.Join(errNoInstance, g.restore())
	}
	err = t.start(tracefs, o, last)
	if t.guard == nil {
		return errors.Join(err, g.restore())
	}
	// The new guard has this one's steps: it may end without taking them.
	g.dismiss()
	return err
}

// start changes the settings and begins. last are the steps behind those that
// undo the changes.
func (t *Tracer) start(tracefs string, o Options, last []step) error {
	in := func(name string) string { return filepath.Join(t.dir, name) }
	changes := []change{
		{in("trace_clock"), "boot", false},
		{in("buffer_size_kb"), strconv.Itoa(o.BufferKB), false},
		{in("options/overwrite"), "1", true},
		{in("options/function-fork"), "1", false},
		{in("options/event-fork"), "1", true},
		{in("options/funcgraph-irqs"), "1", true},
		{in("options/sleep-time"), "1", true},
		{in("options/funcgraph-args"), "1", true},
		{in("options/funcgraph-retval"), "1", true},
		{in("set_ftrace_filter"), "", true},
		{in("set_ftrace_notrace"), "", true},
		{filepath.Join(tracefs, "tracing_thresh"), "0", true},
		{filepath.Join(tracefs, "max_graph_depth"), strconv.Itoa(o.Depth), false},
		{filepath.Join(tracefs, "set_graph_notrace"), "", true},
		{filepath.Join(tracefs, "set_graph_function"), strings.Join(o.Functions, " "), false},
	}
	for _, kind := range []string{"ftrace", "event"} {
		these, others := ids(o.Threads), ""
		if o.Threads == nil {
			these, others = "", ids(Threads(os.Getpid()))
		}
		changes = append(changes, change{in("set_" + kind + "_pid"), these, false}, change{in("set_" + kind + "_notrace_pid"), others, true})
	}
	begin := []change{
		{in("events/sched/sched_switch/enable"), "1", false},
		{in("current_tracer"), name, false},
	}
	todo, undo, err := plan(append(changes, begin...))
	if err != nil {
		return err
	}
	// Nothing may be recorded while settings change.
	off := step{path: in("tracing_on"), text: "0"}
	steps := slices.Concat([]step{off}, undo, last)
	if !t.Own {
		on, err := os.ReadFile(off.path)
		if err != nil {
			return err
		}
		steps = append(steps, step{path: off.path, text: strings.TrimSpace(string(on))})
	}
	if t.guard, err = startGuard(steps, t.lock); err != nil {
		return err
	}
	if err := off.take(); err != nil {
		return err
	}
	for _, c := range todo {
		if err := c.apply(); err != nil {
			return fmt.Errorf("the kernel's tracer cannot be set up: %w", err)
		}
	}
	if err := t.open(); err != nil {
		return err
	}
	return (step{path: in("tracing_on"), text: "1"}).take()
}

// open opens the buffers.
func (t *Tracer) open() error {
	read := func(path string) (string, error) {
		text, err := os.ReadFile(filepath.Join(t.dir, "events", path))
		return string(text), err
	}
	var err error
	t.layouts, err = NewLayouts(func(category, event string) (string, error) { return read(category + "/" + event + "/format") })
	if err != nil {
		return err
	}
	header, err := read("header_page")
	if err != nil {
		return err
	}
	t.page = make([]byte, pageSize(header))
	dirs, _ := filepath.Glob(filepath.Join(t.dir, "per_cpu", "cpu*"))
	for _, dir := range dirs {
		cpu, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "cpu"))
		if err != nil {
			continue
		}
		path := filepath.Join(dir, "trace_pipe_raw")
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
		t.cpus = append(t.cpus, source{cpu, fd})
	}
	return nil
}

// pageSize is the size of a page of the buffer, from events/header_page.
func pageSize(header string) int {
	for line := range strings.Lines(header) {
		var offset, size int
		if i := strings.Index(line, "data;"); i >= 0 {
			if n, _ := fmt.Sscanf(strings.TrimSpace(line[i+len("data;"):]), "offset:%d; size:%d;", &offset, &size); n == 2 {
				return offset + size
			}
		}
	}
	return os.Getpagesize()
}

// Read returns the events since the last call, in the order of their times.
// Those of the last moment may come with the next call.
func (t *Tracer) Read() ([]Event, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return nil, err
	}
	return t.read(uint64(now.Nano()))
}

// Stop ends the recording and returns the events that were not read yet.
func (t *Tracer) Stop() ([]Event, error) {
	err := (step{path: filepath.Join(t.dir, "tracing_on"), text: "0"}).take()
	var all []Event
	for {
		before := len(all) + len(t.pending)
		events, e := t.read(math.MaxUint64)
		if all, err = append(all, events...), errors.Join(err, e); e != nil || len(all)+len(t.pending) == before {
			return all, err
		}
	}
}

// read returns the events until a time: those behind it may still come to the
// buffer of a CPU that was read before them.
func (t *Tracer) read(until uint64) ([]Event, error) {
	const most = 4096 // pages of a CPU in one go
	for _, c := range t.cpus {
		for n := 0; ; n++ {
			if n == most {
				// Later events of other CPUs have to wait for the rest.
				if last := len(t.pending) - 1; last >= 0 {
					until = min(until, t.pending[last].Time)
				}
				break
			}
			size, err := unix.Read(c.fd, t.page)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if errors.Is(err, unix.EAGAIN) || err == nil && size == 0 {
				break
			}
			if err == nil {
				t.pending, err = t.layouts.Page(t.pending, c.cpu, t.page[:size])
			}
			if err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(t.pending, func(a, b Event) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return 0
	})
	n, _ := slices.BinarySearchFunc(t.pending, until, func(e Event, until uint64) int {
		if e.Time <= until {
			return -1
		}
		return 1
	})
	events := slices.Clone(t.pending[:n])
	t.pending = append(t.pending[:0], t.pending[n:]...)
	return events, nil
}

// Close puts all settings back. It may be called twice.
func (t *Tracer) Close() error {
	for _, c := range t.cpus {
		unix.Close(c.fd)
	}
	t.cpus = nil
	var err error
	if t.guard != nil {
		err = t.guard.restore()
		t.guard = nil
	}
	if t.lock >= 0 {
		unix.Close(t.lock)
		t.lock = -1
	}
	return err
}

// Threads are the threads of a process.
func Threads(pid int) []int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// ids is a list of threads as the tracer reads it.
func ids(threads []int) string {
	var words []string
	for _, t := range threads {
		words = append(words, strconv.Itoa(t))
	}
	return strings.Join(words, " ")
}
