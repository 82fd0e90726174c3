package symbol

import (
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

	proc procFS
	pid  int
	m    mapping
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
	for _, path := range c.proc.paths(c.pid, &c.m) {
		var st unix.Statfs_t
		if err = unix.Statfs(path, &st); err == nil {
			return st.Type == unix.OVERLAYFS_SUPER_MAGIC, nil
		}
	}
	return false, err
}

// Open reads the file: as the process sees it, or through its mapping.
func (c *Code) Open() (f *elffile.File, err error) {
	for _, path := range c.proc.paths(c.pid, &c.m) {
		if f, err = elffile.Open(path); err == nil {
			break
		}
	}
	return f, err
}

// code is the code behind a mapping of a process; ok is false if there is none.
func (fs procFS) code(pid int, m *mapping) (Code, bool) {
	major, minor, ok := strings.Cut(m.dev, ":")
	hi, err := strconv.ParseUint(major, 16, 12)
	lo, err2 := strconv.ParseUint(minor, 16, 20)
	if !ok || err != nil || err2 != nil || !m.exec || !m.isFile() {
		return Code{}, false
	}
	return Code{Inode: m.inode, Dev: uint32(hi<<20 | lo), proc: fs, pid: pid, m: *m}, true
}

// EachCode calls do for every file that a process has code of; for those of all
// processes if pid is 0, each once.
func (ps *Processes) EachCode(pid int, do func(Code)) {
	type file struct {
		dev   uint32
		inode uint64
	}
	seen := map[file]bool{}
	for _, pid := range ps.proc.running(pid) {
		for _, m := range ps.proc.mappings(pid) {
			if c, ok := ps.proc.code(pid, &m); ok && !seen[file{c.Dev, c.Inode}] {
				seen[file{c.Dev, c.Inode}] = true
				do(c)
			}
		}
	}
}
