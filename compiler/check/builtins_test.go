package check

import "testing"

// TestBuiltinTypes: what each kind of probe has, and of which type.
func TestBuiltinTypes(t *testing.T) {
	for _, c := range []struct{ probe, text string }{
		{"kprobe:vfs_open", `
$a = comm;      // string[16]
$b = pid;       // uint32
$c = tid;       // uint32
$d = uid;       // uint64
$e = gid;       // uint64
$f = cpu;       // uint32
$g = nsecs;     // uint64
$h = elapsed;   // uint64
$i = jiffies;   // uint64
$j = rand;      // uint32
$k = cgroup;    // uint64
$l = curtask;   // struct task_struct *
$m = ppid;      // uint32
$n = pcomm;     // string[16]
$o = kstack;    // kstack
$p = ustack(5); // ustack(5)
$q = func;      // func = "vfs_open"
$r = probe;     // probe = "kprobe:vfs_open"
$s = probetype; // string[8] = "kprobe"
$t1 = arg0;     // uint64
$u = ctx;       // struct pt_regs *
$v = ncpus;     // uint32 = 2
$w = username;  // username
$x = usermode;  // uint8
$y = numaid;    // uint32
`},
		{"kretprobe:vfs_open", `
$a = retval;    // int32
$b = took;      // uint64
$c = args.path; // struct path *
$d = func;      // func = "vfs_open"
`},
		{"fexit:vfs_read", `
$a = retval;            // int64
$b = args.count;        // uint64
$c = args.file.f_flags; // uint32
`},
		{"call:vfs_read", `
$a = retval;   // int64
$b = took;     // uint64
$c = args.buf; // char *
$d = args.0;   // struct file *
$e = args.3;   // int64 *
$f = arg2;     // uint64
$g = args;     // (file = struct file *, buf = char *, count = uint64, pos = int64 *)
`},
		{"syscall:openat", `
$a = ret;           // int64
$b = errno;         // int64
$c = took;          // uint64
$d = args.dfd;      // int32
$e = args.filename; // char *
$f = args.mode;     // uint16
$g = args.1;        // char *
$h = func;          // syscall name
`},
		{"tracepoint:block:block_rq_issue", `
$a = args.dev;    // uint32
$b = args.sector; // uint64
$c = args.rwbs;   // string[8]
$d = args.comm;   // string[16]
$e = args.cmd;    // string[1024]
$f = args;        // (dev = uint32, sector = uint64, nr_sector = uint32, bytes = uint32, ioprio = uint16, rwbs = string[8], comm = string[16], cmd = string[256])
`},
		{"tracepoint:syscalls:sys_enter_openat", `
$a = args.dfd;          // int32
$b = args.filename;     // char *
$c = args.flags;        // int32
$d = args.__syscall_nr; // int32
`},
		{"tracepoint:raw_syscalls:sys_exit", `
$a = args.id;  // int64
$b = args.ret; // int64
`},
		{"tracepoint:raw_syscalls:sys_enter", `
$a = args.id;                           // int64
$b = args.args;                         // uint64[6]
$c = args.args[2];                      // uint64
$d = is_syscall(args.id, "read,write"); // bool
`},
		{"rawtracepoint:sched_switch", `
$a = args.preempt;   // bool
$b = args.prev.comm; // string[16]
$c = args.next.pid;  // int32
$d = arg0;           // uint64
`},
		{"profile:hz:99", `
$a = kstack;    // kstack
$b = ustack;    // ustack
$c = reg("sp"); // uint64
$d = usermode;  // uint8
$e = comm;      // string[16]
`},
		{"hardware:cache-misses:1000000", `
$a = pid;          // uint32
$b = ustack(perf); // ustack(perf)
`},
		{"iter:task", `
$a = ctx.task;         // struct task_struct *
$b = ctx.task.comm;    // string[16]
$c = ctx.meta.seq_num; // uint64
`},
		{"interval:s:1", `
$a = nsecs; // uint64
$b = probe; // probe = "interval:s:1"
$c = cpu;   // uint32
`},
		{"uprobe:/bin/true:main", `
$a = arg0;       // uint64
$b = ustack;     // ustack
$c = usym(arg0); // usym
$d = reg("di");  // uint64
$e = func;       // probe = "main"
`},
		{"uretprobe:/bin/true:main", `
$a = retval; // uint64
$b = func;   // probe = "main"
`},
		{"ucall:/bin/true:main", `
$a = took;   // uint64
$b = retval; // uint64
$c = arg0;   // uint64
`},
	} {
		gives(t, c.probe, c.text)
	}
}

