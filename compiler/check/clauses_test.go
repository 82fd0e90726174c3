package check

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// TestProbes: places that do not exist, and what may have been meant.
func TestProbes(t *testing.T) {
	says(t, "", `
kprobe:vfs_opn { print(1); }
       ^^^^^^^ the kernel has no function vfs_opn that can be probed
       ? did you mean vfs_open?

kprobe:nosuch_at_all { print(1); }
       ^^^^^^^^^^^^^ the kernel has no function nosuch_at_all that can be probed
       ? fst -l 'kprobe:*WORD*' lists the functions whose names contain WORD; those of a module exist once it is loaded

kprobe:vfs_* { @[func] = count(); }

kprobe:nosuch_* { print(1); }
       ^^^^^^^^ no kernel function matches nosuch_*
       ? fst -l 'kprobe:*' lists them

kprobe { print(1); }
^^^^^^ this probe is not complete
? it is written kprobe:FUNCTION or kprobe:MODULE:FUNCTION

kprob:vfs_open { print(1); }
^^^^^ there are no probes of the kind "kprob"
? did you mean kprobe?

tracepoint:sched:sched_swich { print(1); }
                 ^^^^^^^^^^^ there is no tracepoint sched:sched_swich
                 ? did you mean tracepoint:sched:sched_switch?

tracepoint:shed:sched_switch { print(1); }
           ^^^^ there is no category shed of tracepoints
           ? did you mean tracepoint:sched:sched_switch?

tracepoint:sched { print(1); }
^^^^^^^^^^^^^^^^ this probe is not complete
? it is written tracepoint:CATEGORY:EVENT

syscall:opnat { print(1); }
        ^^^^^ there is no system call opnat
        ? did you mean syscall:openat?

syscall:read, syscall:write { @ = sum(ret); }

fentry:vfs_opn { print(1); }
       ^^^^^^^ the kernel has no function vfs_opn that can be probed
       ? did you mean vfs_open?

call:vfs_opn { print(1); }
     ^^^^^^^ the kernel has no function vfs_opn that can be probed
     ? did you mean vfs_open?

rawtracepoint:sched_swich { print(1); }
              ^^^^^^^^^^^ there is no raw tracepoint sched_swich
              ? did you mean sched_switch?

uprobe:/bin/true:mian { print(1); }
                 ^^^^ /bin/true has no function mian
                 ? did you mean main?

uprobe:/bin/nosuch:main { print(1); }
       ^^^^^^^^^^^ there is no program or library /bin/nosuch
       ? check the path; a name without '/' is looked for in $PATH and among the libraries

usdt:/bin/true:x:y { print(1); }
                 ^ true has no static probe y
                 ? fst -l 'usdt:/bin/true:*' lists them

interval:s:0 { print(1); }
           ^ "0" can't be the number of s: it is a whole number from 1 to 4294967295
           ? it is written interval:1s or interval:s:1

interval:x:1 { print(1); }
         ^ "x" is not a unit of time
         ? units are hz, s, ms and us

interval:1s { print(1); }

profile:hz:-1 { print(1); }
           ^^ "-1" can't be the number of hz: it is a whole number from 1 to 4294967295
           ? it is written profile:10ms or profile:hz:99

profile:hz:1000000 { print(1); }

hardware:nosuch:100 { print(1); }
         ^^^^^^ there is no hardware event nosuch
         ? fst -l 'hardware:*' lists them

software:cpu-clock:1 { print(1); }

iter:nosuch { print(1); }
     ^^^^^^ this kernel has no iterator nosuch
     ? it has bpf_link, bpf_map, bpf_map_elem, bpf_prog, bpf_sk_storage_map, cgroup, ipv6_route, ksym, netlink, sockmap, task, task_file, task_vma, tcp, udp, unix

iter:task, iter:task_file { print(1); }
^^^^^^^^^ iter: must be the only probe of its clause
? give each iterator a clause of its own

iter:task, kprobe:vfs_open { print(1); }
^^^^^^^^^ iter: must be the only probe of its clause
? give each iterator a clause of its own

begin, end { print(1); }

kprobe:vfs_open, kprobe:vfs_open { @ = count(); }

kprobe:vfs_open | kprobe:nosuch { @ = count(); }

kprobe:nosuch1 | kprobe:nosuch2 { @ = count(); }
^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ none of kprobe:nosuch1, kprobe:nosuch2 exists here
? fst -l 'kprobe:*WORD*' lists the functions whose names contain WORD; those of a module exist once it is loaded

kprobe:vfs_open, kprobe:nosuch { @ = count(); }
^^^^^^^^^^^^^^^ note: this one exists here: config = { missing_probes = "warn" } skips the others
                        ^^^^^^ the kernel has no function nosuch that can be probed
                        ? fst -l 'kprobe:*WORD*' lists the functions whose names contain WORD; those of a module exist once it is loaded

test:one { return 1; }
^^^^^^^^^^^^^^^^^^^^^^ the script has nothing but tests
? run it with --test or --bench

config = { missing_probes = "ignore" }
kprobe:nosuch1 { print(1); }
^^^^^^^^^^^^^^^^^^^^^^^^^^^^ none of the script's probes exists here
? without missing_probes = "ignore" the reason is reported

config = { missing_probes = "warn" }
kprobe:nosuch1 { print(1); }
       ^^^^^^^ warning: the kernel has no function nosuch1 that can be probed
       ? fst -l 'kprobe:*WORD*' lists the functions whose names contain WORD; those of a module exist once it is loaded
kprobe:vfs_open { print(1); }

config = { missing_probes = "error" }
kprobe:nosuch1 { print(1); }
       ^^^^^^^ the kernel has no function nosuch1 that can be probed
       ? fst -l 'kprobe:*WORD*' lists the functions whose names contain WORD; those of a module exist once it is loaded

config = { max_probes = 3 }
kprobe:vfs_* { @[func] = count(); }

config = { max_bpf_progs = 1 }
kprobe:vfs_open { @ = arg0; }
kprobe:vfs_read { @ = arg0; }

macro m(x) { x + 1 }
^^^^^^^^^^^^^^^^^^^^ the script has no probe
? write, for example, syscall:openat { @[comm] = count(); }

fn f() { print(1); }
^^^^^^^^^^^^^^^^^^^^ the script has no probe
? write, for example, syscall:openat { @[comm] = count(); }

kprobe:vfs_open /comm/ { print(1); }
                 ^^^^ a string is not a condition
                 ? compare it: x != ""

kprobe:vfs_open /kstack/ { print(1); }
                 ^^^^^^ a condition must be an integer, bool or pointer, not kstack

kprobe:vfs_open /pid == 1/ { print(1); }

kprobe:vfs_open /nosuch/ { print(1); }
                 ^^^^^^ nosuch is not known
                 ? a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins

kprobe:vfs_open /comptime pid/ { print(1); }
                 ^^^^^^^^^^^^ this is not a constant
                 ? comptime takes literals, sizeof, exists() and the like

kprobe:vfs_open /comptime (0 == 1)/ { print(nosuch); }
                                            ^^^^^^ nosuch is not known
                                            ? a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins

kprobe:vfs_open

kprobe:vfs_open /$x/ { $x = 1; }
                 ^^ $x is used before it is assigned a value
                 ? give it one first: $x = 0; a value of another clause or entry is kept in a map: @x

kprobe:vfs_open+5 { print(1); }

kprobe:vfs_open+0 { print(func); }

kprobe:vfs_open, tracepoint:sched:sched_switch { print(args); }

tracepoint:sched:sched_switch, tracepoint:sched:sched_wakeup { print(args.pid); }
                                                                          ^^^ tracepoint:sched:sched_switch has no argument pid
                                                                          ? did you mean args.prev_pid or args.next_pid?

tracepoint:sched:sched_wakeup, tracepoint:sched:sched_waking { print(args.pid); }

kprobe:vfs_open, kprobe:vfs_read { print(args.path); }
                                              ^^^^ kprobe:vfs_read has no argument path
                                              ? it has file, buf, count, pos

kprobe:vfs_open, kprobe:vfs_read, kprobe:vfs_write { print(args.path); print(args.count); }
                                                                ^^^^ kprobe:vfs_read has no argument path
                                                                ? it has file, buf, count, pos
                                                                                  ^^^^^ kprobe:vfs_open has no argument count
                                                                                  ? it has path, file
`)
}

