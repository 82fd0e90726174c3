// Package symbol turns addresses and numbers of the running system into
// names: functions of the kernel and of processes, users, control groups,
// system calls.
//
// What it learned of a process is kept after the process ended. It must not
// import eBPF libraries, of the runtime more than what reads files of programs, or
// of the compiler more than its list of system calls.
package symbol

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ianlancetaylor/demangle"
	"golang.org/x/sys/unix"

	"fst/compiler/target/syscalls"
	"fst/runtime/debuginfo"
	"fst/runtime/elffile"
)

// Table finds the kernel's symbol that holds an address.
type Table interface {
	Lookup(addr uint64) (name string, offset uint64, module string, ok bool)
	// Size is how far it is from the beginning of the symbol that holds an address
	// to the next one.
	Size(addr uint64) uint64
	// Stale reports whether an address may be in code that was loaded after the
	// table was read.
	Stale(addr uint64) bool
}

// Resolver answers for the system it runs on. Its methods may be called by
// several goroutines.
type Resolver struct {
	kernel func(fresh bool) (Table, error)
	proc   string // "/proc"

	// Mangled leaves the names of C++ and Rust functions as the compiler made
	// them. It must not be changed once names were asked for.
	Mangled bool
	// DebugDirs are searched for the debug information of programs by UserSource,
	// besides where distributions keep it.
	DebugDirs []string

	mu    sync.Mutex
	table Table
	tried bool      // table was asked for
	fresh time.Time // when it was asked for anew
	boot  time.Time
	procs map[int]*process
	// watcher tells of processes as they start, nil if nothing does.
	watcher *Watcher
	// probed are the places in files that probes are on.
	probed []place
	files  map[fileKey][]*binary // the versions that were met, the last one behind
	inVDSO func() *binary
	users  map[uint32]string
	// demangled has the names of C++ and Rust functions by their symbols.
	demangled map[string]string
	// cgroups are the paths by id, as of cgroupsRead.
	cgroups     map[uint64]string
	cgroupsRead time.Time
}

// New returns a Resolver. kernel is called when the first kernel address is
// looked up, and for a fresh table when code was loaded since; it may be nil.
func New(kernel func(fresh bool) (Table, error)) *Resolver {
	return &Resolver{kernel: kernel, proc: "/proc", procs: map[int]*process{}, files: map[fileKey][]*binary{}, inVDSO: sync.OnceValue(readVDSO)}
}

// KernelSymbol returns the kernel's symbol that holds addr, how far into it
// addr is, and the module it belongs to. name is "" if there is none, or the
// kernel hides its addresses.
func (r *Resolver) KernelSymbol(addr uint64) (name string, offset uint64, module string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tried {
		r.tried = true
		r.ask(false) // of a kernel that others have asked, too
	}
	if r.table != nil && r.table.Stale(addr) && time.Since(r.fresh) > freshFor {
		r.fresh = time.Now()
		r.ask(true)
	}
	if r.table == nil {
		return "", 0, ""
	}
	name, offset, module, ok := r.table.Lookup(addr)
	if !ok {
		return "", 0, ""
	}
	return name, offset, module
}

// KernelSymbolSize returns how large the symbol is that KernelSymbol finds.
func (r *Resolver) KernelSymbolSize(addr uint64) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.table == nil {
		return 0
	}
	return r.table.Size(addr)
}

// ask asks for the table of the kernel's symbols.
func (r *Resolver) ask(fresh bool) {
	if r.kernel == nil {
		return
	}
	if t, err := r.kernel(fresh); err == nil {
		r.table = t
	}
}

// UserSymbol returns the function of a process that holds addr, how far into
// it addr is, and the path of the binary. name is "" if it is not known.
func (r *Resolver) UserSymbol(pid int, addr uint64) (name string, offset uint64, module string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, m := r.find(pid, addr)
	switch {
	case m == nil: // code may be where nothing executable was mapped at first
		name, offset, _ = p.jit.lookup(addr)
		return name, offset, ""
	case m.path == "[vdso]" || m.path == "[vsyscall]":
		if b := r.inVDSO(); b != nil && m.path == "[vdso]" {
			if name, offset := b.lookup(addr - m.start); name != "" {
				return name, offset, m.path
			}
		}
		return m.path, addr - m.start, m.path
	case m.isFile():
		if b := r.binary(p, m); b != nil {
			name, offset = b.lookup(m.fileOffset(addr))
			name = r.source(name)
		}
	}
	if name == "" {
		if jitted, off, ok := p.jit.lookup(addr); ok {
			name, offset = jitted, off
		}
	}
	return name, offset, m.path
}

