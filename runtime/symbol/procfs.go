package symbol

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
)

// procFS is the directory where the kernel shows its processes.
type procFS string

// root is the root directory of a process, as a path.
func (fs procFS) root(pid int) string { return fmt.Sprintf("%s/%d/root", fs, pid) }

// isThere reports whether a process has not ended.
func (fs procFS) isThere(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("%s/%d", fs, pid))
	return err == nil
}

// running lists the processes of the system, or only pid if it is not 0.
func (fs procFS) running(pid int) []int {
	if pid != 0 {
		return []int{pid}
	}
	var pids []int
	entries, _ := os.ReadDir(string(fs))
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// mappings lists what a process has mapped: nothing if it has ended, or
// is about to.
func (fs procFS) mappings(pid int) []mapping {
	f, err := os.Open(fmt.Sprintf("%s/%d/maps", fs, pid))
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

// paths are the names under which the file of a mapping may be found. The path
// is the process's own: it may live in a container. A file that was deleted can
// still be had through its mapping.
func (fs procFS) paths(pid int, m *mapping) []string {
	return []string{
		fmt.Sprintf("%s/%d/map_files/%x-%x", fs, pid, m.start, m.end),
		fs.root(pid) + m.path,
	}
}

// jitPath is where a runtime lists the functions that it compiled in a process: the name has the id as the
// process itself sees it, and its place is the process's own /tmp. When the process
// has ended, a file of that name here is the best guess.
func (fs procFS) jitPath(pid int, ended bool) string {
	if ended {
		return fmt.Sprintf("%s/self/root/tmp/perf-%d.map", fs, pid)
	}
	return fmt.Sprintf("%s/%d/root/tmp/perf-%d.map", fs, pid, fs.innerPID(pid))
}

// user is the effective user of a process, -1 if that can't be told.
func (fs procFS) user(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("%s/%d/status", fs, pid))
	for line := range strings.Lines(string(text)) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			if f := strings.Fields(ids); len(f) > 1 {
				if n, err := strconv.Atoi(f[1]); err == nil {
					return n
				}
			}
		}
	}
	return -1
}

// innerPID is a process's id in its own namespace.
func (fs procFS) innerPID(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("%s/%d/status", fs, pid))
	if err != nil {
		return pid
	}
	for line := range strings.Lines(string(text)) {
		if ids, ok := strings.CutPrefix(line, "NSpid:"); ok {
			f := strings.Fields(ids)
			if len(f) > 0 {
				if n, err := strconv.Atoi(f[len(f)-1]); err == nil {
					return n
				}
			}
		}
	}
	return pid
}

// mapping is a line of /proc/PID/maps.
type mapping struct {
	start, end, offset uint64
	*backing
	exec bool // it holds code
	// told is when the kernel told of it, by the monotonic clock; 0 if it was read.
	told uint64
	file *binary // once it was looked up
}

// backing is what lies behind a mapping.
type backing struct {
	dev   string
	inode uint64
	path  string
}

// share has the mapping use the description of its file that other mappings have: thousands
// of processes map the same few files.
func (ps *Processes) share(m *mapping) {
	one := ps.shared[*m.backing]
	if one == nil {
		if len(ps.shared) >= maxShared {
			clear(ps.shared)
		}
		one = m.backing
		ps.shared[*one] = one
	}
	m.backing = one
}

// maxShared is how many descriptions are kept to be shared.
const maxShared = 4096

// isFile reports whether an ELF file may lie behind the mapping.
func (m *mapping) isFile() bool {
	return strings.HasPrefix(m.path, "/") && m.inode != 0 && !strings.HasPrefix(m.path, "/memfd:") && !strings.HasPrefix(m.path, "/dev/")
}

func (m *mapping) fileOffset(addr uint64) uint64 { return addr - m.start + m.offset }

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
		m := mapping{exec: strings.Contains(field[1], "x"), backing: &backing{dev: field[3], path: unescapePath(strings.TrimLeft(string(line), " "))}}
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
