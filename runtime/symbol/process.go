package symbol

import (
	"cmp"
	"slices"
	"sort"
	"sync"
	"syscall"
	"time"

	"fst/runtime/debuginfo"
	"fst/runtime/elffile"
)

// Processes names addresses of processes by what they have mapped.
type Processes struct {
	proc procFS

	mu    sync.Mutex
	known map[int]*process
	// shared are the files behind mappings.
	shared map[backing]*backing
	// watcher tells of processes as they start, nil if nothing does.
	watcher *Watcher
	// probed are the places in files that probes are on.
	probed []place
	files  binaries
	// demangler is that of all files.
	demangler demangler
}

// NewProcesses returns the processes of this system. debugDirs are searched for the
// debug information of programs, besides where distributions keep it. mangled leaves
// the names of C++ and Rust functions as the compiler made them.
func NewProcesses(debugDirs []string, mangled bool) *Processes {
	return newProcesses("/proc", debugDirs, mangled)
}

func newProcesses(proc procFS, debugDirs []string, mangled bool) *Processes {
	return &Processes{proc: proc, known: map[int]*process{}, shared: map[backing]*backing{}, files: newBinaries(proc, debugDirs), demangler: demangler{off: mangled}}
}

// UserSymbol returns the function of a process that holds addr, how far into
// it addr is, and the path of the binary. name is "" if it is not known.
func (ps *Processes) UserSymbol(pid int, addr uint64) (name string, offset uint64, module string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, m := ps.find(pid, addr)
	switch {
	case m == nil: // code may be where nothing executable was mapped at first
		name, offset, _ = p.jit.lookup(addr)
		return name, offset, ""
	case m.path == "[vdso]" || m.path == "[vsyscall]":
		if b := ps.files.vdso(); b != nil && m.path == "[vdso]" {
			if name, offset := b.lookup(addr - m.start); name != "" {
				return name, offset, m.path
			}
		}
		return m.path, addr - m.start, m.path
	case m.isFile():
		if b := ps.files.behind(pid, m); b != nil {
			name, offset = b.lookup(m.fileOffset(addr))
			name = ps.demangler.name(name)
		}
	}
	if name == "" {
		if jitted, off, ok := p.jit.lookup(addr); ok {
			name, offset = jitted, off
		}
	}
	return name, offset, m.path
}

// UserSource returns where the code at an address of a process was written, as far
// as the binary's debug information tells: see debuginfo.File.Places.
func (ps *Processes) UserSource(pid int, addr uint64) []debuginfo.Place {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	b, m := ps.file(pid, addr)
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
		b.debug = ps.files.debugInfo(pid, m)
	}
	var places []debuginfo.Place
	if b.debug != nil {
		places = b.debug.Places(at)
		for i := range places {
			places[i].Function = ps.demangler.name(places[i].Function)
		}
	}
	b.places[at] = places
	return places
}

// BuildID returns the id, in hex, of the binary that is mapped at addr, and
// the place of addr in its file.
func (ps *Processes) BuildID(pid int, addr uint64) (id string, offset uint64) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	b, m := ps.file(pid, addr)
	if b == nil || b.buildID == "" {
		return "", 0
	}
	return b.buildID, m.fileOffset(addr)
}

// file returns the ELF file that a process has mapped at addr, and the mapping; nil if
// there is none.
func (ps *Processes) file(pid int, addr uint64) (*binary, *mapping) {
	_, m := ps.find(pid, addr)
	if m == nil || !m.isFile() {
		return nil, nil
	}
	return ps.files.behind(pid, m), m
}

// Probed says that a probe is on a place of a file. An address of a process
// that ended before it could be looked at may be told by that.
func (ps *Processes) Probed(path string, fileOffset uint64) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.probed = append(ps.probed, place{path, fileOffset})
}

// A process's mappings are read again when an address lies in none of them
// (a library was loaded), and now and then (it may have become another
// program), but not more often than this.
const (
	retryAfter = 50 * time.Millisecond
	freshFor   = time.Second
)

// maxProcesses is how many processes are kept. Beyond it, those that ended
// are forgotten, the older half first. Each takes about 2 KB.
const maxProcesses = 8192