// TestWhereNamesWork: a name that a probe does not have is refused with what there is instead.
func TestWhereNamesWork(t *testing.T) {
	for _, c := range []struct{ probe, text string }{
		{"kprobe:vfs_open", `
$x = retval;
     ^^^^^^ retval can't be used in kprobe probes
     ? it exists at the return: call:vfs_open or kretprobe:vfs_open

$x = ret;
     ^^^ ret can't be used in kprobe probes
     ? use syscall:NAME, or the fields of args

$x = errno;
     ^^^^^ errno can't be used in kprobe probes
     ? use syscall:NAME, or the fields of args

$x = took;
     ^^^^ took can't be used in kprobe probes
     ? use call:vfs_open

$x = usermode;

$x = arg6;
     ^^^^ kprobe:vfs_open has no arg6
     ? its arguments are arg0 to arg5

$x = arg3;
     ^^^^ warning: vfs_open has 2 arguments: arg3 is what a register happens to hold
     ? fst -lv kprobe:vfs_open lists them

$x = args.fil;
          ^^^ kprobe:vfs_open has no argument fil
          ? did you mean args.file?

$x = args.ret;
          ^^^ kprobe:vfs_open has no argument ret
          ? it has path, file

$x = args.7;
     ^^^^^^ kprobe:vfs_open has 2 arguments, so there is no args.7
     ? they are path, file

$x = args.file.f_mod;
               ^^^^^ struct file has no member f_mod
               ? did you mean f_mode?

$x = args.file.nosuch;
               ^^^^^^ struct file has no member nosuch
               ? fst -lv 'struct file' lists them; exists(struct file, nosuch) asks

$x = args.file.f_inode.i_atime;
                       ^^^^^^^ struct inode has no member i_atime
                       ? here it is i_atime_sec

$x = args.path.dentry.d_iname.x;
     ^^^^^^^^^^^^^^^^^^^^^^^^ uint8[40] has no members

$x = args.path.f_flags;
               ^^^^^^^ struct path has no member f_flags
               ? it has mnt, dentry
`},
		{"kretprobe:vfs_open", `
$x = arg0;
     ^^^^ arg0 can't be used in kretprobe probes
     ? use args.NAME, which is kept from the entry: path, file

$x = args.nosuch;
          ^^^^^^ kretprobe:vfs_open has no argument nosuch
          ? it has path, file

$x = args.5;
     ^^^^^^ kretprobe:vfs_open has 2 arguments, so there is no args.5
     ? they are path, file
`},
		{"tracepoint:sched:sched_switch", `
$x = arg0;
     ^^^^ arg0 can't be used in tracepoint probes
     ? use args.NAME: prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio

$x = args.common_pid;
          ^^^^^^^^^^ tracepoint:sched:sched_switch has no argument common_pid
          ? BPF programs cannot read the common_ fields; the thread ID is tid

$x = args.data_loc_prev_comm;
          ^^^^^^^^^^^^^^^^^^ tracepoint:sched:sched_switch has no argument data_loc_prev_comm
          ? did you mean args.prev_comm?

$x = args.pid;
          ^^^ tracepoint:sched:sched_switch has no argument pid
          ? did you mean args.prev_pid or args.next_pid?

$x = retval;
     ^^^^^^ retval can't be used in tracepoint probes
     ? use syscall:NAME, or the fields of args

$x = func;

$x = args.prev_com;
          ^^^^^^^^ tracepoint:sched:sched_switch has no argument prev_com
          ? did you mean args.prev_comm?
`},
		{"tracepoint:syscalls:sys_exit_read", `
$x = args.fd;

$x = retval;

$x = args.retval;
          ^^^^^^ tracepoint:syscalls:sys_exit_read has no argument retval
          ? did you mean args.ret?
`},
		{"syscall:read", `
$x = retval;

$x = args.ret;
          ^^^ the result is not an argument
          ? write ret (or errno)

$x = args.filename;
          ^^^^^^^^ syscall:read has no argument filename
          ? it has fd, buf, count

$x = arg7;
     ^^^^ syscall:read has no arg7
     ? its arguments are arg0 to arg5
`},
		{"rawtracepoint:sched_switch", `
$x = args.prev_comm;
          ^^^^^^^^^ rawtracepoint:vmlinux:sched_switch has no argument prev_comm
          ? tracepoint:sched:sched_switch has it; this probe has preempt, prev, next, prev_state

$x = args.next_prio;
          ^^^^^^^^^ rawtracepoint:vmlinux:sched_switch has no argument next_prio
          ? tracepoint:sched:sched_switch has it; this probe has preempt, prev, next, prev_state

$x = arg9;
     ^^^^ rawtracepoint:vmlinux:sched_switch has no arg9
     ? it has arg0 (preempt), arg1 (prev), arg2 (next), arg3 (prev_state)
`},
		{"fentry:vfs_open", `
$x = retval;
     ^^^^^^ retval can't be used in fentry probes
     ? it exists at the return: call:vfs_open or kretprobe:vfs_open

$x = arg2;
     ^^^^ fentry:vmlinux:vfs_open has no arg2
     ? it has arg0 (path), arg1 (file)

$x = args.nosuch;
          ^^^^^^ fentry:vmlinux:vfs_open has no argument nosuch
          ? it has path, file
`},
		{"begin", `
$x = args.x;
     ^^^^ args can't be used in begin probes
     ? args exists in tracepoint, kprobe, uprobe, fentry, fexit, call, syscall and rawtracepoint probes

$x = args;
     ^^^^ args can't be used in begin probes
     ? args exists in tracepoint, kprobe, uprobe, fentry, fexit, call, syscall and rawtracepoint probes

$x = arg0;
     ^^^^ arg0 can't be used in begin probes
     ? arguments exist in kprobe, uprobe, usdt, fentry and rawtracepoint probes

$x = retval;
     ^^^^^^ retval can't be used in begin probes
     ? it exists in kretprobe, uretprobe, fexit, call, ucall, syscall, tracepoint

$x = func;
     ^^^^ func can't be used in begin probes
     ? it exists in kprobe, kretprobe, uprobe, uretprobe, fentry, fexit, call, ucall, syscall, tracepoint, rawtracepoint

$x = kstack;

$x = took;
     ^^^^ took can't be used in begin probes
     ? it exists in kretprobe, uretprobe, fexit, call, ucall, syscall, tracepoint

$x = reg("ip");
     ^^^ reg() can't be used in begin probes
     ? it works in kprobe, kretprobe, uprobe, uretprobe, ucall, usdt, profile, interval, software, hardware, watchpoint
`},
		{"interval:s:1", `
$x = args.a;
     ^^^^ args can't be used in interval probes
     ? args exists in tracepoint, kprobe, uprobe, fentry, fexit, call, syscall and rawtracepoint probes

$x = arg1;
     ^^^^ arg1 can't be used in interval probes
     ? arguments exist in kprobe, uprobe, usdt, fentry and rawtracepoint probes

$x = ustack;
`},
		{"uprobe:/bin/true:main", `
$x = args.argc;
          ^^^^ the arguments of uprobe:/bin/true:main are not known by name here
          ? use arg0 to arg5; names need debug information of the program (-g, or a package of debug symbols; with -gsplit-dwarf also the .dwo files, or their .dwp)

$x = args;
     ^^^^ the arguments of uprobe:/bin/true:main are not known by name here
     ? use arg0 to arg5; names need debug information of the program (-g, or a package of debug symbols; with -gsplit-dwarf also the .dwo files, or their .dwp)

$x = retval;
     ^^^^^^ retval can't be used in uprobe probes
     ? it exists in kretprobe, uretprobe, fexit, call, ucall, syscall, tracepoint

$x = reg("nosuch");

$x = arg7;
     ^^^^ uprobe:/bin/true:main has no arg7
     ? its arguments are arg0 to arg5
`},
		{"iter:task", `
$x = ctx.nosuch;
         ^^^^^^ struct bpf_iter__task has no member nosuch
         ? it has meta, task

$x = arg0;
     ^^^^ arg0 can't be used in iter probes
     ? arguments exist in kprobe, uprobe, usdt, fentry and rawtracepoint probes

$x = args.task;
     ^^^^ args can't be used in iter probes
     ? args exists in tracepoint, kprobe, uprobe, fentry, fexit, call, syscall and rawtracepoint probes
`},
	} {
		says(t, c.probe, c.text)
	}
}
