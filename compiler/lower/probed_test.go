package lower_test

import "testing"

// TestKprobes: arguments by number and by name, and what is behind their pointers.
func TestKprobes(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		sb := w.object("super_block", map[string]any{"s_dev": 0x800002, "s_id": "sda2"})
		inode := w.object("inode", map[string]any{"i_ino": 77, "i_mode": 0o100644, "i_sb": sb, "i_size": 4096})
		name := w.text("file.txt")
		dentry := w.object("dentry", map[string]any{"d_name.name": name, "d_name.len": 8, "d_inode": inode})
		file := w.object("file", map[string]any{"f_mode": 0x1d, "f_flags": 0x8000, "f_inode": inode, "f_path.dentry": dentry})
		path := w.object("path", map[string]any{"dentry": dentry})
		w.sees([]any{call{args: []uint64{path, file}}}, `
kprobe:vfs_open {
  print(arg0 == (uint64)args.path);                          //= true
  print(args.file.f_mode);                                   //= 29
  print(args.file->f_inode->i_ino);                          //= 77
  print(args.file.f_inode.i_sb.s_dev);                       //= 8388610
  print(args.file.f_inode.i_sb.s_id);                        //= sda2
  print((args.file.f_inode.i_mode & S_IFMT) == S_IFREG);     //= true
  print(str(args.path.dentry.d_name.name));                  //= file.txt
  print(str(args.path.dentry.d_name.name, 5));               //= file
  print(args.path.dentry.d_name.len);                        //= 8
  print(((struct file *)arg1).f_flags);                      //= 32768
  $n = args.path.dentry.d_name; print($n.len);               //= 8
  $p = *args.path; print($p.dentry == args.path.dentry);     //= true
  print(*(uint32 *)(arg1 + offsetof(struct file, f_flags))); //= 32768
  print(((uint8 *)args.path.dentry.d_name.name)[1]);         //= 105
  print(strlen(str(args.path.dentry.d_name.name)));          //= 8
  print(str(args.path.dentry.d_name.name) == "file.txt");    //= true
  print(strcontains(str(args.path.dentry.d_name.name), ".txt")); //= true
  print(buf(args.path.dentry.d_name.name, 4));               //= file
  print(args.file == 0);                                     //= false
  print(args.file ? "some" : "none");                        //= some
  print((pid, tid, comm, uid, gid));                         //= (700, 701, sh, 1000, 1001)
  print(container_of(&args.file.f_path, struct file, f_path) == args.file); //= true
  print(args.path.mnt.mnt_sb.s_dev);                         //= 0
  print(str((uint64)0) == "");                               //= true
  @[str(args.path.dentry.d_name.name), args.file.f_mode] = args.file.f_inode.i_size;
}
// at the end
//= @[file.txt, 29]: 4096
//= script:2:1: WARNING: 1 read of memory failed; 0 was used instead: the pointer was null or invalid, or the memory was not loaded
`)
	}
}

// TestCalls: the same action at the return of a function, by a trampoline and by two kprobes: arguments are those of the
// entry, whatever is in the registers by then.
func TestCalls(t *testing.T) {
	for _, probe := range []string{"call:vfs_read", "kretprobe:vfs_read", "fexit:vfs_read"} {
		w := newWorld(t, newest)
		w.probe = probe
		file := w.object("file", map[string]any{"f_mode": 5})
		buf := w.text("data")
		w.sees([]any{call{args: []uint64{file, buf, 100, 0}, result: 4}, call{args: []uint64{file, buf, 200, 0}, result: ^uint64(8)}}, `
PROBE {
  print(args.count);                                   //= 100 | 200
  print(took < 60s);                                   //= true | true
  print(func == "vfs_read");                           //= true | true
  print((int64)retval);                                //= 4 | -9
  print(args.file.f_mode);                             //= 5 | 5
  print(args.buf == 0);                                //= false | false
  print(args.count - (uint64)retval > 100);            //= false | true
  print((int64)retval < 0 ? "failed" : "read");        //= read | failed
  @bytes = sum((int64)retval > 0 ? (int64)retval : 0);
  @sizes[args.count] = count();
  if ((int64)retval == -9) { print(strerror(-(int64)retval)); }
//= Bad file descriptor
}
// at the end
//= @bytes: 4
//= @sizes[100]: 1
//= @sizes[200]: 1
`)
	}
}

