package builtin

import "fst/compiler/types"

var (
	FuncStr = function(Func{Name: "str", Family: "strings", Signature: "str(address[, length])", Min: 1, Max: 2, Args: []ArgKind{Any},
		Help: "read a string; str($1) is the text of an argument", Example: `str(args.filename)`, NameOf: 1, Rule: ofStr})
	FuncBuf = function(Func{Name: "buf", Family: "strings", Signature: "buf(address[, length])", Min: 1, Max: 2, Args: []ArgKind{Any},
		Help: "read bytes, to be printed with %r; bytes after the end of a text are zeros", Example: `printf("%rx\n", buf(args.buf, 16))`, NameOf: 1, Rule: ofBuf})
	FuncStrncmp = function(Func{Name: "strncmp", Family: "strings", Signature: "strncmp(a, b, n)", Min: 3, Max: 3, Args: []ArgKind{Text, Text, Constant}, Type: types.U64,
		Help: "0 if the first n characters are the same", Example: `/strncmp(comm, "ssh", 3) == 0/`, Rule: ofFirstBytes})
	FuncStrcontains = function(Func{Name: "strcontains", Family: "strings", Signature: "strcontains(text, part)", Min: 2, Max: 2, Args: []ArgKind{Text, Text}, Type: types.BoolType,
		Help: "true if part occurs in text", Example: `/strcontains(comm, "java")/`})
	FuncStrstr = function(Func{Name: "strstr", Family: "strings", Signature: "strstr(text, part)", Min: 2, Max: 2, Args: []ArgKind{Text, Text}, Type: types.I64,
		Help: "where part begins in text, or -1", Example: `print(strstr(comm, "x"))`})
	FuncStrlen = function(Func{Name: "strlen", Family: "strings", Signature: "strlen(text)", Min: 1, Max: 1, Args: []ArgKind{Text}, Type: types.U64,
		Help: "number of characters", Example: `print(strlen(comm))`})
	FuncStrcap = function(Func{Name: "strcap", Family: "strings", Signature: "strcap(text)", Min: 1, Max: 1, Args: []ArgKind{Text}, Type: types.U64, Static: true,
		Help: "number of bytes that a string has room for", Example: `print(strcap(comm))`, Rule: ofStrcap})
	FuncStrConcat = function(Func{Name: "str_concat", Family: "strings", Signature: "str_concat(a, b)", Min: 2, Max: 2, Args: []ArgKind{Text, Text},
		Help: "the two strings joined", Example: `@[str_concat(comm, "!")] = count()`, Rule: ofConcat})
	FuncMemcmp = function(Func{Name: "memcmp", Family: "strings", Signature: "memcmp(a, b, n)", Min: 3, Max: 3, Args: []ArgKind{Any, Any, Constant}, Type: types.I64,
		Help: "0 if the first n bytes are the same", Example: `memcmp(comm, "ab", 2)`, Rule: ofFirstBytes})
)