// TestConfig: settings and what they can be.
func TestConfig(t *testing.T) {
	says(t, "", `
config = { max_strlen = 64; max_map_keys = 10 }
begin { print(1); }

config = { max_strlen = 0 }
                        ^ max_strlen can't be 0: it must be an integer from 1 to 4194304
                        ? the default is max_strlen = 1024
begin { print(1); }

config = { max_strlen = -5 }
                        ^ expected a number, string, word, true or false, found '-'
                        ? a setting is not calculated: write max_strlen = 200
begin { print(1); }

config = { max_strlen = big }
                        ^^^ max_strlen can't be big: it must be an integer from 1 to 4194304
                        ? the default is max_strlen = 1024
begin { print(1); }

config = { max_strln = 64 }
           ^^^^^^^^^ there is no setting max_strln
           ? did you mean max_strlen?
begin { print(1); }

config = { print_maps_on_exit = maybe }
                                ^^^^^ print_maps_on_exit can't be maybe: it must be true or false
                                ? the default is print_maps_on_exit = true
begin { print(1); }

config = { print_maps_on_exit = 0 }
begin { print(1); }

config = { stack_mode = perf }
begin { print(1); }

config = { stack_mode = perff }
                        ^^^^^ stack_mode can't be perff: it must be one of bpftrace, perf, raw, build_id
                        ? did you mean perf?
begin { print(1); }

config = { missing_probes = sometimes }
                            ^^^^^^^^^ missing_probes can't be sometimes: it must be one of error, warn, ignore
                            ? the default is missing_probes = error
begin { print(1); }

config = { missing_probes = warn }
begin { print(1); }

config = { perf_rb_pages = 64 }
begin { print(1); }

config = { perf_rb_pages = 65 }
begin { print(1); }

config = { cache_user_symbols = PER_PID }
begin { print(1); }

config = { unstable_tseries = disable }
                              ^^^^^^^ unstable_tseries can't be disable: it must be one of error, warn, enable, true, false, 1, 0
                              ? the default is unstable_tseries = enable
begin { @ = tseries(1, 1s, 5); }

config = { log_size = 100 }
begin { print(1); }

config = { on_stack_limit = 5 }
begin { print(1); }

config = { max_strlen = 8 }
begin { print("a text of more characters"); }
              ^^^^^^^^^^^^^^^^^^^^^^^^^^^ this string has 25 characters; at most 7 are allowed
              ? raise the limit: config = { max_strlen = 26 }

config = { max_strlen = 4 }
begin { print(str($1)); }
                  ^^ warning: $1 is 0: the command line has no parameter
                  ? write its value behind the program; $# is the number of parameters
`)
}

