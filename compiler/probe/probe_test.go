package probe_test

import (
	"slices"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/probe"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// resolver is one for a recorded kernel.
func resolver(t *testing.T, kernel string) *probe.Resolver {
	t.Helper()
	k, err := fixture.Load(kernel)
	if err != nil {
		t.Fatal(err)
	}
	return &probe.Resolver{Target: k, Missing: "error", Diags: &diag.List{}, Option: func(string, string, string, source.Span) {}}
}

// attachPoint parses one attach point.
func attachPoint(t *testing.T, text string) *ast.AttachPoint {
	t.Helper()
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("test", text+" { }"), &diags)
	if diags.HasErrors() || len(tree.Clauses) != 1 || len(tree.Clauses[0].Probes) != 1 {
		t.Fatal(text, diags.All)
	}
	return tree.Clauses[0].Probes[0]
}

func TestResolve(t *testing.T) {
	r := resolver(t, "6.12")
	r.Params = []string{"vfs_read", "tracepoint:sched:sched_switch"}
	r.Named = map[string]string{"every": "5"}
	r.PID = 42
	for _, c := range []struct {
		point string
		names []string
		kind  object.HookKind
	}{
		{"BEGIN", []string{"begin"}, object.HookBegin},
		{"kprobe:vfs_read", []string{"kprobe:vfs_read"}, object.HookKprobe},
		{"kprobe:$1", []string{"kprobe:vfs_read"}, object.HookKprobe},
		{"kprobe:$2", []string{"tracepoint:sched:sched_switch"}, object.HookTracepoint},
		{"kretprobe:vfs_rea*", []string{"kretprobe:vfs_read", "kretprobe:vfs_readlink", "kretprobe:vfs_readv"}, object.HookKretprobe},
		{"fentry:vfs_read", []string{"fentry:vmlinux:vfs_read"}, object.HookFentry},
		{"call:vfs_read", []string{"call:vfs_read"}, object.HookFexit},
		{"no_such:event | kprobe:vfs_open", nil, 0},
		{"kprobe:no_such_function | kprobe:vfs_open", []string{"kprobe:vfs_open"}, object.HookKprobe},
		{"tracepoint:sched:sched_process_ex*", []string{"tracepoint:sched:sched_process_exec", "tracepoint:sched:sched_process_exit"}, object.HookTracepoint},
		{"rawtracepoint:sched_switch", []string{"rawtracepoint:vmlinux:sched_switch"}, object.HookRawTracepoint},
		{"syscall:openat", []string{"syscall:openat"}, object.HookTracepoint},
		{"iter:task", []string{"iter:task"}, object.HookIter},
		{"interval:s:getopt(\"every\", 1)", []string{"interval:s:5"}, object.HookInterval},
		{"profile:hz:99", []string{"profile:hz:99"}, object.HookProfile},
		{"software:faults:1e3", []string{"software:faults:1000"}, object.HookPerf},
		{"watchpoint:0x1000:8:wr", []string{"watchpoint:4096:8:rw"}, object.HookWatchpoint},
	} {
		points, fail := r.Resolve(attachPoint(t, c.point))
		if (fail != nil) != (c.names == nil) {
			t.Errorf("%s: %+v", c.point, fail)
			continue
		}
		var names []string
		for _, p := range points {
			names = append(names, p.Hook.Name)
			if p.Hook.Kind != c.kind {
				t.Errorf("%s: %s is of kind %v, want %v", c.point, p.Hook.Name, p.Hook.Kind, c.kind)
			}
			if p.Hook.Kind == object.HookProfile && p.Hook.PID != 42 {
				t.Errorf("%s: process %d", c.point, p.Hook.PID)
			}
		}
		if !slices.Equal(names, c.names) {
			t.Errorf("%s: %v, want %v", c.point, names, c.names)
		}
	}
}

// A name of functions in several modules stands for all of them. None is in a link that
// attaches by name, which would find one of them alone.
func TestNamesakes(t *testing.T) {
	r := resolver(t, "6.12")
	for text, want := range map[string]string{
		"kprobe:level_show":           "vmlinux md_mod",
		"kretprobe:level_sho*":        "vmlinux md_mod",
		"kprobe:vmlinux:level_show":   "vmlinux",
		"kprobe:md_mod:level_show":    "md_mod",
		"kprobe:md_mod:level_*":       "md_mod md_mod",
		"fentry:level_show":           "vmlinux md_mod",
		"call:level_show":             "vmlinux md_mod",
		"kprobe:init_once":            "vmlinux btrfs",
		"kprobe:level_show+4 | begin": "vmlinux md_mod",
	} {
		points, fail := r.Resolve(attachPoint(t, text))
		if fail != nil {
			t.Errorf("%s: %+v", text, fail)
			continue
		}
		var modules []string
		for _, p := range points {
			modules = append(modules, p.Hook.Module)
			if p.Hook.Function != "level_show" && p.Hook.Function != "init_once" {
				continue
			}
			if literal := text == "kprobe:md_mod:level_show"; p.Hook.Multi || !p.Hook.Several && !literal {
				t.Errorf("%s: %+v", text, p.Hook)
			}
		}
		if got := strings.Join(modules, " "); got != want {
			t.Errorf("%s: in %q, want %q", text, got, want)
		}
	}
}

