package symbol

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"fst/runtime/elffile"
)

// Code is a file that code is mapped from.
type Code struct {
	Inode uint64
	// Dev is the device as the kernel has it: major<<20 | minor.
	Dev uint32

	r   *Resolver
	pid int
	m   mapping
}

// Size is how many bytes of code are mapped.
func (c *Code) Size() uint64 { return c.m.end - c.m.start }

// A Mapping is where a process has mapped a file.
type Mapping struct {
	PID        int
	Start, End uint64
}

// Mapping is where the code is mapped in the process that it was found in.
func (c *Code) Mapping() Mapping { return Mapping{c.pid, c.m.start, c.m.end} }

// OnOverlay reports whether the file is one of an overlay file system. The error
// is that of a process that has ended.
func (c *Code) OnOverlay() (is bool, err error) {
	for _, path := range c.r.pathsOf(c.pid, &c.m) {
		var st unix.Statfs_t
		if err = unix.Statfs(path, &st); err == nil {
			return st.Type == unix.OVERLAYFS_SUPER_MAGIC, nil
		}
	}
	return false, err
}

// Open reads the file: as the process sees it, or through its mapping.
func (c *Code) Open() (f *elffile.File, err error) {
	for _, path := range c.r.pathsOf(c.pid, &c.m) {
		if f, err = elffile.Open(path); err == nil {
			break
		}
	}
	return f, err
}

// pathsOf are the names under which the file of a mapping may be found. The path
// is the process's own: it may live in a container. A file that was deleted can
// still be had through its mapping.
func (r *Resolver) pathsOf(pid int, m *mapping) []string {
	return []string{
		fmt.Sprintf("%s/%d/map_files/%x-%x", r.proc, pid, m.start, m.end),
		fmt.Sprintf("%s/%d/root%s", r.proc, pid, m.path),
	}
}

func (r *Resolver) codeOf(pid int, m *mapping) (Code, bool) {
	major, minor, ok := strings.Cut(m.dev, ":")
	hi, err := strconv.ParseUint(major, 16, 12)
	lo, err2 := strconv.ParseUint(minor, 16, 20)
	if !ok || err != nil || err2 != nil || !m.exec || !m.isFile() {
		return Code{}, false
	}
	return Code{Inode: m.inode, Dev: uint32(hi<<20 | lo), r: r, pid: pid, m: *m}, true
}

// EachCode calls do for every file that a process has code of; for those of all
// processes if pid is 0, each once.
func (r *Resolver) EachCode(pid int, do func(Code)) {
	type file struct {
		dev   uint32
		inode uint64
	}
	seen := map[file]bool{}
	for _, pid := range r.running(pid) {
		for _, m := range r.readMappings(pid) {
			if c, ok := r.codeOf(pid, &m); ok && !seen[file{c.Dev, c.Inode}] {
				seen[file{c.Dev, c.Inode}] = true
				do(c)
			}
		}
	}
}