var (
	FuncKaddr = function(Func{Name: "kaddr", Family: "addresses", Signature: `kaddr("symbol")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, Type: types.U64, Static: true,
		Help: "address of a kernel symbol", Example: `*kaddr("avenrun")`, Rule: ofKaddr})
	FuncUaddr = function(Func{Name: "uaddr", Family: "addresses", Signature: `uaddr("symbol")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, In: inUser,
		Help: "address of a symbol of the probed program", Example: `*uaddr("counter")`, Effects: ReadsProgram, Rule: ofUaddr})
	FuncPercpuKaddr = function(Func{Name: "percpu_kaddr", Family: "addresses", Signature: `percpu_kaddr("symbol"[, cpu])`, Min: 1, Max: 2, Args: []ArgKind{Literal, Integer}, Type: types.U64,
		Help: "address of a CPU's copy of a kernel variable", Example: `percpu_kaddr("runqueues", 0)`, Rule: ofPercpuKaddr})
	FuncReg = function(Func{Name: "reg", Family: "addresses", Signature: `reg("name")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, Type: types.U64, In: inRegs,
		Help: "a register of the CPU", Example: `reg("ip")`, NameOf: 1})
	FuncKptr = function(Func{Name: "kptr", Family: "addresses", Signature: "kptr(pointer)", Min: 1, Max: 1, Args: []ArgKind{Address},
		Help: "the same pointer, read as an address of the kernel", Example: `str(kptr(arg0))`, NameOf: 1, Rule: intoSpace(false)})
	FuncUptr = function(Func{Name: "uptr", Family: "addresses", Signature: "uptr(pointer)", Min: 1, Max: 1, Args: []ArgKind{Address},
		Help: "the same pointer, read as an address of the process", Example: `str(uptr(arg0))`, NameOf: 1, Rule: intoSpace(true)})
	FuncIsErr = function(Func{Name: "is_err", Family: "addresses", Signature: "is_err(pointer)", Min: 1, Max: 1, Args: []ArgKind{Address}, Type: types.BoolType,
		Help: "true if a pointer is really an error number", Example: `/is_err(retval)/`})
	FuncBswap = function(Func{Name: "bswap", Family: "addresses", Signature: "bswap(n)", Min: 1, Max: 1, Args: []ArgKind{Any},
		Help: "the bytes of a number in reverse order", Example: `bswap(args.dport)`, NameOf: 1, Rule: ofBswap})
	FuncSocketCookie = function(Func{Name: "socket_cookie", Family: "addresses", Signature: "socket_cookie(sk)", Min: 1, Max: 1, Args: []ArgKind{Address}, Type: types.U64, In: inTyped,
		Help: "a number that identifies a socket", Example: `socket_cookie(args.sk)`, Effects: ReadsTyped})
	FuncPath = function(Func{Name: "path", Family: "addresses", Signature: "path(&struct path[, length])", Min: 1, Max: 2, Args: []ArgKind{FilePath, Constant}, In: inTyped,
		Help: "full path of a file", Example: `path(&args.file.f_path)`, Effects: ReadsTyped, NameOf: 1, Rule: ofPath})
)

var (
	FuncKsym = function(Func{Name: "ksym", Family: "names", Signature: "ksym(address)", Min: 1, Max: 1, Args: []ArgKind{Address}, Type: KSymType,
		Help: "name of the kernel symbol at an address", Example: `ksym(arg0)`, NameOf: 1})
	FuncUsym = function(Func{Name: "usym", Family: "names", Signature: "usym(address)", Min: 1, Max: 1, Args: []ArgKind{Address}, Type: USymType,
		Help: "name of the symbol at an address of the process", Example: `usym(arg2)`, NameOf: 1})
	FuncNtop = function(Func{Name: "ntop", Family: "names", Signature: "ntop([family, ]address)", Min: 1, Max: 2, Args: []ArgKind{Any, Any}, Type: InetType,
		Help: "text of an IPv4 or IPv6 address", Example: `ntop(args.saddr)`, NameOf: -1, Rule: ofNtop})
	FuncMacaddr = function(Func{Name: "macaddr", Family: "names", Signature: "macaddr(bytes)", Min: 1, Max: 1, Args: []ArgKind{Any}, Type: MACType,
		Help: "text of a hardware address", Example: `macaddr(args.dev->dev_addr)`, NameOf: 1, Rule: ofMacaddr})
	FuncStrftime = function(Func{Name: "strftime", Family: "names", Signature: `strftime("format", ns)`, Min: 2, Max: 2, Args: []ArgKind{Literal, Integer},
		Help: "a time from nsecs as text; %f is microseconds", Example: `strftime("%H:%M:%S.%f", nsecs)`, NameOf: -1, Rule: ofStrftime})
	FuncCgroupPath = function(Func{Name: "cgroup_path", Family: "names", Signature: `cgroup_path(id[, "filter"])`, Min: 1, Max: 2, Args: []ArgKind{Integer, Literal},
		Help: "path of a cgroup", Example: `cgroup_path(cgroup)`, NameOf: 1, Rule: ofCgroupPath})
	FuncStrerror = function(Func{Name: "strerror", Family: "names", Signature: "strerror(errno)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Type: ErrnoType,
		Help: "text of an error number", Example: `strerror(errno)`, NameOf: 1})
	FuncSignalName = function(Func{Name: "signal_name", Family: "names", Signature: "signal_name(signal)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Type: SignalType,
		Help: "text of a signal", Example: `signal_name(args.sig)`, NameOf: 1})
	FuncSignalNum = function(Func{Name: "signal_num", Family: "names", Signature: `signal_num("name")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, Type: types.I64, Static: true,
		Help: "number of a signal", Example: `if (args.sig == signal_num("KILL")) { }`, Rule: ofSignalNum})
	FuncBits = function(Func{Name: "bits", Family: "names", Signature: "bits(enum E, number)", Min: 2, Max: 2, Args: []ArgKind{TypeName, Integer},
		Help: "shows the number as the names of its bits; the enum gives the position of each bit", Example: `bits(enum req_flag_bits, $rq.cmd_flags)`, NameOf: -1, Form: NamedBits})
	FuncSyscallName = function(Func{Name: "syscall_name", Family: "names", Signature: "syscall_name(number)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Type: SyscallType,
		Help: "name of a system call", Example: `@[syscall_name(args.id)] = count()`, NameOf: 1})
)

