package attach

import (
	"errors"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/runtime/perf"

	"golang.org/x/sys/unix"
)

func hooks(kind object.HookKind, multi bool, names ...string) []*object.Hook {
	var hs []*object.Hook
	for _, n := range names {
		hs = append(hs, &object.Hook{Kind: kind, Name: n, Function: n, Multi: multi})
	}
	return hs
}

// Hooks that the kernel calls backwards are attached backwards, and entry
// halves come last.
func TestPlan(t *testing.T) {
	prog := func(entry, multi bool, hs []*object.Hook) *Program {
		return &Program{Spec: &object.Program{Entry: entry}, loaded: []loaded{{hooks: hs, multi: multi}}}
	}
	ps := &Programs{list: []*Program{
		prog(false, false, hooks(object.HookBegin, false, "BEGIN")),
		prog(false, false, hooks(object.HookKprobe, false, "k1")),
		prog(true, false, hooks(object.HookKprobe, false, "entry")),
		prog(false, false, hooks(object.HookKretprobe, false, "r1")),
		prog(false, false, hooks(object.HookTracepoint, false, "t1", "t2")),
		prog(false, false, hooks(object.HookKprobe, false, "k2")),
		prog(false, true, hooks(object.HookKprobe, true, "m1", "m2")),
		prog(false, false, hooks(object.HookKretprobe, false, "r2")),
		prog(false, true, hooks(object.HookKretprobe, true, "a1", "a2")),
		prog(false, true, hooks(object.HookKretprobe, true, "b1")),
	}}
	for graph, want := range map[bool]string{
		false: "r1 t1 t2 r2 a1+a2 b1 m1+m2 k2 k1 entry",
		true:  "r1 t1 t2 r2 b1 a1+a2 m1+m2 k2 k1 entry",
	} {
		var got []string
		for _, td := range ps.plan(graph) {
			var names []string
			for _, h := range td.hooks {
				names = append(names, h.Name)
			}
			got = append(got, strings.Join(names, "+"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

func TestExplainAttach(t *testing.T) {
	for _, c := range []struct {
		hook object.Hook
		err  error
		want string
	}{
		{object.Hook{Kind: object.HookKprobe, Name: "kprobe:x", Function: "x"}, unix.ENOENT, "no function x"},
		{object.Hook{Kind: object.HookKprobe, Name: "kprobe:m:x", Function: "x", Module: "m"}, unix.ENOENT, "in the module m"},
		{object.Hook{Kind: object.HookKprobe, Name: "kprobe:x", Function: "x"}, unix.EINVAL, "notrace"},
		{object.Hook{Kind: object.HookKprobe, Name: "kprobe:x", Function: "x"}, perf.NoPMU("kprobe"), "no kprobes"},
		{object.Hook{Kind: object.HookPerf, Name: "hardware:cycles:1"}, unix.ENOENT, "hardware counter"},
		{object.Hook{Kind: object.HookWatchpoint, Name: "watchpoint:4097:8:w", Address: 0x1001, Len: 8, Mode: "w"}, unix.EINVAL, "a multiple of the length"},
		{object.Hook{Kind: object.HookWatchpoint, Name: "watchpoint:4096:4:x", Address: 0x1000, Len: 4, Mode: "x"}, unix.EINVAL, "mode x wants the length 8"},
		{object.Hook{Kind: object.HookTracepoint, Name: "tracepoint:a:b"}, unix.ENOENT, "no such tracepoint"},
		{object.Hook{Kind: object.HookTracepoint, Name: "tracepoint:a:b"}, errSetProgram{unix.EINVAL}, "beyond the tracepoint's record"},
		{object.Hook{Kind: object.HookTracepoint, Name: "tracepoint:a:b"}, errSetProgram{unix.EACCES}, "beyond the tracepoint's record"},
		{object.Hook{Kind: object.HookTracepoint, Name: "tracepoint:a:b"}, errSetProgram{unix.EEXIST}, "file exists"},
		{object.Hook{Kind: object.HookIter, Name: "iter:task"}, errPin{"/no/such/place", unix.ENOENT}, "no directory /no/such"},
		{object.Hook{Kind: object.HookIter, Name: "iter:task"}, errPin{"/proc/pin", unix.EPERM}, "/proc is in no BPF file system"},
	} {
		h := c.hook
		e := explainAttach(&h, c.err)
		if !strings.Contains(e.Error(), c.want) || !strings.Contains(e.Error(), h.Name) || !errors.Is(e, c.err) {
			t.Errorf("%v: %v", c.err, e)
		}
	}
}
