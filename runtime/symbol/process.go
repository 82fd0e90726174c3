package symbol

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fst/runtime/elffile"
)

// A process's mappings are read again when an address lies in none of them
// (a library was loaded), and now and then (it may have become another
// program), but not more often than this.
const (
	retryAfter = 50 * time.Millisecond
	freshFor   = time.Second
)

// maxProcesses is how many processes are kept. Beyond it, those that ended
// are forgotten, the older half first.
const maxProcesses = 16384

type process struct {
	pid      int
	mappings []mapping   // sorted by start
	read     time.Time   // of the last try
	seen     bool        // the mappings were read or told by the kernel, not guessed
	told     uint64      // the time of the kernel's last word
	parent   int         // that it was forked from
	before   [][]mapping // of the programs that it was earlier, the last one behind
	jit      *jitMap
}

// mapping is a line of /proc/PID/maps.
type mapping struct {
	start, end, offset uint64
	dev                string
	inode              uint64
	path               string
	exec               bool // it holds code
	// told is when the kernel told of it, by the monotonic clock; 0 if it was read.
	told uint64
	file *binary // once it was looked up
}

// isFile reports whether an ELF file may lie behind the mapping.
func (m *mapping) isFile() bool {
	return strings.HasPrefix(m.path, "/") && m.inode != 0 && !strings.HasPrefix(m.path, "/memfd:") && !strings.HasPrefix(m.path, "/dev/")
}

func (m *mapping) fileOffset(addr uint64) uint64 { return addr - m.start + m.offset }

// process returns a process's mappings as of about now, or as they last were
// seen; nil if they never were.
func (r *Resolver) process(pid int) *process {
	if r.watcher != nil {
		r.watcher.drain()
	}
	p := r.procs[pid]
	if p != nil && time.Since(p.read) < freshFor {
		return p
	}
	if p == nil {
		r.forget()
		p = &process{pid: pid, jit: &jitMap{}}
		r.procs[pid] = p
	}
	r.reload(p)
	return p
}

func (r *Resolver) reload(p *process) {
	p.read = time.Now()
	if m := r.readMappings(p.pid); len(m) > 0 {
		p.mappings, p.seen = m, true
		p.jit.reload(jitPath(r.proc, p.pid, false))
		return
	}
	p.jit.reload(jitPath(r.proc, p.pid, true))
	if !p.seen && p.parent != 0 {
		// Forked from a process that was there before, it had its mappings.
		if m := r.readMappings(p.parent); len(m) > 0 {
			p.mappings, p.seen = m, true
		}
	}
}

// readMappings lists what a process has mapped: nothing if it has ended, or
// is about to.
func (r *Resolver) readMappings(pid int) []mapping {
	f, err := os.Open(fmt.Sprintf("%s/%d/maps", r.proc, pid))
	if err != nil {
		return nil
	}
	defer f.Close()
	m, err := parseMappings(f)
	if err != nil {
		return nil
	}
	return m
}

// running lists the processes of the system, or only pid if it is not 0.
func (r *Resolver) running(pid int) []int {
	if pid != 0 {
		return []int{pid}
	}
	var pids []int
	entries, _ := os.ReadDir(r.proc)
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// forget makes room for another process.
func (r *Resolver) forget() {
	if len(r.procs) < maxProcesses {
		return
	}
	var ended []*process
	for pid, p := range r.procs {
		if _, err := os.Stat(fmt.Sprintf("%s/%d", r.proc, pid)); err != nil {
			ended = append(ended, p)
		}
	}
	slices.SortFunc(ended, func(a, b *process) int { return cmp.Compare(a.told, b.told) })
	for _, p := range ended[:(len(ended)+1)/2] {
		delete(r.procs, p.pid)
	}
	if len(r.procs) >= maxProcesses {
		clear(r.procs)
	}
}

// find returns the mapping of a process that holds addr, or nil.
func (r *Resolver) find(pid int, addr uint64) (*process, *mapping) {
	p := r.process(pid)
	m := p.find(addr)
	if m == nil && time.Since(p.read) > retryAfter {
		r.reload(p)
		m = p.find(addr)
	}
	for i := len(p.before) - 1; i >= 0 && m == nil; i-- {
		m = findMapping(p.before[i], addr)
	}
	if m == nil && !p.seen {
		m = r.guess(p, addr)
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
func (r *Resolver) guess(p *process, addr uint64) *mapping {
	const page = 4096
	for _, at := range r.probed {
		if at.offset%page != addr%page {
			continue
		}
		b, err := readBinary(at.path, elffile.Places{Dirs: r.DebugDirs})
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
			m := mapping{start: start, end: start + s.size, offset: s.offset, inode: st.Ino, path: at.path, file: b}
			p.mappings = append(p.mappings, m)
			sort.Slice(p.mappings, func(i, j int) bool { return p.mappings[i].start < p.mappings[j].start })
			return p.find(addr)
		}
	}
	return nil
}

func (p *process) find(addr uint64) *mapping { return findMapping(p.mappings, addr) }

func findMapping(list []mapping, addr uint64) *mapping {
	i := sort.Search(len(list), func(i int) bool { return list[i].end > addr })
	if i < len(list) && list[i].start <= addr {
		return &list[i]
	}
	return nil
}

// parseMappings reads the lines "start-end perms offset dev inode path".
func parseMappings(r io.Reader) ([]mapping, error) {
	var list []mapping
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 16<<10), 1<<20)
	for in.Scan() {
		line := in.Bytes()
		var field [5]string
		for i := range field {
			word, rest, ok := bytes.Cut(bytes.TrimLeft(line, " "), []byte(" "))
			if !ok && i < 4 {
				break
			}
			field[i], line = string(word), rest
		}
		from, to, ok := strings.Cut(field[0], "-")
		if !ok {
			continue
		}
		m := mapping{dev: field[3], exec: strings.Contains(field[1], "x"), path: unescapePath(strings.TrimLeft(string(line), " "))}
		var err [4]error
		m.start, err[0] = strconv.ParseUint(from, 16, 64)
		m.end, err[1] = strconv.ParseUint(to, 16, 64)
		m.offset, err[2] = strconv.ParseUint(field[2], 16, 64)
		m.inode, err[3] = strconv.ParseUint(field[4], 10, 64)
		if err == [4]error{} {
			list = append(list, m)
		}
	}
	return list, in.Err()
}

// unescapePath undoes the kernel's \012 for a newline in a path.
func unescapePath(s string) string { return strings.ReplaceAll(s, `\012`, "\n") }
