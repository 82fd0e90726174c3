package conformance

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/rlimit"
)

// A need is a fact about the machine without which a case cannot work. Whether
// it holds is looked up directly, never asked of fst.
//
//	root               effective user 0
//	tracefs            tracefs can be read
//	btf                the kernel's type information
//	kprobe uprobe      the perf PMU of that name
//	fentry             the kernel accepts trampoline programs
//	module-btf         type information of modules
//	kprobe-multi uprobe-multi
//	scratch            a scratch disk, named by $FST_SCRATCH_DEV
//	vm                 a kernel of the matrix
//	unemulated         no guest: there a program that keeps its CPU can stop all others
//	workload           the workload generator, ../workload
//	cc c++ go          a compiler: gcc, g++, go
//	kernel>=6.1        also <
//	tracepoint:CAT:EV  the event exists
//	function:NAME      the kernel function can be traced
//	symbol:NAME        the kernel tells the address of the symbol
//	program:NAME       in PATH
//	file:PATH          exists
//	config:CONFIG_X    y or m

var plainNeeds = map[string]func(*Machine) bool{
	"root":    func(m *Machine) bool { return os.Geteuid() == 0 },
	"tracefs": func(m *Machine) bool { return m.tracefs() != "" },
	"btf":     func(m *Machine) bool { return exists("/sys/kernel/btf/vmlinux") },
	"kprobe":  func(m *Machine) bool { return exists("/sys/bus/event_source/devices/kprobe") },
	"uprobe":  func(m *Machine) bool { return exists("/sys/bus/event_source/devices/uprobe") },
	"fentry":  func(m *Machine) bool { return m.trampolines() },
	"module-btf": func(m *Machine) bool {
		modules, _ := os.ReadDir("/sys/kernel/btf")
		return len(modules) > 1
	},
	"kprobe-multi": func(m *Machine) bool { return atLeast(m.Release, "5.18") && m.config("CONFIG_FPROBE") },
	"uprobe-multi": func(m *Machine) bool { return atLeast(m.Release, "6.6") },
	"scratch":      func(m *Machine) bool { return os.Getenv("FST_SCRATCH_DEV") != "" },
	"vm":           func(m *Machine) bool { return m.Matrix != "" },
	"unemulated":   func(m *Machine) bool { return m.Matrix == "" },
	"workload":     func(m *Machine) bool { return m.Workload != "" },
	"cc":           func(m *Machine) bool { return inPath("gcc") },
	"c++":          func(m *Machine) bool { return inPath("g++") },
	"go":           func(m *Machine) bool { return inPath("go") },
	"32-bit":       func(m *Machine) bool { return runs32() },
	"watchpoint":   func(m *Machine) bool { return watches() },
}

// promised says since which kernel of the matrix a need must be met there: if
// it is not, the case fails instead of being skipped. Other needs may be
// absent from a kernel of the matrix.
var promised = map[string]string{
	"root": "5.10", "tracefs": "5.10", "btf": "5.10", "kprobe": "5.10", "uprobe": "5.10", "fentry": "5.10",
	"32-bit": "5.10", "watchpoint": "5.10", "scratch": "5.10", "vm": "5.10", "workload": "5.10", "program": "5.10",
	"module-btf": "6.1", "kprobe-multi": "6.12", "uprobe-multi": "6.12",
}

// refusals are what fst may refuse on a kernel of the matrix, and since which
// Linux it must not. A refusal that is not listed is a failure: what fst says of a
// kernel is no proof of it.
var refusals = []struct {
	said  *regexp.Regexp
	since string
	by    string // the kernel's own reason
}{
	{regexp.MustCompile(`ERROR: socket_cookie\(\) needs Linux 5\.12 `), "5.12", "bpf_get_socket_cookie in fentry: c5dbb89fc2ac"},
	{regexp.MustCompile(`ERROR: (len\(\) of a map|for over a map) needs Linux 5\.13 `), "5.13", "bpf_for_each_map_elem: 69c087ba6225"},
}

// refusal is the kernel version that a program which fst refused really needs,
// if this kernel is older.
func (m *Machine) refusal(said string) string {
	for _, r := range refusals {
		if r.said.MatchString(said) && !atLeast(m.Release, r.since) {
			return r.since
		}
	}
	return ""
}

// checkNeed refuses misspelt needs when a file is read.
func checkNeed(need string) error {
	if plainNeeds[need] != nil || strings.HasPrefix(need, "kernel>=") || strings.HasPrefix(need, "kernel<") {
		return nil
	}
	switch kind, rest, _ := strings.Cut(need, ":"); kind {
	case "tracepoint", "function", "symbol", "program", "file", "config":
		if rest != "" {
			return nil
		}
	}
	return fmt.Errorf("no need is named %q", need)
}