func TestEither(t *testing.T) {
	r := resolver(t, "6.12")
	for text, want := range map[string]bool{"fentry:vfs_read": false, "fentry:vfs_read | kprobe:vfs_read": true, "fentry:vfs_read | rawtracepoint:sys_enter": false} {
		points, fail := r.Resolve(attachPoint(t, text))
		if fail != nil || len(points) != 1 || points[0].Either != want {
			t.Errorf("%s: %+v %+v", text, points, fail)
		}
	}
}

// A Failure tells whose fault it is that there is no place.
func TestFailure(t *testing.T) {
	r := resolver(t, "6.12")
	r.OpenParams = true
	for _, c := range []struct {
		point               string
		missing, wild, open bool
		message, hint       string
	}{
		{point: "kprobe:vfs_raed", missing: true, message: "no function vfs_raed", hint: "vfs_read"},
		{point: "kprobe:no_such_*", missing: true, wild: true, message: "matches no_such_*", hint: "lists them"},
		{point: "kprobe:$1", open: true, message: "depend on parameter $1", hint: "--dry-run"},
		{point: "interval:s:0", message: "can't be the number of s", hint: "interval"},
		{point: "kretprobe:vfs_read+4", message: "can't have an offset", hint: "kretprobe:vfs_read"},
		{point: "kprobe:0x1000", message: "may stop the machine", hint: "--unsafe"},
	} {
		points, fail := r.Resolve(attachPoint(t, c.point))
		if fail == nil {
			t.Errorf("%s: %+v", c.point, points)
			continue
		}
		var list diag.List
		d := fail.Report(list.Errorf)
		if fail.Missing != c.missing || fail.Wild != c.wild || fail.Open != c.open || !fail.Span.IsValid() ||
			!strings.Contains(d.Message, c.message) || !strings.Contains(d.Hint, c.hint) {
			t.Errorf("%s: %+v, hint %q", c.point, fail, d.Hint)
		}
	}
}

// The options of attach points are told to who asks.
func TestOption(t *testing.T) {
	r := resolver(t, "6.12")
	var told []string
	r.Option = func(name, def, help string, _ source.Span) { told = append(told, name, def, help) }
	if _, fail := r.Resolve(attachPoint(t, `interval:s:getopt("every", 1, "seconds")`)); fail != nil {
		t.Fatal(fail)
	}
	if want := []string{"every", "1", "seconds"}; !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

func TestKinds(t *testing.T) {
	kinds := probe.Kinds()
	if !slices.IsSorted(kinds) || !slices.Contains(kinds, "kprobe") || slices.Contains(kinds, "k") {
		t.Error(kinds)
	}
	if !probe.IsKind("usdt") || probe.IsKind("io") || probe.IsKind("") {
		t.Error("IsKind disagrees with Kinds")
	}
}

// exact is a kernel that answers only whether it has a function of this very name.
type exact struct {
	target.Target
	t *testing.T
}

func (e exact) Function(module, name string) (*target.Func, bool) {
	e.t.Errorf("the type of %s was asked for", name)
	return e.Target.Function(module, name)
}

func (e exact) Binary(name string, pid int) ([]string, error) {
	e.t.Errorf("the library %s was asked for", name)
	return e.Target.Binary(name, pid)
}

// Whether a function exists is asked often, and the answer must be cheap: what is said of a
// missing one is found out when it is said.
func TestMissingIsCheap(t *testing.T) {
	r := resolver(t, "6.12")
	known := r.Target
	for _, point := range []string{"kprobe:no_such_function", "kretprobe:no_such_function", "fentry:no_such_function", "call:pthread_create"} {
		r.Target = exact{known, t}
		_, fail := r.Resolve(attachPoint(t, point))
		r.Target = known
		if fail == nil || !fail.Missing || !strings.Contains(fail.Reason(), "no function") {
			t.Errorf("%s: %+v", point, fail)
		}
	}
}