// source is a function's name as its source has it.
func (r *Resolver) source(name string) string {
	if r.Mangled || !strings.HasPrefix(name, "_") {
		return name
	}
	plain, ok := r.demangled[name]
	if !ok {
		plain = demangle.Filter(name)
		if r.demangled == nil {
			r.demangled = map[string]string{}
		}
		r.demangled[name] = plain
	}
	return plain
}

// UserSource returns where the code at an address of a process was written, as far
// as the binary's debug information tells: see debuginfo.File.Places.
func (r *Resolver) UserSource(pid int, addr uint64) []debuginfo.Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, m := r.find(pid, addr)
	if m == nil || !m.isFile() {
		return nil
	}
	b := r.binary(p, m)
	if b == nil {
		return nil
	}
	at, ok := b.address(m.fileOffset(addr))
	if !ok {
		return nil
	}
	if places, known := b.places[at]; known {
		return places
	}
	if b.places == nil {
		b.places = map[uint64][]debuginfo.Place{}
		b.debug = r.debugInfo(p, m)
	}
	var places []debuginfo.Place
	if b.debug != nil {
		places = b.debug.Places(at)
		for i := range places {
			places[i].Function = r.source(places[i].Function)
		}
	}
	b.places[at] = places
	return places
}

// debugInfo opens the debug information of the file behind a mapping, nil if it
// has none.
func (r *Resolver) debugInfo(p *process, m *mapping) *debuginfo.File {
	paths := r.pathsOf(p.pid, m)
	slices.Reverse(paths) // beside its name may lie the name of its debug information
	for _, path := range append(paths, m.path) {
		places := elffile.Places{Root: fmt.Sprintf("%s/%d/root", r.proc, p.pid), Dirs: r.DebugDirs}
		if path == m.path {
			places.Root = ""
		}
		if f, err := debuginfo.Open(path, places); err == nil {
			return f
		}
	}
	return nil
}

// BuildID returns the id, in hex, of the binary that is mapped at addr, and
// the place of addr in its file.
func (r *Resolver) BuildID(pid int, addr uint64) (id string, offset uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, m := r.find(pid, addr)
	if m == nil || !m.isFile() {
		return "", 0
	}
	b := r.binary(p, m)
	if b == nil || b.buildID == "" {
		return "", 0
	}
	return b.buildID, m.fileOffset(addr)
}

// Probed says that a probe is on a place of a file. An address of a process
// that ended before it could be looked at may be told by that.
func (r *Resolver) Probed(path string, fileOffset uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probed = append(r.probed, place{path, fileOffset})
}

// SyscallName returns the name of a system call of this architecture.
func (r *Resolver) SyscallName(number uint64) string {
	if names := syscalls.Names(runtime.GOARCH); number < uint64(len(names)) {
		return names[number]
	}
	return ""
}

// BootTime is the wall clock's time when the boot clock was 0, as the clocks
// stood at the first call: an event's time has one text, whenever it is shown.
func (r *Resolver) BootTime() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.boot.IsZero() {
		r.boot = time.Unix(0, clock(unix.CLOCK_REALTIME)-clock(unix.CLOCK_BOOTTIME))
	}
	return r.boot
}

// TAIOffset is how far the TAI clock is ahead of the wall clock: the leap
// seconds, or 0 if nothing told the kernel of them.
func (r *Resolver) TAIOffset() time.Duration {
	return time.Duration(clock(unix.CLOCK_TAI) - clock(unix.CLOCK_REALTIME)).Round(time.Second)
}

// clock reads a clock in nanoseconds, 0 if the kernel has not got it.
func clock(id int32) int64 {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0
	}
	return t.Nano()
}