// TestManyArguments: what the registers have no room for is on the stack.
func TestManyArguments(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{call{args: []uint64{1, 2, 3, 4, 5, 6, 7, 8}}}, `
kprobe:mmap_region {
  print((arg0, arg1, arg2, arg3, arg4, arg5)); //= (1, 2, 3, 4, 5, 6)
  print(arg0 + arg5);                          //= 7
}
uprobe:/bin/true:main {
  print((arg0, arg1, arg5));                   //= (1, 2, 6)
  print(arg0 == 1);                            //= true
}
`)
}

// TestFentry: a trampoline passes arguments as words, and pointers of the kernel are followed without copies.
func TestFentry(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		sb := w.object("super_block", map[string]any{"s_dev": 0x800002, "s_id": "sda2"})
		inode := w.object("inode", map[string]any{"i_ino": 77, "i_sb": sb})
		dentry := w.object("dentry", map[string]any{"d_name.name": w.text("name"), "d_inode": inode})
		file := w.object("file", map[string]any{"f_mode": 0x1d, "f_inode": inode})
		path := w.object("path", map[string]any{"dentry": dentry})
		w.sees([]any{call{args: []uint64{path, file}}}, `
fentry:vfs_open {
  print(args.file.f_mode);                        //= 29
  print(args.file.f_inode.i_sb.s_dev);            //= 8388610
  print(args.path.dentry.d_inode.i_ino);          //= 77
  print(args.file.f_inode.i_sb.s_id);             //= sda2
  print(str(args.path.dentry.d_name.name));       //= name
  print(arg0 == (uint64)args.path);               //= true
  print(arg1 == (uint64)args.file);               //= true
  $sb = args.file.f_inode.i_sb; print($sb.s_dev); //= 8388610
  if (args.file.f_mode & 1) { print("read"); }
//= read
  @[args.file.f_inode.i_ino] = count();
}
// at the end
//= @[77]: 1
`)
	}
}

// TestTracepoints: fields of all sizes, texts within the record and behind it.
func TestTracepoints(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		w.sees([]any{w.record("sched", "sched_switch", map[string]any{"prev_comm": "first", "prev_pid": 5, "prev_prio": 120, "prev_state": 1, "next_comm": "second", "next_pid": -1, "next_prio": 99})}, `
tracepoint:sched:sched_switch {
  print((args.prev_pid, args.next_pid));      //= (5, -1)
  print((args.prev_comm, args.next_comm));    //= (first, second)
  print(args.prev_state);                     //= 1
  print(args.prev_prio - args.next_prio);     //= 21
  print(args.prev_comm == "first");           //= true
  print(args.next_comm != "first");           //= true
  print(strlen(args.next_comm));              //= 6
  print(args.next_pid < 0);                   //= true
  print(str(args.prev_comm, 3));              //= fi
  @[args.prev_comm, args.prev_pid] = count();
}
// at the end
//= @[first, 5]: 1
`)
		w.sees([]any{w.record("sched", "sched_process_exec", map[string]any{"filename": "/bin/ls", "pid": 7, "old_pid": 8})}, `
tracepoint:sched:sched_process_exec {
  print(args.pid + args.old_pid);     //= 15
  print(str(args.filename));          //= /bin/ls
  print(args.filename);               //= /bin/ls
  print(strlen(str(args.filename)));  //= 7
  print(args.filename == "/bin/ls");  //= true
  print(args);                        //= { .filename = /bin/ls, .pid = 7, .old_pid = 8 }
}
`)
	}
}

// TestTracepointsAlike: two tracepoints with the same fields run the same action.
func TestTracepointsAlike(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{w.record("sched", "sched_wakeup", map[string]any{"comm": "one", "pid": 5, "prio": 120})}, `
tracepoint:sched:sched_wakeup, tracepoint:sched:sched_waking {
  print((args.comm, args.pid, args.prio)); //= (one, 5, 120) | (one, 5, 120)
  @[probe] = count();
}
// at the end
//= @[tracepoint:sched:sched_wakeup]: 1
//= @[tracepoint:sched:sched_waking]: 1
`)
}

