package builtin

import "fst/compiler/types"

var taskVars = []*Var{
	{Name: "pid", Family: "task", Signature: "pid([init|curr_ns])", Max: 1, Args: []ArgKind{Word}, Words: []string{"init", "curr_ns"}, Type: types.U32,
		Help: "process id", Example: `@[pid] = count()`},
	{Name: "tid", Family: "task", Signature: "tid([init|curr_ns])", Max: 1, Args: []ArgKind{Word}, Words: []string{"init", "curr_ns"}, Type: types.U32,
		Help: "thread id: the usual key to pair an entry with its return", Example: `@start[tid] = nsecs`},
	{Name: "ppid", Family: "task", Signature: "ppid([task])", Max: 1, Args: []ArgKind{Task}, Type: types.U32,
		Help: "process id of the parent", Example: `print(ppid)`},
	{Name: "pcomm", Family: "task", Signature: "pcomm([task])", Max: 1, Args: []ArgKind{Task}, Type: types.StringType(16),
		Help: "name of the parent process", Example: `@[pcomm] = count()`},
	{Name: "leader_tid", Family: "task", Signature: "leader_tid([task])", Max: 1, Args: []ArgKind{Task}, Type: types.U32,
		Help: "thread id of the thread-group leader", Example: `print(leader_tid)`},
	{Name: "leader_comm", Family: "task", Signature: "leader_comm([task])", Max: 1, Args: []ArgKind{Task}, Type: types.StringType(16),
		Help: "name of the thread-group leader", Example: `@[leader_comm] = count()`},
	{Name: "uid", Family: "task", Type: types.U64, Help: "user id, as the first user namespace counts", Example: `/uid == 0/`},
	{Name: "gid", Family: "task", Type: types.U64, Help: "group id, as the first user namespace counts", Example: `@[gid] = count()`},
	{Name: "username", Family: "task", Type: UsernameType, Help: "name of the user, looked up when it is shown", Example: `@[username] = count()`},
	{Name: "comm", Family: "task", Signature: "comm([task])", Max: 1, Args: []ArgKind{Task}, Type: types.StringType(16),
		Help: "name of the thread, at most 15 characters", Example: `@[comm] = count()`},
	{Name: "cgroup", Family: "task", Type: types.U64, Help: "id of the cgroup (version 2)", Example: `/cgroup == cgroupid("/sys/fs/cgroup/x")/`},
	{Name: "curtask", Family: "task", Help: "the kernel's struct task_struct of the thread", Example: `curtask.mm.total_vm`},
	{Name: "kstack", Family: "task", Signature: "kstack([mode][, frames])", Max: 2, Args: []ArgKind{Any}, Help: "kernel stack", Example: `@[kstack(5)] = count()`},
	{Name: "ustack", Family: "task", Signature: "ustack([mode][, frames])", Max: 2, Args: []ArgKind{Any}, Help: "user stack, by frame pointers", Example: `@[ustack(perf, 10)] = count()`},
	{Name: "dw_ustack", Family: "task", Signature: "dw_ustack([mode][, frames])", Max: 2, Args: []ArgKind{Any}, Help: "user stack of programs without frame pointers, by their unwind tables", Example: `@[dw_ustack] = count()`},
	{Name: "usermode", Family: "task", Type: types.U8, In: inRegs, Help: "1 if the interrupted code is a user program, 0 for the kernel", Example: `profile:hz:99 /usermode/`},
}

var timeVars = []*Var{
	{Name: "nsecs", Family: "time", Signature: "nsecs([monotonic|boot|tai|sw_tai])", Max: 1, Args: []ArgKind{Word}, Words: []string{"monotonic", "boot", "tai", "sw_tai"}, Type: types.U64,
		Help: "nanoseconds since boot, sleep included", Example: `@start[tid] = nsecs`},
	{Name: "elapsed", Family: "time", Type: types.U64, Help: "nanoseconds since the script started", Example: `printf("%d ms\n", elapsed / 1ms)`},
	{Name: "took", Family: "time", Type: types.U64, In: []string{"kretprobe", "uretprobe", "fexit", "call", "ucall", "syscall", "tracepoint"},
		Help: "nanoseconds that the call took, at its return", Example: `call:vfs_read { @[comm] = hist(took / 1us) }`},
	{Name: "jiffies", Family: "time", Type: types.U64, Help: "the kernel's tick counter", Example: `print(jiffies)`},
}

var probeVars = []*Var{
	{Name: "probe", Family: "probe", Type: ProbeType, Help: "full name of the probe that fired", Example: `@[probe] = count()`},
	{Name: "probetype", Family: "probe", Help: "provider of the probe that fired", Example: `print(probetype)`},
	{Name: "func", Family: "probe", In: inFunc, Help: "name of the probed function, system call or event", Example: `@[func] = count()`},
	{Name: "args", Family: "probe", In: inRecord, Help: "the arguments by name, also of the entry in probes of returns", Example: `str(args.filename)`},
	{Name: "argN", Family: "probe", Type: types.U64, In: inArgs, Help: "argument N, from 0, as an unsigned number", Example: `arg0`},
	{Name: "retval", Family: "probe", In: inReturn, Help: "what the function returned", Example: `/retval < 0/`},
	{Name: "ret", Family: "probe", Type: types.I64, In: []string{"syscall", "tracepoint"}, Help: "what the system call returned", Example: `syscall:read { @ = hist(ret) }`},
	{Name: "errno", Family: "probe", Type: types.I64, In: []string{"syscall", "tracepoint"}, Help: "error number of the system call, 0 if it succeeded", Example: `/errno == ENOENT/`},
	{Name: "ctx", Family: "probe", In: append([]string{"iter"}, inRegs...), Help: "the context that the kernel gives the probe", Example: `ctx.task`},
}

var systemVars = []*Var{
	{Name: "cpu", Family: "system", Type: types.U32, Help: "number of the CPU", Example: `@[cpu] = count()`},
	{Name: "ncpus", Family: "system", Type: types.U32, Help: "number of CPUs", Example: `print(ncpus)`},
	{Name: "numaid", Family: "system", Type: types.U32, Help: "number of the NUMA node", Example: `@[numaid] = count()`},
	{Name: "rand", Family: "system", Type: types.U32, Help: "a random number", Example: `/rand % 100 == 0/`},
	{Name: "cpid", Family: "system", Type: types.U32, Help: "process id of the child that -c started", Example: `/pid == cpid/`},
	{Name: "has_cpid", Family: "system", Type: types.BoolType, Help: "true if -c started a child", Example: `if (has_cpid) { print(cpid) }`},
	{Name: "pidns", Family: "system", Type: types.U64, Help: "number of the PID namespace that fst runs in, or 0 if that is the machine's own", Example: `print(pidns)`},
	{Name: "arch", Family: "system", Help: "the kind of the processor, as in x86_64", Example: `if (arch == "x86_64") { print(reg("ip")) }`},
	{Name: "safe_mode", Family: "system", Type: types.BoolType, Help: "true without --unsafe", Example: `if (!safe_mode) { print("--unsafe") }`},
	{Name: "elf_is_exe", Family: "system", Type: types.BoolType, In: inUser, Help: "true if the probed program is loaded at the addresses of its symbols, and not where there is room", Example: `if (elf_is_exe) { print(uaddr("main")) }`},
	{Name: "elf_info", Family: "system", Type: types.U64, In: inUser, Help: "number of the inode of the probed program or library", Example: `print(elf_info)`},
	{Name: "config", Family: "system", Help: "the settings in force", Example: `config.max_strlen`},
}
