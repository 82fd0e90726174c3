package symbol

import (
	"bytes"
	"errors"
	"fmt"
	"fst/runtime/clock"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fakeTable knows a function, and one more if it is fresh.
type fakeTable struct{ fresh bool }

func (f fakeTable) Lookup(addr uint64) (string, uint64, string, bool) {
	switch {
	case addr < 0x1000 || f.Stale(addr):
		return "", 0, "", false
	case addr >= 0x8000:
		return "loaded", addr - 0x8000, "late", true
	}
	return "vfs_read", addr - 0x1000, "ext4", true
}

func (f fakeTable) Size(uint64) uint64 { return 0x1000 }

func (f fakeTable) Stale(addr uint64) bool { return addr >= 0x8000 && !f.fresh }

func TestKernelSymbol(t *testing.T) {
	asked := 0
	r := NewKernel(func(fresh bool) (Table, error) { asked++; return fakeTable{fresh}, nil })
	for range 2 {
		if name, off, mod := r.KernelSymbol(0x1005); name != "vfs_read" || off != 5 || mod != "ext4" {
			t.Errorf("got %s+%d [%s]", name, off, mod)
		}
	}
	if asked != 1 {
		t.Errorf("the table was asked for %d times", asked)
	}
	if name, _, _ := r.KernelSymbol(1); name != "" {
		t.Errorf("address 1 is %s", name)
	}
	for range 2 {
		if name, off, mod := r.KernelSymbol(0x8001); name != "loaded" || off != 1 || mod != "late" || asked != 2 {
			t.Errorf("got %s+%d [%s], asked %d times", name, off, mod, asked)
		}
	}
	r.table = fakeTable{}
	if name, _, _ := r.KernelSymbol(0x8001); name != "" || asked != 2 {
		t.Errorf("got %s, asked %d times: at once again", name, asked)
	}
	hidden := NewKernel(func(bool) (Table, error) { return nil, errors.New("hidden") })
	if name, _, _ := hidden.KernelSymbol(0x1005); name != "" {
		t.Errorf("hidden address is %s", name)
	}
}

func TestParseMappings(t *testing.T) {
	const text = `55d0c0a00000-55d0c0a28000 r--p 00000000 fe:01 1835063                    /usr/bin/my prog
7f0000000000-7f0000021000 rw-p 00000000 00:00 0 
7ffc1b5f2000-7ffc1b5f4000 r-xp 00000000 00:00 0                          [vdso]
7f1000000000-7f1000001000 r-xp 00001000 fe:01 12                         /tmp/x\012y (deleted)
`
	got, err := parseMappings(strings.NewReader(text))
	want := []mapping{
		{0x55d0c0a00000, 0x55d0c0a28000, 0, &backing{"fe:01", 1835063, "/usr/bin/my prog"}, false, 0, nil},
		{0x7f0000000000, 0x7f0000021000, 0, &backing{"00:00", 0, ""}, false, 0, nil},
		{0x7ffc1b5f2000, 0x7ffc1b5f4000, 0, &backing{"00:00", 0, "[vdso]"}, true, 0, nil},
		{0x7f1000000000, 0x7f1000001000, 0x1000, &backing{"fe:01", 12, "/tmp/x\ny (deleted)"}, true, 0, nil},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v", err, got)
	}
}

// nameOfTestSelf has the path of the module, which "make module" changes.
func nameOfTestSelf() string {
	return runtime.FuncForPC(reflect.ValueOf(TestSelf).Pointer()).Name()
}

// TestSelf looks up functions of this test by their address.
func TestSelf(t *testing.T) {
	r := NewProcesses(nil, false)
	addr := uint64(reflect.ValueOf(TestSelf).Pointer())
	name, off, module := r.UserSymbol(os.Getpid(), addr+1)
	if name != nameOfTestSelf() || off != 1 {
		t.Errorf("got %s+%d (%s)", name, off, module)
	}
	if exe, _ := os.Executable(); module != exe {
		t.Errorf("module %s, want %s", module, exe)
	}
	if name, _, module := r.UserSymbol(os.Getpid(), 8); name != "" || module != "" {
		t.Errorf("address 8 is %s (%s)", name, module)
	}
	for _, m := range r.known[os.Getpid()].mappings {
		if m.path == "[vdso]" {
			if name, off, _ := r.UserSymbol(os.Getpid(), m.start+9); name != "[vdso]" || off != 9 {
				t.Errorf("vdso: %s+%d", name, off)
			}
		}
	}
}

// TestEndedProcess looks up an address after the process ended.
func TestEndedProcess(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	pid := cmd.Process.Pid
	r := NewProcesses(nil, false)
	var addr uint64
	for range 100 { // until the dynamic linker is done
		r.mu.Lock()
		p := r.process(pid)
		r.reload(p)
		for _, m := range p.mappings {
			if strings.Contains(m.path, "libc") {
				if b := r.files.behind(pid, &m); b != nil && len(b.functions) > 0 {
					for _, f := range b.functions {
						if f.name == "malloc" && addr == 0 {
							seg := b.segments[0]
							for _, s := range b.segments {
								if f.addr >= s.addr && f.addr-s.addr < s.size {
									seg = s
								}
							}
							addr = f.addr - seg.addr + seg.offset - m.offset + m.start
						}
					}
				}
			}
		}
		r.mu.Unlock()
		if addr != 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if addr == 0 {
		t.Skip("no libc to look at")
	}
	r.known[pid].read = time.Time{}
	if name, off, module := r.UserSymbol(pid, addr+4); name != "malloc" || off != 4 {
		t.Errorf("got %s+%d (%s)", name, off, module)
	}
	if name, _, _ := NewProcesses(nil, false).UserSymbol(pid, addr+4); name != "" {
		t.Errorf("a process never seen has a name: %s", name)
	}
}

func TestBuildID(t *testing.T) {
	r := NewProcesses(nil, false)
	pid := os.Getpid()
	addr := uint64(reflect.ValueOf(TestBuildID).Pointer())
	id, off := r.BuildID(pid, addr)
	if runtime.GOOS != "linux" || id == "" {
		t.Skip("the test binary has no GNU build id")
	}
	if off == 0 || len(id) < 16 {
		t.Errorf("id %q at %#x", id, off)
	}
}

func TestJIT(t *testing.T) {
	dir := t.TempDir()
	tmp := filepath.Join(dir, "7", "root", "tmp")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "7", "maps"), "1000-9000 r-xp 00000000 00:00 0 \n")
	write(filepath.Join(dir, "7", "status"), "Name:\tjava\nNSpid:\t7\t3\n")
	write(filepath.Join(tmp, "perf-3.map"), "2000 10 LFoo;::old\n3000 20 LBar;::run two\n2000 18 LFoo;::new\nnonsense\n")
	r := newProcesses(procFS(dir), nil, false)
	for _, c := range []struct {
		addr uint64
		want string
	}{{0x2004, "LFoo;::new+4"}, {0x3000, "LBar;::run two+0"}, {0x3020, "+0"}, {0x1000, "+0"}} {
		name, off, _ := r.UserSymbol(7, c.addr)
		if got := fmt.Sprintf("%s+%d", name, off); got != c.want {
			t.Errorf("%#x: %s, want %s", c.addr, got, c.want)
		}
	}
}

