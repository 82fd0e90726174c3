package check_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/expand"
	"fst/compiler/probe"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// TestExamples checks the examples of all built-ins and probes.
func TestExamples(t *testing.T) {
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	k.Functions = map[string][]target.UserSymbol{
		"/bin/bash":                {{Name: "readline", Offset: 1, Size: 1}, {Name: "main", Offset: 2, Size: 1}, {Name: "counter", Offset: 3, Size: 8}},
		"/lib/libc.so.6":           {{Name: "getaddrinfo", Offset: 1, Size: 1}, {Name: "malloc", Offset: 9, Size: 1}},
		"/usr/lib/libpthread.so.0": {{Name: "pthread_create", Offset: 1, Size: 1}},
	}
	k.Probes = map[string][]target.USDTProbe{"/usr/bin/python3": {{Provider: "python", Name: "gc__start", Offset: 1}}}
	try := func(what, text string, in []string) {
		t.Helper()
		if text == "" {
			t.Errorf("%s has no example", what)
			return
		}
		if errs := problems(k, text); errs == "" {
			return
		} else if strings.Contains(text, "{") && !strings.HasPrefix(text, "if") {
			t.Errorf("%s: %s\n%s", what, text, errs)
			return
		}
		// A statement, in one of the probes in which it works.
		first := ""
		for _, p := range []string{"kprobe:vfs_read", "fentry:vfs_read", "syscall:openat", "tracepoint:sched:sched_process_exec", "kretprobe:vfs_read",
			"call:vfs_read", "uprobe:/bin/bash:readline", "tracepoint:raw_syscalls:sys_enter",
			"tracepoint:signal:signal_generate", "tracepoint:sock:inet_sock_set_state", "fentry:dev_open", "fentry:tcp_v4_do_rcv", "iter:task", "fentry:filp_close", "kprobe:__x64_sys_read",
			"tracepoint:syscalls:sys_enter_execve", "fexit:vfs_read"} {
			provider, _, _ := strings.Cut(p, ":")
			if in != nil && !slices.Contains(in, provider) {
				continue
			}
			clause := p + " { " + text + " }"
			if strings.HasPrefix(text, "/") {
				clause = p + " " + text // a filter
			}
			errs := problems(k, clause)
			if errs == "" {
				return
			}
			first = cmp.Or(first, errs)
		}
		t.Errorf("%s: %s\n%s", what, text, first)
	}
	for _, f := range builtin.Funcs {
		if f.Name == "fail" || f.Name == "dw_ustack" { // an error on purpose; not there yet
			continue
		}
		try(f.Name, f.Example, f.In)
	}
	for _, v := range builtin.Vars {
		try(v.Name, v.Example, v.In)
	}
	for _, p := range builtin.Probes {
		if p.Name != "report" { // taken apart before the check
			try(p.Name, "begin { } "+p.Example, nil) // a script of tests only is an error
		}
	}
}

// machine is a recorded kernel with control groups.
type machine struct{ *fixture.Kernel }

func (machine) CgroupID(string) (uint64, bool, error) { return 1, true, nil }

// problems returns the errors of a program, without those about maps and
// variables that an example takes for given.
func problems(k *fixture.Kernel, text string) string {
	var set source.Set
	var diags diag.List
	prog := parse.Parse(set.Add("example", text), &diags)
	if !diags.HasErrors() {
		prog = expand.Expand(prog, expand.Options{}, &diags)
		check.Check(prog, check.Options{Target: machine{k}, Params: []string{"5"}, Unsafe: true}, &diags)
	}
	diags.All = slices.DeleteFunc(diags.All, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Warning || strings.Contains(d.Message, "is never assigned a value") || strings.Contains(d.Message, "is used before it is assigned a value")
	})
	var b strings.Builder
	(&diag.Renderer{Set: &set}).Render(&b, &diags)
	return b.String()
}

// TestFormats makes sure that the parser knows the functions that take a format, whose
// quotes a shell takes away.
func TestFormats(t *testing.T) {
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range builtin.Funcs {
		if len(f.Args) == 0 || f.Args[0] != builtin.Format {
			continue
		}
		if said := problems(k, "begin { "+f.Name+"([x] %d, 1); }"); !strings.Contains(said, f.Name+`("...")`) {
			t.Errorf("%s without quotes: %s", f.Name, said)
		}
	}
}

// TestProbeKinds makes sure that the table of probes is that of the parser and
// the checker.
func TestProbeKinds(t *testing.T) {
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range builtin.Probes {
		for _, name := range []string{p.Name, p.Short} {
			if name == "" || p.Name == "report" {
				continue
			}
			if errs := problems(k, name+":a:b:c:d:e:f { print(1); }"); strings.Contains(errs, "there are no probes of the kind") {
				t.Errorf("%s is not known", name)
			}
		}
	}
	// The checker names all that it knows when a name is nearly right.
	for _, name := range probe.Kinds() {
		if _, ok := builtin.ProbeByName(name); !ok {
			t.Errorf("%s is not in the table of probes", name)
		}
	}
}
