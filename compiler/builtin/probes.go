package builtin

import "slices"

// ProbeKind is a kind of probe.
type ProbeKind struct {
	Name string
	// Short is the abbreviation, or empty.
	Short string
	// Forms are how it is written, the one with the fewest parts first.
	Forms   []string
	Help    string
	Example string
	// Stability says what of it other kernels or programs may change; empty if nothing.
	Stability string
}

// Stabilities of several kinds.
const (
	ofKernel  = "unstable: functions inside the kernel are not an interface: another kernel may rename it, change its arguments or inline it"
	ofProgram = "as stable as the program: another build may rename, inline or strip the function"
)

// Probes are all kinds of probes, in the order in which they are documented.
var Probes = []ProbeKind{
	{"begin", "", []string{"begin"}, "once, before anything else is attached. Also written BEGIN", `begin { printf("tracing\n"); }`, ""},
	{"end", "", []string{"end"}, "once, when everything else is detached. Also written END", `end { clear(@start); }`, ""},
	{"call", "", []string{"call:FUNCTION", "call:MODULE:FUNCTION"},
		"the return of a kernel function. args.NAME are the arguments as they were at the entry, retval is the result, took the duration in nanoseconds",
		`call:vfs_read /took > 10ms/`, ofKernel},
	{"ucall", "", []string{"ucall:BINARY:FUNCTION"}, "the return of a function of a program or library, with the same values as call", `ucall:libc:getaddrinfo { @us = hist(took / 1us); }`, ofProgram},
	{"syscall", "", []string{"syscall:NAME"},
		"the return of a system call. args.NAME are its arguments, ret its result, errno the error number, took its duration",
		`syscall:openat /errno/ { print((comm, str(args.filename), errno)); }`, ""},
	{"tracepoint", "t", []string{"tracepoint:CATEGORY:EVENT"}, "a tracepoint of the kernel. args.NAME are its fields: fst -lv shows them",
		`tracepoint:sched:sched_process_exec { print(str(args.filename)); }`, "mostly stable: tracepoints are seldom removed, but their fields may change"},
	{"rawtracepoint", "rt", []string{"rawtracepoint:EVENT", "rawtracepoint:MODULE:EVENT"},
		"a tracepoint of the kernel, with the arguments that the kernel's code passes to it: cheaper than tracepoint, and less stable", `rawtracepoint:sched_switch { @[args.next->comm] = count(); }`, "unstable arguments: the event is seldom removed, but its arguments are structures inside the kernel"},
	{"kprobe", "k", []string{"kprobe:FUNCTION", "kprobe:MODULE:FUNCTION"},
		"the entry of a kernel function, or with FUNCTION+OFFSET an instruction in it. args.NAME or arg0 to arg5 are its arguments. Without MODULE: every function of that name",
		`kprobe:vfs_unlink { @[comm] = count(); }`, ofKernel},
	{"kretprobe", "kr", []string{"kretprobe:FUNCTION", "kretprobe:MODULE:FUNCTION"}, "the return of a kernel function, with retval",
		`kretprobe:vfs_read { @bytes = hist(retval); }`, ofKernel},
	{"fentry", "f", []string{"fentry:FUNCTION", "fentry:MODULE:FUNCTION", "fentry:bpf:[ID:]FUNCTION"}, "the entry of a kernel function, by a BPF trampoline: the cheapest probe there is",
		`fentry:vfs_read { @[args.file->f_inode->i_ino] = count(); }`, ofKernel},
	{"fexit", "fr", []string{"fexit:FUNCTION", "fexit:MODULE:FUNCTION", "fexit:bpf:[ID:]FUNCTION"}, "the return of a kernel function, by a BPF trampoline, with args and retval",
		`fexit:vfs_read { @bytes = hist(retval); }`, ofKernel},
	{"uprobe", "u", []string{"uprobe:BINARY:FUNCTION", "uprobe:BINARY:FUNCTION+OFFSET", "uprobe:BINARY:inline:FUNCTION", "uprobe:BINARY@FILE:LINE"},
		"the entry of a function of a program or library, or a line of its source", `uprobe:/bin/bash:readline { @[pid] = count(); }`, ofProgram},
	{"uretprobe", "ur", []string{"uretprobe:BINARY:FUNCTION"}, "the return of a function of a program or library, with retval",
		`uretprobe:/bin/bash:readline { print(str(retval)); }`, ofProgram},
	{"usdt", "U", []string{"usdt:BINARY:NAME", "usdt:BINARY:PROVIDER:NAME"}, "a static probe that the authors of a program built into it, with arg0 and so on",
		`usdt:/usr/bin/python3:gc__start { @ = count(); }`, "as stable as the authors of the program keep it"},
	{"interval", "i", []string{"interval:1s", "interval:s:1"}, "at regular intervals, on one CPU", `interval:s:1 { print(@); clear(@); }`, ""},
	{"profile", "p", []string{"profile:10ms", "profile:hz:99"}, "at regular intervals, on every CPU: a sample of what runs there", `profile:hz:99 { @[kstack] = count(); }`, ""},
	{"software", "s", []string{"software:EVENT", "software:EVENT:COUNT"}, "every COUNT-th event that the kernel counts, such as faults", `software:major-faults:1 { @[comm] = count(); }`, ""},
	{"hardware", "h", []string{"hardware:EVENT", "hardware:EVENT:COUNT"}, "every COUNT-th event that the processor counts, such as cache-misses",
		`hardware:cache-misses:1000000 { @[comm] = count(); }`, ""},
	{"watchpoint", "w", []string{"watchpoint:ADDRESS:LENGTH:MODE"},
		"an access to memory: LENGTH is 1, 2, 4 or 8 bytes, MODE w, rw or x", `watchpoint:0x10000000:8:w { print(ustack); }`, "an address is valid for one run of the program or the kernel"},
	{"iter", "it", []string{"iter:NAME", "iter:NAME:PIN"}, "each object of one kind in the kernel: tasks, open files, sockets. With a PIN, a name in /sys/fs/bpf, it prints when that file is read; printf then has the conversions of the kernel's: %pS, %ps and %pB are symbols, %pI4 and %pI6 addresses in memory, %pks and %pus texts, %px a number", `iter:task { print(ctx->task->comm); }`, "unstable fields: its objects are structures inside the kernel"},
	{"self", "", []string{"self:attached", "self:signal:SIGUSR1"}, "fst itself has attached everything, or gets a signal", `self:signal:SIGUSR1 { print(@); }`, ""},
	{"test", "", []string{"test:NAME"}, "once, with --test only: a test, which fails if an assert() in it does", `test:sum { assert(1 + 1 == 2, "sums"); }`, ""},
	{"bench", "", []string{"bench:NAME"}, "repeatedly, with --bench only: the time that it takes is shown", `bench:lookup { @[1] = 2; }`, ""},
	{"report", "", []string{"report"}, "when the user wants to see the maps: at the end, or every --interval seconds", `report { print(@); }`, ""},
}