// A runtime's file of another user is not read, nor one behind a link.
func TestJITOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "perf-7.map")
	if err := os.WriteFile(path, []byte("2000 10 name\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	own := os.Geteuid()
	for _, c := range []struct {
		path       string
		owner, pid int // users of the file and of the process
		want       bool
	}{{path, own, own, true}, {path, 0, 1234, true}, {path, 1234, 1234, true}, {path, 1235, 1234, false}, {path, 1235, -1, true}, {link, 1234, 1234, false}} {
		if c.owner != own && os.Chown(path, c.owner, -1) != nil {
			continue // only root gives files away
		}
		j := &jitMap{}
		j.reload(c.path, c.pid)
		if got := len(j.functions) == 1; got != c.want {
			t.Errorf("a file of %d for a process of %d, %s: %t", c.owner, c.pid, c.path, got)
		}
		os.Chown(path, own, -1)
	}
}

// FuzzJIT reads whatever a runtime may write.
func FuzzJIT(f *testing.F) {
	f.Add("2000 10 LFoo;::old\n3000 20 LBar;::run two\nnonsense\n", uint64(0x2004))
	f.Add("ffffffffffffffff ffffffffffffffff x\n0 0 \n", uint64(1)<<63)
	f.Fuzz(func(t *testing.T, text string, addr uint64) {
		j := &jitMap{functions: parseJIT(strings.NewReader(text))}
		if name, offset, ok := j.lookup(addr); ok && addr-offset > addr {
			t.Errorf("%q+%d", name, offset)
		}
	})
}

// A runtime's file is looked at also if the process has ended, and for code that was
// not executable when the kernel told of it.
func TestJITEnded(t *testing.T) {
	dir := t.TempDir()
	tmp := filepath.Join(dir, "self", "root", "tmp")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "perf-7.map"), []byte("2000 10 LFoo;::run\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newProcesses(procFS(dir), nil, false)
	if name, off, _ := r.UserSymbol(7, 0x2004); name != "LFoo;::run" || off != 4 {
		t.Errorf("%s+%d", name, off)
	}
}

// A file that is written anew in its place has the old names for the processes that
// ran it before, and the new ones for others.
func TestRewrittenFile(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	old, err := os.ReadFile(exe)
	if err != nil {
		t.Skip(err)
	}
	before := nameOfTestSelf()
	after := strings.Replace(before, "TestSelf", "TestElse", 1)
	anew := bytes.ReplaceAll(old, []byte("symbol.TestSelf"), []byte("symbol.TestElse"))
	addr := uint64(reflect.ValueOf(TestSelf).Pointer())
	self := NewProcesses(nil, false)
	_, own := self.find(os.Getpid(), addr)
	if own == nil {
		t.Fatal("this test is mapped nowhere")
	}

	dir := t.TempDir()
	path := filepath.Join(dir, "prog")
	write := func(path string, text []byte, at int) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o755), os.Chtimes(path, time.Time{}, time.Unix(int64(at), 0))); err != nil {
			t.Fatal(err)
		}
	}
	r := newProcesses(procFS(dir), nil, false)
	live := func(pid int, text []byte) {
		proc := filepath.Join(dir, strconv.Itoa(pid))
		write(filepath.Join(proc, "root", path), text, pid)
		write(filepath.Join(proc, "maps"), fmt.Appendf(nil, "%x-%x r-xp %x 08:01 99 %s\n", own.start, own.end, own.offset, path), pid)
	}
	ended := func(pid int) {
		time.Sleep(20 * time.Millisecond) // files' times are not finer than the kernel's ticks
		r.note(&watchRecord{kind: unix.PERF_RECORD_MMAP2, pid: pid, m: mapping{start: own.start, end: own.end, offset: own.offset,
			backing: &backing{dev: "08:01", inode: 99, path: path}, exec: true, told: uint64(clock.Read(unix.CLOCK_MONOTONIC))}})
		time.Sleep(20 * time.Millisecond)
	}
	want := func(pid int, want string) {
		t.Helper()
		if name, _, _ := r.UserSymbol(pid, addr); name != want {
			t.Errorf("in process %d it is %s, not %s", pid, name, want)
		}
	}
	live(1, old)
	want(1, before)
	live(2, anew)
	want(2, after)
	want(1, before)

	clear(r.files.known)
	write(path, old, 1)
	ended(10)
	ended(11)
	want(10, before)
	write(path, anew, 2)
	ended(12)
	want(12, after)
	want(10, before)
	want(11, before)
	clear(r.files.known)
	r.known[11].mappings[0].file = nil
	want(11, "") // what it ran is there no more
}