// TestRawTracepoints: arguments are pointers of the kernel.
func TestRawTracepoints(t *testing.T) {
	w := newWorld(t, "6.12")
	next := w.object("task_struct", map[string]any{"comm": "second", "pid": 9, "tgid": 8})
	w.sees([]any{call{args: []uint64{1, w.task, next, 2}}}, `
rawtracepoint:sched_switch {
  print((args.preempt, args.prev_state));  //= (true, 2)
  print((args.prev.comm, args.next.comm)); //= (sh, second)
  print(args.prev.tgid);                   //= 700
  print(args.next.pid);                    //= 9
  print(args.prev.real_parent.comm);       //= init
  print(arg3);                             //= 2
  print(args.next == curtask);             //= false
  print(args.prev == curtask);             //= true
  print(str(args.next.comm));              //= second
}
`)
}

// TestTask: what is asked of the running thread, and of another.
func TestTask(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		w.sees([]any{call{args: []uint64{0, 0}}}, `
kprobe:vfs_open {
  print((pid, tid, comm, uid, gid));                  //= (700, 701, sh, 1000, 1001)
  print(curtask.pid);                                 //= 701
  print(curtask.comm);                                //= sh
  print(curtask.real_parent.comm);                    //= init
  print(curtask.flags);                               //= 4194304
  print((ppid, pcomm));                               //= (1, init)
  print(ppid(curtask));                               //= 1
  print(comm(curtask.real_parent));                   //= init
  print(pcomm(curtask));                              //= init
  print(cgroup);                                      //= 55
  print(comm == "sh");                                //= true
  print(pcomm == "init");                             //= true
  @[comm, ppid] = count();
  if (pid == 700 && comm == "sh") { print("it is"); }
//= it is
  print(strncmp(comm, "s", 1));                       //= 0
  print(str_concat(comm, "!"));                       //= sh!
  print(jiffies == 4294967295);                       //= true
}
// at the end
//= @[sh, 1]: 1
`)
	}
}

// TestUprobes: arguments in registers, texts in the memory of the process.
func TestUprobes(t *testing.T) {
	w := newWorld(t, newest)
	argv := w.put(words(w.text("ls"), w.text("-l"), 0))
	w.sees([]any{call{args: []uint64{2, argv}, result: 7}}, `
uprobe:/bin/true:main {
  print(arg0);                      //= 2
  print(str(*(uint64 *)arg1));      //= ls
  print(str(((char **)arg1)[1]));   //= -l
  print(*(uint64 *)(arg1 + 16));    //= 0
  print(reg("di"));                 //= 2
  print(buf(*(uint64 *)arg1, 2));   //= ls
  print(*(uint8 *)*(uint64 *)arg1); //= 108
  join((char **)arg1);              //= ls -l
}
uretprobe:/bin/true:main {
  print(retval);                    //= 7
  print((int32)retval == 7);        //= true
}
ucall:/bin/true:main {
  print((arg0, retval));            //= (2, 7)
}
`)
}