// TestUnits: places at which an action means the same share a program.
func TestUnits(t *testing.T) {
	k := kernel(t)
	k.Functions["/bin/a"] = []target.UserSymbol{{Name: "f", Offset: 2, Size: 1}, {Name: "g", Offset: 8, Size: 1}}
	k.Functions["/bin/b"] = []target.UserSymbol{{Name: "f", Offset: 2, Size: 1}}
	for _, c := range []struct {
		text string
		want string // the places of each unit
	}{
		{`kprobe:vfs_open, kprobe:vfs_read { @ = count(); }`, "kprobe 2"},
		{`kprobe:vfs_open, kprobe:vfs_read { @[func] = count(); }`, "kprobe 2"},
		{`kprobe:vfs_open, kprobe:vfs_read { @ = arg0; }`, "kprobe 2"},
		{`kprobe:vfs_open, kprobe:vfs_read { @ = args.file; }`, "kprobe 1, kprobe 1"},
		{`kprobe:vfs_read, kprobe:vfs_write { @ = args.count; }`, "kprobe 2"},
		{`kprobe:vfs_open, kprobe:vfs_read { @[probe] = count(); }`, "kprobe 1, kprobe 1"},
		{`kprobe:vfs_open, kprobe:vfs_open { @ = count(); }`, "kprobe 1, kprobe 1"},
		{`kprobe:vfs_open, kretprobe:vfs_open { @ = count(); }`, "kprobe 1, kretprobe 1"},
		{`kprobe:vfs_open, tracepoint:sched:sched_switch { @ = count(); }`, "kprobe 1, tracepoint 1"},
		{`tracepoint:sched:sched_wakeup, tracepoint:sched:sched_waking { @ = args.pid; }`, "tracepoint 2"},
		{`tracepoint:sched:sched_wakeup, tracepoint:sched:sched_switch { @ = count(); }`, "tracepoint 2"},
		{`syscall:read, syscall:write { @ = sum(ret); }`, "syscall 2"},
		{`syscall:read, syscall:write { @ = args.count; }`, "syscall 2"},
		{`syscall:read, syscall:openat { @[func] = count(); }`, "syscall 2"},
		{`uprobe:/bin/a:f, uprobe:/bin/a:g { @ = count(); }`, "uprobe 2"},
		{`uprobe:/bin/a:f, uprobe:/bin/b:f { @ = count(); }`, "uprobe 2"},
		{`uprobe:/bin/a:* { @[func] = count(); }`, "uprobe 1, uprobe 1"},
		{`uretprobe:/bin/a:f, uprobe:/bin/a:f { @ = count(); }`, "uretprobe 1, uprobe 1"},
		{`begin { @ = 1; } begin { @ = 2; } end { @ = 3; }`, "begin 1, begin 1, end 1"},
		{`interval:s:1, interval:s:2 { @ = 1; }`, "interval 2"},
		{`profile:hz:99, interval:s:1 { @ = 1; }`, "profile 1, interval 1"},
		{`fentry:vfs_open, fentry:vfs_read { @ = count(); }`, "fentry 2"},
		{`call:vfs_open, call:vfs_read { @ = sum(took); }`, "call 2"},
		{`kprobe:vfs_open /comptime (1 == 2)/ { @ = 1; } begin { @ = 2; }`, "begin 1"},
		{`kprobe:vfs_open /comptime exists(struct file)/ { @ = 1; } begin { @ = 2; }`, "kprobe 1, begin 1"},
		{`kprobe:nosuch | kprobe:vfs_open { @ = 1; }`, "kprobe 1"},
		{`kprobe:vfs_open | kprobe:vfs_read { @ = 1; }`, "kprobe 1"},
	} {
		info, said := checked(k, c.text)
		var list []string
		for _, u := range info.Units {
			list = append(list, fmt.Sprintf("%s %d", u.Provider, len(u.Hooks)))
		}
		if got := strings.Join(list, ", "); got != c.want || said != "" {
			t.Errorf("%s\n got %s\nwant %s\n%s", c.text, got, c.want, said)
		}
	}
}