// Groups of providers.
var (
	inRegs = []string{"kprobe", "kretprobe", "uprobe", "uretprobe", "ucall", "usdt", "profile", "interval", "software", "hardware", "watchpoint"}
	inArgs = []string{"kprobe", "uprobe", "usdt", "rawtracepoint", "fentry", "fexit", "call", "ucall", "syscall"}
	inFunc = []string{"kprobe", "kretprobe", "uprobe", "uretprobe", "fentry", "fexit", "call", "ucall", "syscall", "tracepoint", "rawtracepoint"}
	inUser = []string{"uprobe", "uretprobe", "ucall", "usdt"}
	// inTask are probes that fire for what a process does; profile, too, as a
	// sample of what it does. begin, end and self run in the tracer itself, and a
	// timer in whatever process happens to be there.
	inTask   = []string{"kprobe", "kretprobe", "uprobe", "uretprobe", "fentry", "fexit", "tracepoint", "rawtracepoint", "usdt", "call", "ucall", "syscall", "software", "hardware", "watchpoint", "profile"}
	inTyped  = []string{"fentry", "fexit", "iter"}
	inRecord = []string{"tracepoint", "rawtracepoint", "kprobe", "kretprobe", "uprobe", "uretprobe", "usdt", "fentry", "fexit", "call", "ucall", "syscall"}
	inReturn = []string{"kretprobe", "uretprobe", "fexit", "call", "ucall", "syscall", "tracepoint"}
)

// ProbeByName finds a kind of probe by its name or abbreviation.
func ProbeByName(name string) (*ProbeKind, bool) {
	i := slices.IndexFunc(Probes, func(p ProbeKind) bool { return p.Name == name || p.Short != "" && p.Short == name })
	if i < 0 {
		return nil, false
	}
	return &Probes[i], true
}
