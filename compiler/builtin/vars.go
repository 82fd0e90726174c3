package builtin

import (
	"fst/compiler/ir"
	"fst/compiler/types"
)

var (
	VarPid = variable(Var{Name: "pid", NotText: "comm is the name of the thread", Family: "task", Signature: "pid([init|curr_ns])", Max: 1, Args: []ArgKind{Word}, Words: []string{"init", "curr_ns"}, Type: types.U32,
		Help: "process ID", Example: `@[pid] = count()`, Effects: OfThread | SameAtEntry})
	VarTid = variable(Var{Name: "tid", NotText: "comm is the name of the thread", Family: "task", Signature: "tid([init|curr_ns])", Max: 1, Args: []ArgKind{Word}, Words: []string{"init", "curr_ns"}, Type: types.U32,
		Help: "thread ID: the usual key to pair an entry with its return", Example: `@start[tid] = nsecs`, Effects: OfThread | SameAtEntry})
	VarPpid = variable(Var{Name: "ppid", Family: "task", Signature: "ppid([task])", Max: 1, Args: []ArgKind{Task}, Type: types.U32,
		Help: "process ID of the parent, in the PID namespace that fst runs in", Example: `print(ppid)`, Effects: OfThread})
	VarPcomm = variable(Var{Name: "pcomm", Family: "task", Signature: "pcomm([task])", Max: 1, Args: []ArgKind{Task}, Type: types.StringType(16),
		Help: "name of the parent process", Example: `@[pcomm] = count()`, Effects: OfThread, Member: []string{"real_parent", "comm"}})
	VarLeaderTid = variable(Var{Name: "leader_tid", Family: "task", Signature: "leader_tid([task])", Max: 1, Args: []ArgKind{Task}, Type: types.U32,
		Help: "thread ID of the thread-group leader", Example: `print(leader_tid)`, Effects: OfThread})
	VarLeaderComm = variable(Var{Name: "leader_comm", Family: "task", Signature: "leader_comm([task])", Max: 1, Args: []ArgKind{Task}, Type: types.StringType(16),
		Help: "name of the thread-group leader", Example: `@[leader_comm] = count()`, Effects: OfThread, Member: []string{"group_leader", "comm"}})
	VarUid      = variable(Var{Name: "uid", NotText: "0 is root; id -u NAME prints the number of a user", Family: "task", Type: types.U64, Help: "user ID, in the initial user namespace", Example: `/uid == 0/`, Effects: OfThread | SameAtEntry, Fact: ir.FactUserIDs, Part: Low})
	VarGid      = variable(Var{Name: "gid", NotText: "0 is root; getent group NAME prints the number of a group", Family: "task", Type: types.U64, Help: "group ID, in the initial user namespace", Example: `@[gid] = count()`, Effects: OfThread | SameAtEntry, Fact: ir.FactUserIDs, Part: High})
	VarUsername = variable(Var{Name: "username", Family: "task", Type: UsernameType, Help: "name of the user, looked up when it is shown", Example: `@[username] = count()`, Effects: OfThread, Fact: ir.FactUserIDs, Part: Low})
	VarComm     = variable(Var{Name: "comm", Family: "task", Signature: "comm([task])", Max: 1, Args: []ArgKind{Task}, Type: types.StringType(16),
		Help: "name of the thread, at most 15 characters", Example: `@[comm] = count()`, Effects: OfThread | SameAtEntry})
	VarCgroup    = variable(Var{Name: "cgroup", NotText: `cgroupid("/sys/fs/cgroup/NAME") is the number of a cgroup`, Family: "task", Type: types.U64, Help: "id of the cgroup (version 2)", Example: `/cgroup == cgroupid("/sys/fs/cgroup/x")/`, Effects: OfThread, Fact: ir.FactCgroup})
	VarContainer = variable(Var{Name: "container", Family: "task", Signature: "container([cgroup])", Max: 1, Args: []ArgKind{Integer}, Type: ContainerType,
		Help: "name of the container that the thread runs in, \"\" outside of containers", Example: `/container == "web"/`, Effects: OfThread})
	VarPod = variable(Var{Name: "pod", Family: "task", Signature: "pod([cgroup])", Max: 1, Args: []ArgKind{Integer}, Type: PodType,
		Help: "namespace and name of the Kubernetes pod that the thread runs in, \"\" outside of pods", Example: `@[pod] = count()`, Effects: OfThread})
	VarCurtask  = variable(Var{Name: "curtask", Family: "task", Help: "the kernel's struct task_struct of the thread", Example: `curtask.mm.total_vm`, Effects: OfThread, Rule: ofCurtask, Fact: ir.FactTask})
	VarKstack   = variable(Var{Name: "kstack", Family: "task", Signature: "kstack([mode][, frames])", Max: 2, Args: []ArgKind{Any}, Help: "kernel stack", Example: `@[kstack(5)] = count()`, Effects: ReadsStack, Stack: types.KStack})
	VarUstack   = variable(Var{Name: "ustack", Family: "task", Signature: "ustack([mode][, frames])", Max: 2, Args: []ArgKind{Any}, Help: "user stack, found by frame pointers", Example: `@[ustack(perf, 10)] = count()`, Effects: ReadsStack | OfThread, Stack: types.UStack})
	VarDwUstack = variable(Var{Name: "dw_ustack", Family: "task", Signature: "dw_ustack([mode][, frames])", Max: 2, Args: []ArgKind{Any}, Help: "user stack, found by unwind tables, for programs without frame pointers", Example: `@[dw_ustack] = count()`, Effects: ReadsStack | OfThread, Stack: types.UStack, Tables: true})
	VarUsermode = variable(Var{Name: "usermode", Family: "task", Type: types.U8, In: inRegs, Help: "1 if the interrupted code is a user program, 0 for the kernel", Example: `profile:hz:99 /usermode/`, Effects: OfThread, Instead: insteadOfUsermode})
)

