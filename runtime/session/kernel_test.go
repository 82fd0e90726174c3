package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// function is a function of the kernel that only these tests have called, by
// fallocate.
const function = "vfs_fallocate"

func callFunction(t *testing.T, n int) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range n {
		unix.Fallocate(int(f.Fd()), 0, 0, 4096)
	}
}

// olderThan reports whether the kernel's release is before major.minor.
func olderThan(t *testing.T, major, minor int) bool {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	var a, b int
	fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &a, &b)
	return a < major || a == major && b < minor
}

func functionHook(kind object.HookKind, multi bool) object.Hook {
	return object.Hook{Kind: kind, Name: "test:" + function, Function: function, Multi: multi}
}

// runKernel is run for hooks that not every kernel has: it skips where the
// kernel says so.
func runKernel(t *testing.T, s *script, opts Options, work func()) *log {
	t.Helper()
	l := &log{}
	opts.Sink = l
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	opts.OnAttached = func() {
		if work != nil {
			work()
			cancel()
		}
	}
	ses, err := New(&s.Object, opts)
	if err == nil {
		_, err = ses.Run(ctx)
		ses.Close()
	}
	var load *attach.LoadError
	switch {
	case err == nil:
		return l
	case errors.Is(err, btf.ErrNotFound):
		t.Skip(function, " has no BTF here: ", err)
	case errors.Is(err, attach.ErrPermission), strings.Contains(err.Error(), "no kprobes"), strings.Contains(err.Error(), "no kprobe.multi"),
		errors.As(err, &load) && errors.Is(err, unix.EPERM):
		t.Skip(err)
	}
	var v *attach.VerifierError
	if errors.As(err, &v) {
		t.Log(v.Log)
	}
	t.Fatal(err)
	return nil
}

func TestKernelFunctions(t *testing.T) {
	for name, c := range map[string]struct {
		prog  object.ProgramKind
		hook  object.HookKind
		multi bool
	}{
		"kprobe":          {object.ProgKprobe, object.HookKprobe, false},
		"kretprobe":       {object.ProgKprobe, object.HookKretprobe, false},
		"kprobe multi":    {object.ProgKprobe, object.HookKprobe, true},
		"kretprobe multi": {object.ProgKprobe, object.HookKretprobe, true},
		"fentry":          {object.ProgFentry, object.HookFentry, false},
		"fexit":           {object.ProgFexit, object.HookFexit, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.multi && olderThan(t, 5, 18) {
				t.Skip("kprobe.multi is of 5.18")
			}
			s := newScript(1 << 16)
			hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
			for i := range 3 {
				s.program(c.prog, append(mine(), s.send(hi, int64(i))...), functionHook(c.hook, c.multi))
			}
			l := runKernel(t, s, Options{}, func() { callFunction(t, 1) })
			want(t, l, "attached 3", "message 0 0", "message 0 1", "message 0 2", "exit")
		})
	}
}

// Two functions of which one is not there, with a multi link and without.
func TestMissingFunctions(t *testing.T) {
	for _, multi := range []bool{false, true} {
		for _, mode := range []string{"error", "warn", "ignore"} {
			s := newScript(1 << 16)
			s.addMap(counter("@n"))
			bad := functionHook(object.HookKprobe, multi)
			bad.Name, bad.Function = "kprobe:fst_no_such_function", "fst_no_such_function"
			s.program(object.ProgKprobe, append(mine(), count(2, 0)...), bad, functionHook(object.HookKprobe, multi))
			s.Config.MissingProbes = mode
			t.Run(mode, func(t *testing.T) {
				if multi && olderThan(t, 5, 18) {
					t.Skip("kprobe.multi is of 5.18")
				}
				if mode != "error" {
					l := runKernel(t, s, Options{}, func() { callFunction(t, 5) })
					lines := []string{"attached 1", "exit", "@n top 0 div 0: =5"}
					if mode == "warn" {
						lines = append([]string{strings.Split(l.text(), "\n")[0]}, lines...)
						if !strings.Contains(lines[0], "no function fst_no_such_function") {
							t.Error(lines[0])
						}
					}
					want(t, l, lines...)
					return
				}
				ses, err := New(&s.Object, Options{Sink: &log{}})
				if err != nil {
					t.Skip(err)
				}
				_, err = ses.Run(t.Context())
				if err != nil && (strings.Contains(err.Error(), "no kprobes") || strings.Contains(err.Error(), "no kprobe.multi")) {
					t.Skip(err)
				}
				if err == nil || !strings.Contains(err.Error(), "kprobe:fst_no_such_function: the kernel has no function") {
					t.Error(err)
				}
			})
		}
	}
}

func TestIterator(t *testing.T) {
	s := newScript(1 << 16)
	s.addMap(counter("@n"))
	s.program(object.ProgIter, count(2, 0), object.Hook{Kind: object.HookIter, Name: "iter:task", Event: "task"})
	l := runKernel(t, s, Options{}, nil)
	if !strings.Contains(l.text(), "attached 1\nexit\n@n top 0 div 0: =") {
		t.Error(l.text())
	}
}

func TestSoftwareEvent(t *testing.T) {
	s := newScript(1 << 16)
	s.addMap(counter("@n"))
	s.program(object.ProgPerfEvent, append(mine(), count(2, 0)...),
		object.Hook{Kind: object.HookPerf, Name: "software:page-faults:1", PerfType: unix.PERF_TYPE_SOFTWARE, PerfConfig: unix.PERF_COUNT_SW_PAGE_FAULTS, Period: 1})
	l := runKernel(t, s, Options{}, func() {
		mem, err := unix.Mmap(-1, 0, 64*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			t.Error(err)
			return
		}
		for i := 0; i < len(mem); i += os.Getpagesize() {
			mem[i] = 1
		}
		unix.Munmap(mem)
	})
	if !strings.Contains(l.text(), "@n") {
		t.Error(l.text())
	}
}

// A callback needs a function's type in the kernel: bpf_loop calls it.
func TestCallback(t *testing.T) {
	if olderThan(t, 5, 17) {
		t.Skip("bpf_loop is of 5.17")
	}
	s := newScript(1 << 16)
	s.addMap(counter("@n"))
	function := func(ins asm.Instruction, name string, params ...btf.FuncParam) asm.Instruction {
		return btf.WithFuncMetadata(ins.WithSymbol(name), &btf.Func{Name: name, Type: &btf.FuncProto{Params: params}, Linkage: btf.StaticFunc})
	}
	body := asm.Instructions{
		function(asm.Mov.Imm(asm.R1, 10), "main"),
		asm.Instruction{OpCode: asm.LoadImmOp(asm.DWord), Dst: asm.R2, Src: asm.PseudoFunc, Constant: -1}.WithReference("each"),
		asm.Mov.Imm(asm.R3, 0), asm.Mov.Imm(asm.R4, 0), asm.FnLoop.Call(), asm.Mov.Imm(asm.R0, 0), asm.Return(),
	}
	each := count(2, 0)
	each[0] = function(each[0], "each", make([]btf.FuncParam, 2)...)
	s.program(object.ProgRawTracepoint, append(body, each...), object.Hook{Kind: object.HookBegin, Name: "BEGIN"})
	ses, err := New(&s.Object, Options{Sink: &log{}})
	var v *attach.VerifierError
	errors.As(err, &v)
	if errors.Is(err, attach.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		if v != nil {
			t.Log(v.Log)
		}
		t.Fatal(err)
	}
	ses.Close()
	l := runKernel(t, s, Options{}, nil)
	want(t, l, "attached 1", "exit", "@n top 0 div 0: =10")
}