// Machine answers needs.
type Machine struct {
	Release string
	// Matrix is the name of the matrix's kernel that this is, or "".
	Matrix string
	// Workload is the path of the workload generator, or "".
	Workload string

	mu     sync.Mutex
	loaded *bool
	text   *string
}

// open is the reason for which a case is known to fail on this machine, or "".
func (m *Machine) open(c *Case) string {
	where := m.Matrix
	if where == "" {
		where = "here"
	}
	if reason := c.Open[where]; reason != "" {
		return reason
	}
	return c.Open["all"]
}

// ThisMachine describes the running kernel; $FST_KERNEL says that it is one of
// the matrix.
func ThisMachine() *Machine {
	var u syscall.Utsname
	syscall.Uname(&u)
	var release []byte
	for _, b := range u.Release {
		if b == 0 {
			break
		}
		release = append(release, byte(b))
	}
	return &Machine{Release: string(release), Matrix: os.Getenv("FST_KERNEL")}
}

// Missing returns "" if all needs are met, else a reason; fatal says that this
// machine was promised to have it, so that the case has failed.
func (m *Machine) Missing(needs []string) (reason string, fatal bool) {
	for _, need := range needs {
		if m.has(need) {
			continue
		}
		kind, _, _ := strings.Cut(need, ":")
		if since, ok := promised[kind]; ok && m.Matrix != "" && atLeast(m.Matrix, since) {
			return fmt.Sprintf("kernel %s should have %s and has not", m.Matrix, need), true
		}
		return "needs " + need, false
	}
	return "", false
}

func (m *Machine) has(need string) bool {
	if f := plainNeeds[need]; f != nil {
		return f(m)
	}
	if version, ok := strings.CutPrefix(need, "kernel>="); ok {
		return atLeast(m.Release, version)
	}
	if version, ok := strings.CutPrefix(need, "kernel<"); ok {
		return !atLeast(m.Release, version)
	}
	kind, rest, _ := strings.Cut(need, ":")
	switch kind {
	case "tracepoint":
		return m.tracefs() != "" && exists(filepath.Join(m.tracefs(), "events", strings.ReplaceAll(rest, ":", "/")))
	case "function":
		list, err := os.ReadFile(filepath.Join(m.tracefs(), "available_filter_functions"))
		return err == nil && (bytes.Contains(list, []byte("\n"+rest+"\n")) || bytes.Contains(list, []byte("\n"+rest+" [")))
	case "symbol":
		list, err := os.ReadFile("/proc/kallsyms")
		return err == nil && bytes.Contains(list, []byte(" "+rest+"\n"))
	case "program":
		return inPath(rest)
	case "file":
		return exists(rest)
	case "config":
		return m.config(rest)
	}
	return false
}

func inPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// tracefs is the mount point, or "". fst mounts it by itself when it is root;
// so does this, once.
func (m *Machine) tracefs() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for try := range 2 {
		for _, dir := range []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"} {
			if exists(filepath.Join(dir, "events")) {
				return dir
			}
		}
		if try == 0 && syscall.Mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, "") != nil {
			return ""
		}
	}
	return ""
}

// trampolines tries whether the kernel takes an empty fentry program: a
// kernel in lockdown has the type information and refuses all the same.
func (m *Machine) trampolines() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded == nil {
		rlimit.RemoveMemlock() // before 5.11; an error shows in the load
		prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{
			Type: ebpf.Tracing, AttachType: ebpf.AttachTraceFEntry, AttachTo: "vfs_read", License: "GPL",
			Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
		})
		ok := err == nil
		if ok {
			prog.Close()
		}
		m.loaded = &ok
	}
	return *m.loaded
}

// config tells whether an option is y or m in the kernel's configuration.
func (m *Machine) config(option string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.text == nil {
		text, err := os.ReadFile("/boot/config-" + m.Release)
		if err != nil {
			text = unzip("/proc/config.gz")
		}
		s := "\n" + string(text)
		m.text = &s
	}
	return strings.Contains(*m.text, "\n"+option+"=y") || strings.Contains(*m.text, "\n"+option+"=m")
}

func unzip(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(z)
	return text
}

// atLeast compares versions by their first two numbers.
func atLeast(release, want string) bool {
	a, b := version(release), version(want)
	return a[0] > b[0] || a[0] == b[0] && a[1] >= b[1]
}

func version(s string) (v [2]int) {
	for i, part := range strings.SplitN(s, ".", 3)[:min(2, strings.Count(s, ".")+1)] {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits >= 0 {
			part = part[:digits]
		}
		v[i], _ = strconv.Atoi(part)
	}
	return v
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
