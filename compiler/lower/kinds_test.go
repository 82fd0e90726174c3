package lower_test

import (
	"testing"

	"fst/compiler/target"
)

// TestStaticProbes: arguments of static probes are where their notes say.
func TestStaticProbes(t *testing.T) {
	w := newWorld(t, newest)
	five := int64(-5)
	w.kernel.Probes = map[string][]target.USDTProbe{"/bin/true": {{Provider: "p", Name: "n", Offset: 8, Args: []target.USDTArg{
		{Size: 4, Signed: true, Const: &five},
		{Size: 8, Reg: "di"},
		{Size: 1, Signed: true, Reg: "rsi"},
		{Size: 4, Base: "sp", Disp: 8},
		{Size: 2, Signed: true, Base: "sp", Index: "cx", Scale: 8, Disp: 8},
		{Size: 8, Index: "r8", Scale: 1, Disp: 0},
	}}}}
	stack := w.put(words(0, 1<<40|7, 0xfffe))
	w.sees([]any{regs(map[string]uint64{"di": 1 << 40, "si": 0x1ff, "sp": stack, "cx": 1, "r8": stack + 16})}, `
usdt:/bin/true:p:n {
  print(arg0);              //= -5
  print(arg1);              //= 1099511627776
  print(arg2);              //= -1
  print(arg3);              //= 7
  print(arg4);              //= -2
  print(arg5);              //= 65534
  print((int32)arg0 == -5); //= true
  print(probe);             //= usdt:/bin/true:p:n
  @[arg1] = count();
}
// at the end
//= @[1099511627776]: 1
`)
}

// TestStructArguments: structs by value are in two registers, or on the stack; what is behind them moves on.
func TestStructArguments(t *testing.T) {
	for _, kernel := range []string{"6.12", newest} {
		w := newWorld(t, kernel)
		w.sees([]any{call{args: []uint64{1, 2, 3, w.text("value"), 1, 77}}}, `
kprobe:tcp_setsockopt {
  print((args.level, args.optname, args.optlen)); //= (2, 3, 77)
  print(args.optval.is_kernel);                   //= true
  print(str(args.optval.kernel));                 //= value
  $o = args.optval; print($o.is_kernel);          //= true
  print(args.sk == (struct sock *)1);             //= true
}
`)
	}
}

// TestDefaultAction: a clause without an action shows the event: who, where, arguments and the result.
func TestDefaultAction(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{call{args: []uint64{16, 32}, result: 5}}, `
kprobe:vfs_open /arg0 == 16/
kprobe:vfs_open /arg0 == 17/
call:vfs_read
fentry:vfs_write
uprobe:/bin/true:main
kretprobe:vfs_open
// at the end
//= TIME sh                  700 kprobe:vfs_open path=0x10 file=0x20
//= TIME sh                  700 fentry:vmlinux:vfs_write file=0x10 buf="" count=5 pos=0x0
//= TIME sh                  700 uprobe:/bin/true:main
//= TIME sh                  700 call:vfs_read file=0x10 buf="" count=0 pos=0x0 = 5 TOOK
//= TIME sh                  700 kretprobe:vfs_open = 5
//= script:4:1-14: WARNING: 1 read of memory failed; 0 was used instead: the pointer was null or invalid, or the memory was not loaded
//= script:5:1-17: WARNING: 1 read of memory failed; 0 was used instead: the pointer was null or invalid, or the memory was not loaded
`)
	w.sees([]any{w.record("sched", "sched_process_exec", map[string]any{"filename": "/bin/ls", "pid": 7, "old_pid": 8})}, `
tracepoint:sched:sched_process_exec
// at the end
//= TIME sh                  700 tracepoint:sched:sched_process_exec filename="/bin/ls" pid=7 old_pid=8
`)
	w.sees([]any{sysCall{name: "openat", number: 257, args: [6]uint64{3, w.text("/etc/passwd"), 5, 6}, result: ^uint64(1)}}, `
syscall:openat
syscall:openat, syscall:read
tracepoint:syscalls:sys_enter_openat
tracepoint:syscalls:sys_exit_openat
// at the end
//= TIME sh                  700 tracepoint:syscalls:sys_enter_openat dfd=3 filename="/etc/passwd" flags=5 mode=6 __filename_val=""
//= TIME sh                  700 syscall:openat dfd=3 filename="/etc/passwd" flags=5 mode=6 = -2 (No such file or directory) TOOK
//= TIME sh                  700 syscall:openat dfd=3 filename="/etc/passwd" flags=5 mode=6 = -2 (No such file or directory) TOOK
//= TIME sh                  700 tracepoint:syscalls:sys_exit_openat = -2 (No such file or directory)
`)
}

// TestPerfEvents: what is interrupted is in the registers.
func TestPerfEvents(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{regs(map[string]uint64{"ip": 0x1234, "cs": 0x33, "sp": 8, "di": 9}), regs(map[string]uint64{"ip": 0xffffffff81000000, "cs": 0x10})}, `
profile:hz:99 {
  print(usermode);             //= 1 | 0
  print(reg("ip") == 0x1234);  //= true | false
  print((pid, comm));          //= (700, sh) | (700, sh)
  if (usermode) { @user = count(); } else { @kernel = count(); }
  @[comm, usermode] = count();
}
// at the end
//= @[sh, 0]: 1
//= @[sh, 1]: 1
//= @kernel: 1
//= @user: 1
`)
}