var (
	FuncExists = function(Func{Name: "exists", Family: "compile time", Signature: "exists(probe), exists(struct S), exists(struct S, field) or exists(args.field)", Min: 1, Max: 2, Args: []ArgKind{Probe}, Type: types.BoolType, Static: true,
		Help: "true if this kernel has a probe, a type, a member, or an argument of the probe; the branch not taken is not checked", Example: `if (exists(struct request, rq_disk)) { }`, Form: Existence})
	FuncGetopt = function(Func{Name: "getopt", Family: "compile time", Signature: `getopt("name"[, default[, "help"]])`, Min: 1, Max: 3, Args: []ArgKind{Literal, Any, Literal}, Static: true,
		Help: "value of the script's option --name", Example: `getopt("interval", 1)`, Effects: ReadsOptions, Form: Option})
	FuncPton = function(Func{Name: "pton", Family: "compile time", Signature: `pton("address")`, Min: 1, Max: 1, Args: []ArgKind{Literal},
		Help: "bytes of an IPv4 or IPv6 address", Example: `pton("127.0.0.1")`, Rule: ofPton})
	FuncCgroupid = function(Func{Name: "cgroupid", Family: "compile time", Signature: `cgroupid("path")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, Type: types.U64,
		Help: "id of the cgroup at a path", Example: `cgroupid("/sys/fs/cgroup/x")`, Rule: ofCgroupid})
	FuncIsSyscall = function(Func{Name: "is_syscall", Family: "compile time", Signature: `is_syscall(number, "name,...")`, Min: 2, Max: 2, Args: []ArgKind{Integer, Literal}, Type: types.BoolType,
		Help: "true if the number is that of one of these system calls; names may contain *", Example: `is_syscall(args.id, "read,pread64,*sync*")`, Rule: ofIsSyscall})
	FuncContainerOf = function(Func{Name: "container_of", Family: "compile time", Signature: "container_of(pointer, struct S, member)", Min: 3, Max: 3, Args: []ArgKind{Address, TypeName, Any},
		Help: "the struct that a pointer to its member belongs to", Example: `container_of($p, struct task_struct, tasks)`, Form: Container})
	FuncAssert = function(Func{Name: "assert", Family: "compile time", Signature: `assert(condition, "message")`, Min: 1, Max: 2, Args: []ArgKind{Any, Literal}, Type: none,
		Help: "end the script with an error if a condition is false", Example: `assert(pid > 0, "no pid")`, Effects: DoesEmit | DoesExit, Form: Assertion})
	FuncStaticAssert = function(Func{Name: "static_assert", Family: "compile time", Signature: `static_assert(condition, "message")`, Min: 1, Max: 2, Args: []ArgKind{Any, Literal}, Type: none, Static: true,
		Help: "refuse to compile if a constant condition is false", Example: `static_assert(sizeof(uint64) == 8, "?")`, Form: Assertion})
	FuncFail = function(Func{Name: "fail", Family: "compile time", Signature: `fail("format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none, Static: true,
		Help: "refuse to compile, unless this is in a branch that is never taken", Example: `fail("needs struct x")`, Form: Failing})
	FuncKfuncExist = function(Func{Name: "kfunc_exist", Family: "compile time", Signature: `kfunc_exist("name")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, Type: types.BoolType, Static: true,
		Help: "true if the kernel has a function that programs may call", Example: `kfunc_exist("bpf_rdonly_cast")`, Rule: ofKfunc})
	FuncKfuncAllowed = function(Func{Name: "kfunc_allowed", Family: "compile time", Signature: `kfunc_allowed("name")`, Min: 1, Max: 1, Args: []ArgKind{Literal}, Type: types.BoolType, Static: true,
		Help: "true if this probe may call a function of the kernel", Example: `kfunc_allowed("bpf_rdonly_cast")`, Rule: ofKfuncAllowed})
	FuncTypeinfo = function(Func{Name: "typeinfo", Family: "compile time", Signature: "typeinfo(type or x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Static: true,
		Help: "the class and the name of a type, as the texts base_type and full_type", Example: `print(typeinfo(curtask).full_type);`, Form: TypeInfo})
	FuncIsPtr = function(Func{Name: "is_ptr", Family: "compile time", Signature: "is_ptr(x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Type: types.BoolType, Static: true,
		Help: "true if x is a pointer", Example: `is_ptr(arg0)`, Rule: isKind(func(t *types.Type) bool { return t.Kind == types.Pointer })})
	FuncIsStr = function(Func{Name: "is_str", Family: "compile time", Signature: "is_str(x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Type: types.BoolType, Static: true,
		Help: "true if x is a string", Example: `is_str(comm)`, Rule: isKind(func(t *types.Type) bool { return t.Kind == types.String || t.IsCharArray() })})
	FuncIsArray = function(Func{Name: "is_array", Family: "compile time", Signature: "is_array(x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Type: types.BoolType, Static: true,
		Help: "true if x is an array", Example: `is_array(curtask->cpus_mask.bits)`, Rule: isKind(func(t *types.Type) bool { return t.Kind == types.Array })})
	FuncIsInteger = function(Func{Name: "is_integer", Family: "compile time", Signature: "is_integer(x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Type: types.BoolType, Static: true,
		Help: "true if x is an integer", Example: `is_integer(pid)`, Rule: isKind(func(t *types.Type) bool { return t.Kind == types.Int })})
	FuncIsUnsignedInteger = function(Func{Name: "is_unsigned_integer", Family: "compile time", Signature: "is_unsigned_integer(x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Type: types.BoolType, Static: true,
		Help: "true if x is an unsigned integer", Example: `is_unsigned_integer(pid)`, Rule: isKind(func(t *types.Type) bool { return t.Kind == types.Int && !t.Signed })})
	FuncIsLiteral = function(Func{Name: "is_literal", Family: "compile time", Signature: "is_literal(x)", Min: 1, Max: 1, Args: []ArgKind{TypeName}, Type: types.BoolType, Static: true,
		Help: "true if x is a constant", Example: `is_literal(5)`, Rule: ofIsLiteral})
)