// TestModes: what of a script is made for --test, --bench and --probe-filter, and what --only can't limit.
func TestModes(t *testing.T) {
	k := kernel(t)
	const script = `test:a { return 1; } test:b { return 1; } bench:c { print(1); } begin { print(1); } kprobe:vfs_open { print(1); }`
	for _, c := range []struct {
		text string
		o    Options
		want string // the units, or what is said
	}{
		{script, Options{}, "begin:, kprobe:vfs_open"},
		{script, Options{Mode: "test"}, "test:a, test:b, begin:"},
		{script, Options{Mode: "bench"}, "bench:c, begin:"},
		{script, Options{Mode: "test", Filter: regexp.MustCompile("b$")}, "test:b, begin:"},
		{script, Options{Filter: regexp.MustCompile("vfs")}, "begin:, kprobe:vfs_open"},
		{script, Options{Filter: regexp.MustCompile("nosuch")}, "no probe has a name that --probe-filter matches"},
		{`begin { print(1); }`, Options{Mode: "test"}, "the script has no test: probes"},
		{`begin { print(1); }`, Options{Mode: "bench"}, "the script has no bench: probes"},
		{`test:a { for ($i : 0..3) { return 5; } }`, Options{Mode: "test"}, "a test can't return a value from within a loop"},
		{`kprobe:vfs_open /followed(pid)/ { print(1); }`, Options{Follow: true, PID: 5}, "kprobe:vfs_open"},
		{`iter:task /followed(pid)/ { print(1); }`, Options{Follow: true, PID: 5}, "--only cannot limit iter:task, which walks the objects of the whole system"},
		{`tracepoint:irq:softirq_entry /followed(pid)/ { print(1); }`, Options{Follow: true, PID: 5}, "--only cannot tell whose event this is: tracepoint:irq:softirq_entry runs in whatever thread has the CPU"},
		{`iter:task { print(1); }`, Options{Follow: true, PID: 5}, "iter:task"}, // its filter does not ask
		{`tracepoint:sock:inet_sock_set_state /followed(pid)/ { print(1); }`, Options{Follow: true, PID: 5}, "--only cannot tell whose event this is: tracepoint:sock:inet_sock_set_state runs in whatever thread has the CPU"},
		{`profile:hz:99 /followed(pid)/ { print(1); }`, Options{Follow: true, PID: 5}, "profile:hz:99"},
	} {
		var set source.Set
		var diags diag.List
		c.o.Target = k
		info := Check(parse.Parse(set.Add("t", c.text), &diags), c.o, &diags)
		var list []string
		for _, d := range diags.All {
			list = append(list, d.Message)
		}
		for i := 0; len(diags.All) == 0 && i < len(info.Units); i++ {
			u := info.Units[i]
			ap := u.Clause.Probes[0]
			list = append(list, ap.Provider+":"+strings.Join(ap.Parts, ":"))
		}
		if got := strings.Join(list, ", "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestOldKernel: what an old kernel does not have is refused where it is written.
func TestOldKernel(t *testing.T) {
	k, err := fixture.Load("5.10")
	if err != nil {
		t.Fatal(err)
	}
	saysWith(t, "", Options{Target: k}, `
begin { for ($kv : @a) { print($kv); } @a[1] = 2; }

kprobe:vfs_open { print(len(@a)); @a[1] = 2; }

call:vfs_open { @ = sum(took); }

iter:task { print(ctx.task.pid); }

iter:task_vma { print(1); }
     ^^^^^^^^ this kernel has no iterator task_vma
     ? it has bpf_map, bpf_map_elem, bpf_prog, bpf_sk_storage_map, ipv6_route, netlink, sockmap, task, task_file, tcp, udp

kprobe:vfs_open { @a[str(arg0)] = 1; @b[str(arg0, 400), str(arg0, 400)] = 1; }

kprobe:vfs_open { print(curtask.__state); }
                                ^^^^^^^ struct task_struct has no member __state
                                ? here it is state

kprobe:vfs_open { print(args.file.f_inode.i_atime_sec); }
                                          ^^^^^^^^^^^ struct inode has no member i_atime_sec
                                          ? here it is i_atime.tv_sec

kprobe:vfs_open { print(func); print(cgroup); print(nsecs(tai)); }

kprobe:vfs_* { @[func] = count(); }

begin { print(path(1)); }
              ^^^^ path() can't be used in begin probes
              ? it works in fentry, fexit, iter

rawtracepoint:block_rq_issue { print(args.rq.rq_disk); }
`)
}
