package compiler_test

import (
	"slices"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/target/fixture"
)

// TestScalarPointers compiles for kernels where a program on a trampoline may not
// read arguments that point to anything: on 5.10 to nothing but structs, on 6.1 and
// 6.12 neither to functions, to constant memory nor to other pointers.
func TestScalarPointers(t *testing.T) {
	for _, test := range []struct {
		kernel string
		script string
		kind   object.HookKind
		fields []string // of the event that the default action sends
	}{
		{"6.1", "call:kfree", object.HookKretprobe, []string{"object", "took"}},
		{"6.12", "call:kfree", object.HookKretprobe, []string{"object", "took"}},
		{"6.12", "call:copy_strings_kernel", object.HookKretprobe, []string{"argc", "argv", "bprm", "retval", "took"}},
		{"6.12", "call:vfs_read", object.HookFexit, []string{"file", "buf", "count", "pos", "retval", "took"}},
		{"7.2", "fentry:kfree", object.HookFentry, []string{"object"}},
		{"5.10", "call:vfs_fsync", object.HookFexit, []string{"file", "datasync", "retval", "took"}},
		{"5.10", "call:vfs_mkobj", object.HookKretprobe, []string{"dentry", "mode", "f", "arg", "retval", "took"}},
		{"5.10", "call:vfs_setxattr", object.HookKretprobe, []string{"dentry", "name", "value", "size", "flags", "retval", "took"}},
		{"5.10", "fexit:vfs_read", object.HookFexit, []string{"file", "count", "retval"}},
		{"5.10", "kretprobe:vfs_read", object.HookKretprobe, []string{"retval"}},
	} {
		obj := compiled(t, test.kernel, test.script, nil)
		i := slices.IndexFunc(obj.Programs, func(p *object.Program) bool { return !p.Entry })
		if got := obj.Programs[i].Hooks[0].Kind; got != test.kind {
			t.Errorf("%s: %s is attached as %v, want %v", test.kernel, test.script, got, test.kind)
		}
		for _, m := range obj.Messages {
			if m.Kind != object.MsgEvent {
				continue
			}
			var names []string
			for _, f := range m.Schema.Fields {
				if !slices.Contains([]string{"nsecs", "comm", "pid", "tid"}, f.Name) {
					names = append(names, f.Name)
				}
			}
			if !slices.Equal(names, test.fields) {
				t.Errorf("%s: %s shows %s, want %s", test.kernel, test.script, strings.Join(names, " "), strings.Join(test.fields, " "))
			}
		}
	}
}

// TestOneName: the name of a system call's probe has one number, whichever clause it is
// from, and however many calls the clause names.
func TestOneName(t *testing.T) {
	for _, script := range []string{
		`syscall:open* { @[probe] = count(); } syscall:openat { @[probe] = count(); } syscall:*at { @[probe] = count(); }`,
		`syscall:openat { @[probe] = count(); } syscall:open* { @[probe] = count(); }`,
		`tracepoint:syscalls:sys_enter_openat { @[probe] = count(); } tracepoint:syscalls:sys_enter_open* { @[probe] = count(); }`,
	} {
		first := compiled(t, "6.12", script, nil).ProbeNames
		n := 0
		for _, name := range first {
			if strings.HasSuffix(name, "openat") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d numbers", script, n)
		}
	}
}

// TestSwitchesFirst: programs are attached in their order. With the wakeups first, a thread that woke, ran and slept
// before the switches were seen would wait for a CPU until it wakes once more.
func TestSwitchesFirst(t *testing.T) {
	for _, kernel := range fixture.Names {
		obj := compiled(t, kernel, "sched:wait", nil)
		first := func(event string) int {
			return slices.IndexFunc(obj.Programs, func(p *object.Program) bool {
				return slices.ContainsFunc(p.Hooks, func(h object.Hook) bool { return h.Event == event })
			})
		}
		if s, w := first("sched_switch"), first("sched_wakeup"); s < 0 || w < s {
			t.Errorf("%s: switches are at %d, wakeups at %d", kernel, s, w)
		}
	}
}