type process struct {
	pid      int
	mappings []mapping   // sorted by start
	read     time.Time   // of the last try
	seen     bool        // the mappings were read or told by the kernel, not guessed
	told     uint64      // the time of the kernel's last word
	parent   int         // that it was forked from
	before   [][]mapping // of the programs that it was earlier, the last one behind
	jit      jitMap
	user     int // -1 if unknown
}

// process returns a process's mappings as of about now, or as they last were
// seen; nil if they never were.
func (ps *Processes) process(pid int) *process {
	if ps.watcher != nil {
		ps.watcher.drain()
	}
	p := ps.known[pid]
	if p != nil && time.Since(p.read) < freshFor {
		return p
	}
	if p == nil {
		ps.forget()
		p = &process{pid: pid, user: -1}
		ps.known[pid] = p
	}
	ps.reload(p)
	return p
}

func (ps *Processes) reload(p *process) {
	p.read = time.Now()
	if m := ps.mappings(p.pid); len(m) > 0 {
		p.mappings, p.seen = m, true
		p.user = ps.proc.user(p.pid)
		p.jit.reload(ps.proc.jitPath(p.pid, false), p.user)
		return
	}
	p.jit.reload(ps.proc.jitPath(p.pid, true), p.user)
	if !p.seen && p.parent != 0 {
		// Forked from a process that was there before, it had its mappings.
		if m := ps.mappings(p.parent); len(m) > 0 {
			p.mappings, p.seen = m, true
		}
	}
}

// mappings lists what a process has mapped, in as little memory as it takes.
func (ps *Processes) mappings(pid int) []mapping {
	list := ps.proc.mappings(pid)
	for i := range list {
		ps.share(&list[i])
	}
	return slices.Clone(list)
}

// forget makes room for another process.
func (ps *Processes) forget() {
	if len(ps.known) < maxProcesses {
		return
	}
	var ended []*process
	for pid, p := range ps.known {
		if !ps.proc.isThere(pid) {
			ended = append(ended, p)
		}
	}
	slices.SortFunc(ended, func(a, b *process) int { return cmp.Compare(a.told, b.told) })
	for _, p := range ended[:(len(ended)+1)/2] {
		delete(ps.known, p.pid)
	}
	if len(ps.known) >= maxProcesses {
		clear(ps.known)
	}
}

// find returns the mapping of a process that holds addr, or nil.
func (ps *Processes) find(pid int, addr uint64) (*process, *mapping) {
	p := ps.process(pid)
	m := p.find(addr)
	if m == nil && time.Since(p.read) > retryAfter {
		ps.reload(p)
		m = p.find(addr)
	}
	for i := len(p.before) - 1; i >= 0 && m == nil; i-- {
		m = findMapping(p.before[i], addr)
	}
	if m == nil && !p.seen {
		m = ps.guess(p, addr)
	}
	return p, m
}

// place is a place in a file.
type place struct {
	path   string
	offset uint64
}

// guess finds the mapping of a process that nothing is known of because it
// lived too shortly: an address as far into its page as a probe is into one of
// its file is taken to be that probe's.
func (ps *Processes) guess(p *process, addr uint64) *mapping {
	const page = 4096
	for _, at := range ps.probed {
		if at.offset%page != addr%page {
			continue
		}
		b, err := readBinary(at.path, elffile.Places{Dirs: ps.files.debugDirs})
		if err != nil {
			continue
		}
		var st syscall.Stat_t
		if syscall.Stat(at.path, &st) != nil {
			continue
		}
		for _, s := range b.segments {
			if at.offset < s.offset || at.offset-s.offset >= s.size {
				continue
			}
			start := addr - (at.offset - s.offset)
			m := mapping{start: start, end: start + s.size, offset: s.offset, backing: &backing{inode: st.Ino, path: at.path}, file: b}
			p.mappings = append(p.mappings, m)
			sort.Slice(p.mappings, func(i, j int) bool { return p.mappings[i].start < p.mappings[j].start })
			return p.find(addr)
		}
	}
	return nil
}

func (p *process) find(addr uint64) *mapping { return findMapping(p.mappings, addr) }