// TestSystemCalls: arguments and results of one call of several, whichever way the kernel offers them.
func TestSystemCalls(t *testing.T) {
	for _, kernel := range []string{oldest, "6.12", newest} {
		w := newWorld(t, kernel)
		openat := sysCall{name: "openat", number: 257, args: [6]uint64{^uint64(99), w.text("/etc/passwd"), 0x80000, 0o644, 5, 6}, result: ^uint64(1)}
		read := sysCall{name: "read", args: [6]uint64{3, w.text("data"), 100}, result: 4}
		both := []any{openat, read}
		w.sees(both, `
syscall:openat {
  print(args.dfd);               //= -100
  print(str(args.filename));     //= /etc/passwd
  print(args.flags & O_CLOEXEC); //= 524288
  print(args.mode);              //= 420
  print((ret, errno));           //= (-2, 2)
  print(errno == ENOENT);        //= true
  print(took < 60s);             //= true
  print(func);                   //= openat
  print((args.0, args.2));       //= (-100, 524288)
  print(probe);                  //= syscall:openat
}
`)
		w.sees(both, `
syscall:openat, syscall:read {
  print((func, ret));            //= (openat, -2) | (read, 4)
  @[func, errno] = count();
  @took[func] = sum(took > 60s);
}
// at the end
//= @[read, 0]: 1
//= @[openat, 2]: 1
//= @took[read]: 0
//= @took[openat]: 0
`)
		w.sees(both, `
syscall:read, syscall:write /args.count > 50/ {
  print((args.fd, args.count));                 //= (3, 100)
  print(buf(args.buf, 4));                      //= data
  @ = sum(ret);
}
// at the end
//= @: 4
`)
		w.sees(both, `
tracepoint:syscalls:sys_enter_openat {
  print(args.dfd);                     //= -100
  print(str(args.filename));           //= /etc/passwd
  print(args.flags & O_CLOEXEC);       //= 524288
  print(args.mode);                    //= 420
  print(args.__syscall_nr);            //= 257
}
tracepoint:syscalls:sys_exit_openat {
  print(args.ret);                     //= -2
  print(args.ret < 0);                 //= true
}
`)
		w.sees(both, `
tracepoint:raw_syscalls:sys_enter {
  print((args.id, args.args[0], args.args[2])); //= (257, 18446744073709551516, 524288) | (0, 3, 100)
  $i = 3; print(args.args[$i]);                 //= 420 | 0
  print(args.args[5]);                          //= 6 | 0
}
tracepoint:raw_syscalls:sys_exit {
  print((args.id, args.ret));                   //= (257, -2) | (0, 4)
  print(syscall_name(args.id));                 //= openat | read
  print(is_syscall(args.id, "open*"));          //= true | false
  print(is_syscall(args.id, "read,write"));     //= false | true
}
`)
		w.sees(both, `
rawtracepoint:sys_enter {
  print(arg1);                             //= 257 | 0
  print(((struct pt_regs *)arg0).orig_ax); //= 257 | 0
  print(((struct pt_regs *)arg0).dx);      //= 524288 | 100
}
`)
		w.sees(both, `
tracepoint:syscalls:sys_enter_*at, tracepoint:syscalls:sys_enter_read {
  print(args.__syscall_nr); //= 257 | 0
  @[func] = count();
}
// at the end
//= @[tracepoint:syscalls:sys_enter_read]: 1
//= @[tracepoint:syscalls:sys_enter_openat]: 1
`)
		w.sees(both, `
tracepoint:syscalls:sys_exit_openat, tracepoint:syscalls:sys_exit_read {
  print((probe, args.ret)); //= (tracepoint:syscalls:sys_exit_openat, -2) | (tracepoint:syscalls:sys_exit_read, 4)
}
`)
	}
}

// TestActions: what acts on the system is asked of the kernel.
func TestActions(t *testing.T) {
	w := newWorld(t, newest)
	at := w.put(make([]byte, 8))
	w.sees([]any{call{args: []uint64{at, 0}}}, `
kprobe:vfs_open {
  signal("KILL");
  signal(10);
  $n = arg1 + 15; signal($n);
}
kprobe:__x64_sys_getuid {
  override(-1);
}
uprobe:/bin/true:main {
  $v = (uint64)0x4142; write_user(arg0, &$v, 2);
  print(*(uint16 *)arg0);                        //= 16706
}
// at the end
//= signal 9
//= signal 10
//= signal 15
//= return -1
`)
}

// TestStacks: frames of the kernel, as values and keys.
func TestStacks(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{call{args: []uint64{0, 0}}, call{args: []uint64{0, 0}}}, `
kprobe:vfs_open {
  @[kstack(2)] = count();
  print(len(kstack));      //= 3 | 3
  print(kstack == kstack); //= true | true
}
// at the end
//= @[
//=         0xffffffff81000000
//=         0xffffffff81000001
//= ]: 2
`)
}
