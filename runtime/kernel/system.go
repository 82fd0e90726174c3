// Package kernel answers the compiler's questions (target.Target) from the
// running system: BTF, tracefs, kallsyms, ELF files and probes of what the
// kernel's BPF can do. Everything is looked up when it is first asked for.
package kernel

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/runtime/cpus"
)

// Options changes where a System looks. The zero value is the running kernel.
type Options struct {
	// BTF is a file to read the kernel's type information from instead of
	// /sys/kernel/btf/vmlinux.
	BTF string
	// TraceFS is a directory to use instead of the mounted tracefs.
	TraceFS string
	// Functions is a file to read the list of functions that can be probed
	// from, instead of tracefs.
	Functions string
	// DebugDirs are searched for separate debug information of programs,
	// besides /usr/lib/debug.
	DebugDirs []string
	// Without are features that the system is said to lack.
	Without []target.Feature
}

// System is the running kernel and machine. It is safe for concurrent use.
type System struct {
	*facts.Kernel
	*Binaries
	src *source

	release  func() string
	version  func() uint32 // major<<16 | minor<<8 | patch
	symbols  symbolTable
	kallsyms kallsyms
	features [64]struct {
		once sync.Once
		has  bool
	}
}

var _ target.Live = (*System)(nil)

// Open returns the running system. It reads nothing yet.
func Open(opts Options) *System {
	s := &System{Binaries: &Binaries{elf: elfCache{debugDirs: opts.DebugDirs}}, src: newSource(opts)}
	s.Kernel = facts.New(s.src, runtime.GOARCH)
	s.release = sync.OnceValue(func() string { release, _ := uname(); return release })
	s.version = sync.OnceValue(func() uint32 { return facts.ParseVersion(uname()) })
	return s
}

// Release implements target.Target.
func (s *System) Release() string { return s.release() }

// Since implements target.Target.
func (s *System) Since(version uint32) bool { return s.version() >= version }

// Inode implements target.Files.
func (s *System) Inode(path string) (uint64, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	return st.Ino, err
}

// CgroupID implements target.Cgroups: a group's id is its directory's inode.
func (s *System) CgroupID(path string) (id uint64, unified bool, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, false, err
	}
	var in unix.Statfs_t
	err = unix.Statfs(path, &in)
	return st.Ino, err == nil && in.Type == unix.CGROUP2_SUPER_MAGIC && st.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// PIDNamespace implements target.PIDNamespace.
func (s *System) PIDNamespace() (dev, inode uint64, nested bool) {
	const first = 0xeffffffc // PROC_PID_INIT_INO
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &st); err != nil || st.Ino == first {
		return 0, 0, false
	}
	// The file system of namespaces has no device: the kernel's number for it
	// is the minor alone.
	return uint64(unix.Minor(st.Dev)), st.Ino, true
}

// CPUs implements target.Target.
func (s *System) CPUs() int {
	if possible, err := cpus.Possible(); err == nil {
		return slices.Max(possible) + 1
	}
	return runtime.NumCPU()
}

// PIDMax implements target.Target.
func (s *System) PIDMax() int {
	text, err := os.ReadFile("/proc/sys/kernel/pid_max")
	if err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return n
		}
	}
	return 1 << 22
}

// uname returns the kernel's release and version texts.
func uname() (release, version string) {
	read := func(name string) string {
		text, _ := os.ReadFile("/proc/sys/kernel/" + name)
		return strings.TrimSpace(string(text))
	}
	return read("osrelease"), read("version")
}