var (
	FuncFollowed = function(Func{Name: "followed", Family: "task", Signature: "followed(pid)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Type: types.BoolType,
		Help: "true if a process is the one that --only limits the program to, or was started by it; always true without --only", Example: `if (followed(ppid)) { }`, Effects: SameAtEntry, Rule: ofFollowed})
	FuncFollow = function(Func{Name: "follow", Family: "task", Signature: "follow(pid, parent)", Min: 2, Max: 2, Args: []ArgKind{Integer, Integer}, Type: none,
		Help: "a process is followed from now on if its parent is: --only does that for each new process", Example: `follow(pid, ppid)`, Effects: DoesAct})
)

var (
	VarNsecs = variable(Var{Name: "nsecs", Family: "time", Signature: "nsecs([monotonic|boot|tai|sw_tai])", Max: 1, Args: []ArgKind{Word}, Words: []string{"monotonic", "boot", "tai", "sw_tai"}, Type: types.U64,
		Help: "nanoseconds since boot, sleep included", Example: `@start[tid] = nsecs`, Unit: types.Nanoseconds})
	VarElapsed = variable(Var{Name: "elapsed", Family: "time", Type: types.U64, Help: "nanoseconds since the script started", Example: `printf("%d ms\n", elapsed / 1ms)`, Unit: types.Nanoseconds})
	VarTook    = variable(Var{Name: "took", Family: "time", Type: types.U64, In: []string{"kretprobe", "uretprobe", "fexit", "call", "ucall", "syscall", "tracepoint"},
		Help: "duration of the call in nanoseconds, at its return", Example: `call:vfs_read { @[comm] = hist(took / 1us) }`, Effects: ReadsCall | ReadsStart | OfPlace, Unit: types.Nanoseconds, Instead: insteadOfTook})
	VarJiffies = variable(Var{Name: "jiffies", Family: "time", Type: types.U64, Help: "the kernel's tick counter", Example: `print(jiffies)`, Fact: ir.FactJiffies})
)