func TestNamePreference(t *testing.T) {
	if compareNames("read", "__read") >= 0 || compareNames("__read", "__GI___read") >= 0 {
		t.Error("read comes before __read before __GI___read")
	}
}

func TestUsers(t *testing.T) {
	got := parsePasswd("root:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:\nbad\nmary:x:1000:1000::/home/mary:/bin/sh\n")
	if want := map[uint32]string{0: "root", 1000: "mary"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestHierarchies(t *testing.T) {
	const text = `30 25 0:26 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs ro
31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate
32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
33 30 0:29 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd
34 30 0:27 / /mnt/again rw - cgroup2 cgroup2 rw
`
	want := []hierarchy{{"unified", "/sys/fs/cgroup/unified"}, {"cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct"}, {"systemd", "/sys/fs/cgroup/systemd"}}
	if got := parseHierarchies(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestSyscallNames(t *testing.T) {
	want := map[string]uint64{"amd64": 257, "arm64": 56}[runtime.GOARCH]
	r := new(Kernel)
	if want != 0 && r.SyscallName(want) != "openat" {
		t.Errorf("system call %d is %q", want, r.SyscallName(want))
	}
	if name := r.SyscallName(1 << 40); name != "" {
		t.Errorf("unknown system call is %q", name)
	}
}

// TestVDSO names the functions that the kernel maps into this process.
func TestVDSO(t *testing.T) {
	r := NewProcesses(nil, false)
	var at uint64
	for _, m := range r.proc.mappings(os.Getpid()) {
		if m.path == "[vdso]" {
			at = m.start
		}
	}
	b := r.files.vdso()
	if at == 0 || b == nil {
		t.Skip("no vdso")
	}
	i := slices.IndexFunc(b.functions, func(f function) bool { return f.name == "clock_gettime" })
	if i < 0 {
		t.Skip("its functions have other names")
	}
	if name, off, module := r.UserSymbol(os.Getpid(), at+b.functions[i].addr+1); name != "clock_gettime" || off != 1 || module != "[vdso]" {
		t.Errorf("%s+%d in %s", name, off, module)
	}
}