// TestIterators: each object once; the members of what the kernel hands over.
func TestIterators(t *testing.T) {
	w := newWorld(t, "6.12")
	meta := w.put(words(0, 5, 2))
	w.sees([]any{words(meta, w.task), words(meta, 0)}, `
iter:task {
  print(ctx.task.comm);              //= sh
  print(ctx.task.pid);               //= 701
  print(ctx.meta.seq_num);           //= 2
  print(ctx.task.real_parent.comm);  //= init
  if (ctx.task) { @seen = count(); }
  @[ctx.task.tgid] = count();
}
// at the end
//= @[700]: 1
//= @seen: 1
`)
	w.sees([]any{words(meta, w.task)}, `
iter:task
// at the end
//= TIME sh                  700 iter:task
`)
}

// TestDeclaredProbes: a clause that fires a probe runs the clauses on it, with the fields that it gives.
func TestDeclaredProbes(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{call{args: []uint64{16, 100}}, call{args: []uint64{16, 5}}}, `
probe my:open(size: uint64, name: string[16], pid: uint32);
kprobe:vfs_open /arg1 > 50/ {
  fire my:open(size = arg1 * 2, name = "big", pid = 4);
}
kprobe:vfs_open /arg1 <= 50/ {
  fire my:open(size = arg1, name = str_concat("sm", "all"), pid = 5);
}
my:open {
  print((args.size, args.name, pid));                       //= (200, big, 4) | (5, small, 5)
  @[args.name] = sum(args.size);
  if (args.size < 10) { return; }
  print("large");                                           //= large
}
my:open /args.size > 150/ {
  print(args);                                              //= { .size = 200, .name = big, .pid = 4 }
  print(probe);                                             //= my:open
}
// at the end
//= @[small]: 5
//= @[big]: 200
`)
}

// TestFilters: an action runs where the filter of its clause is true.
func TestFilters(t *testing.T) {
	w := newWorld(t, newest)
	w.sees([]any{call{args: []uint64{1, 2}}, call{args: []uint64{3, 0}}}, `
kprobe:vfs_open /arg0 == 1/ {
  print("one");                                 //= one
}
kprobe:vfs_open /arg0 > 1 && arg1 == 0/ {
  print("second");                              //= second
}
kprobe:vfs_open /arg1/ {
  print("has arg1");                            //= has arg1
}
kprobe:vfs_open /comm == "sh" && pid == 700/ {
  print("sh");                                  //= sh | sh
}
kprobe:vfs_open /comm != "sh" || tid == 5/ {
  print("never");
}
kprobe:vfs_open /has_key(@seen, arg0)/ {
  print("not yet seen");
}
kprobe:vfs_open /!(arg0 & 2)/ {
  @seen[arg0] = 1;
}
kprobe:vfs_open /@seen[1] == 1/ {
  print("seen");                                //= seen | seen
}
kprobe:vfs_open /strncmp(comm, "s", 1) == 0 ? arg0 == 3 : 0/ {
  print("three");                               //= three
}
call:vfs_read /args.count == 1 || retval > 5/ {
  print("not of this function's arguments");
}
// at the end
//= @seen[1]: 1
`)
}

// TestOtherBuiltins: what only some probes have.
func TestOtherBuiltins(t *testing.T) {
	w := newWorld(t, newest)
	mac := w.put([]byte{1, 2, 3, 10, 11, 12, 0, 0})
	w.sees([]any{call{args: []uint64{mac, 6}}}, `
kprobe:vfs_open {
  print(macaddr(arg0));                                  //= 01:02:03:0A:0B:0C
  print(buf(arg0, arg1));                                //= \x01\x02\x03\x0a\x0b\x0c
  $n = arg1 - 4; print(buf(arg0, $n));                   //= \x01\x02
  print(str(arg0, $n) == "\x01");                        //= true
  print(ntop(arg0 & 0xff));                              //= 0.0.0.0
  print(ntop(2, (uint32)0x0100007f));                    //= 127.0.0.1
  $family = arg1 + 4; print(ntop($family, pton("::1"))); //= ::1
  $family = arg1 - 4; print(ntop($family, pton("::1"))); //= 0.0.0.0
  print(nsecs(monotonic) > 0);                           //= true
  print(kptr(arg0) == (void *)arg0);                     //= true
  print(is_err((void *)arg0));                           //= false
  print(is_err((void *)-14));                            //= true
  print(pid(init) + tid(init));                          //= 1401
  print(usym(arg1) != usym(arg0) ? 1 : 2);               //= 1
  time("now\n");                                         //= now
  print(*(uint8 *)(arg0 + 3));                           //= 10
  print(*(uint32 *)arg0);                                //= 167969281
  print(((uint8[4] *)arg0)[0][1]);                       //= 2
  print((*(uint8[6] *)arg0)[5]);                         //= 12
  print((uint64)*(uint8[8] *)arg0 == *(uint64 *)arg0);   //= true
  exit(3);
}
`)
	w.sees([]any{call{args: []uint64{w.object("sock", map[string]any{"__sk_common.skc_daddr": 0x0100007f, "__sk_common.skc_family": 2, "__sk_common.skc_dport": 0x5000}), 0}}}, `
fentry:tcp_v4_do_rcv {
  print(ntop(args.sk.__sk_common.skc_daddr));  //= 127.0.0.1
  print(bswap(args.sk.__sk_common.skc_dport)); //= 80
  print(args.sk.__sk_common.skc_family);       //= 2
  print(socket_cookie(args.sk));               //= 66
}
`)
}