var (
	VarProbe     = variable(Var{Name: "probe", Family: "probe", Type: ProbeType, Help: "full name of the probe that fired", Example: `@[probe] = count()`, Effects: ReadsProbe, Rule: ofProbe})
	VarProbetype = variable(Var{Name: "probetype", Family: "probe", Help: "provider of the probe that fired", Example: `print(probetype)`, Rule: ofProbetype})
	VarFunc      = variable(Var{Name: "func", Family: "probe", In: inFunc, Help: "name of the probed function, system call or event", Example: `@[func] = count()`, Effects: ReadsFunc | OfPlace, Rule: ofFunc, Instead: insteadOfFunc})
	VarArgs      = variable(Var{Name: "args", Family: "probe", In: inRecord, Help: "the arguments by name; in probes of returns, as they were at the entry", Example: `str(args.filename)`, Effects: ReadsArgs | SameAtEntry, Instead: insteadOfArgs})
	VarArgN      = variable(Var{Name: "argN", Family: "probe", Type: types.U64, In: inArgs, Help: "argument N, from 0, as an unsigned number", Example: `arg0`, Effects: ReadsArgN | OfPlace})
	VarRetval    = variable(Var{Name: "retval", Family: "probe", In: inReturn, Help: "what the function returned", Example: `/retval < 0/`, Effects: ReadsResult | ReadsCall | OfPlace, Rule: ofResult, Instead: insteadOfRetval})
	VarRet       = variable(Var{Name: "ret", Family: "probe", Type: types.I64, In: []string{"syscall", "tracepoint"}, Help: "what the system call returned", Example: `syscall:read { @ = hist(ret) }`, Effects: ReadsResult | ReadsCall | OfPlace, Rule: ofResult, Instead: insteadOfRet("ret")})
	VarErrno     = variable(Var{Name: "errno", Family: "probe", Type: types.I64, In: []string{"syscall", "tracepoint"}, Help: "error number of the system call, 0 if it succeeded", Example: `/errno == ENOENT/`, Effects: ReadsResult | ReadsCall | OfPlace, Instead: insteadOfRet("errno")})
	VarCtx       = variable(Var{Name: "ctx", Family: "probe", In: append([]string{"iter"}, inRegs...), Help: "the context that the kernel gives the probe", Example: `ctx.task`, Effects: OfPlace, Rule: ofCtx})
)

var (
	VarCpu      = variable(Var{Name: "cpu", Family: "system", Type: types.U32, Help: "number of the CPU", Example: `@[cpu] = count()`, Fact: ir.FactCPU})
	VarNcpus    = variable(Var{Name: "ncpus", Family: "system", Type: types.U32, Help: "number of CPUs", Example: `print(ncpus)`, Rule: ofNcpus})
	VarNumaid   = variable(Var{Name: "numaid", Family: "system", Type: types.U32, Help: "number of the NUMA node", Example: `@[numaid] = count()`, Fact: ir.FactNode})
	VarRand     = variable(Var{Name: "rand", Family: "system", Type: types.U32, Help: "a random number", Example: `/rand % 100 == 0/`, Fact: ir.FactRandom})
	VarCpid     = variable(Var{Name: "cpid", Family: "system", Type: types.U32, Help: "process ID of the child that -c started", Example: `/pid == cpid/`, Rule: ofCpid})
	VarHasCpid  = variable(Var{Name: "has_cpid", Family: "system", Type: types.BoolType, Help: "true if -c started a child", Example: `if (has_cpid) { print(cpid) }`, Rule: ofHasCpid})
	VarPidns    = variable(Var{Name: "pidns", Family: "system", Type: types.U64, Help: "number of the PID namespace that fst runs in, or 0 if that is the initial one", Example: `print(pidns)`, Rule: ofPidns})
	VarArch     = variable(Var{Name: "arch", Family: "system", Help: "the architecture of the processor, such as x86_64", Example: `if (arch == "x86_64") { print(reg("ip")) }`, Rule: ofArch})
	VarSafeMode = variable(Var{Name: "safe_mode", Family: "system", Type: types.BoolType, Help: "true without --unsafe", Example: `if (!safe_mode) { print("--unsafe") }`, Rule: ofSafeMode})
	VarElfIsExe = variable(Var{Name: "elf_is_exe", Family: "system", Type: types.BoolType, In: inUser, Help: "true if the probed program is loaded at the fixed addresses of its symbols (not position-independent)", Example: `if (elf_is_exe) { print(uaddr("main")) }`, Effects: ReadsProgram, Rule: ofElfIsExe})
	VarElfInfo  = variable(Var{Name: "elf_info", Family: "system", Type: types.U64, In: inUser, Help: "inode number of the probed program or library", Example: `print(elf_info)`, Effects: ReadsProgram, Rule: ofElfInfo})
	VarConfig   = variable(Var{Name: "config", Family: "system", Help: "the settings in force", Example: `config.max_strlen`})
)
