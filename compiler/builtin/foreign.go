package builtin

import "sync"

// swapped is what turns around the bytes of a number from the network.
const swapped = "write bswap(x)"

const (
	removed      = "delete(@map, key) removes an entry, clear(@map) all of them"
	runs         = "system(\"...\") runs a command, with --unsafe"
	parameters   = "the script's parameters are $1, $2, ... and their number $#; getopt(\"name\") reads an option"
	noEnviron    = "the environment can't be read; $1 and getopt(\"name\") are what the script was called with"
	startsWith   = "write strncmp(text, \"abc\", 3) == 0 for a text that begins with the three letters abc"
	holdsPart    = "strcontains(text, \"part\") is true if a text contains a part"
	wholeNumbers = "there are only integers; hist(x) counts by powers of two"
	numberText   = "printf(\"%d\", x) writes a number; a key or value of several parts is a tuple: @[comm, x]"
	noChange     = "texts can't be changed or taken apart; strcontains and strstr look for parts"
	callTime     = "write took, in call:, ucall: and syscall: probes, and those of the library such as io:done; elsewhere keep the start: @start[tid] = nsecs"
	growing      = "what grows is a map: @x[key] = value"
	endsScript   = "errorf(\"...\") complains, exit(1) ends the script"
)

// Foreign are words that mean something in C, awk, DTrace, SystemTap or the
// kernel's own BPF helpers, with what says the same here.
var Foreign = sync.OnceValue(func() map[string]string {
	return map[string]string{
		// C and the shell
		"del": removed, "unset": removed, "reset": "clear(@map) removes all entries, zero(@map) keeps their keys", "exec": runs, "popen": runs, "shell": runs,
		"string": "str(address) reads a text; a number is put into one by printf", "cnt": "write @ = count()", "strcmp": "compare strings with ==", "memcpy": "read memory with buf(address, length)", "sprintf": "printf() writes; a string is kept by assigning it",
		"snprintf": "printf() writes; a string is kept by assigning it", "puts": "write print(x)", "echo": "write print(x)", "println": "write print(x)",
		"printk": "write printf(\"...\")", "fprintf": "printf() writes to the output, errorf() to standard error", "atoi": "strings are not converted to numbers",
		"getpid": "write pid", "gettid": "write tid", "getuid": "write uid", "getppid": "write ppid", "sleep": "probe interval:s:1 runs every second",
		"gettimeofday": "write nsecs, or strftime(\"%H:%M:%S\", nsecs)", "current": "write curtask", "smp_processor_id": "write cpu", "likely": "leave it out",
		"unlikely": "leave it out", "offset_of": "write offsetof(struct NAME, FIELD)", "null": "write 0", "nullptr": "write 0", "None": "write 0", "nil": "write 0; delete(@map, key) removes an entry",
		"True": "write true", "TRUE": "write true", "False": "write false", "FALSE": "write false", "ARRAY_SIZE": "write sizeof(x) / sizeof(x[0])",
		"ntohs": swapped, "htons": swapped, "ntohl": swapped, "htonl": swapped, "be16_to_cpu": swapped, "be32_to_cpu": swapped, "be64_to_cpu": swapped,
		"cpu_to_be16": swapped, "cpu_to_be32": swapped, "cpu_to_be64": swapped, "bpf_ntohs": swapped, "bpf_htons": swapped, "bpf_ntohl": swapped, "bpf_htonl": swapped,
		"date": "write strftime(\"%F %T\", nsecs)", "ctime": "write strftime(\"%F %T\", nsecs)", "localtime": "write strftime(\"%F %T\", nsecs)",
		// awk
		"length": "strlen(text) is a string's length, len(@map) a map's", "substr": "str(address, length) reads a part", "gsub": noChange,
		"toupper": noChange, "tolower": noChange, "match": holdsPart,
		"index": "strstr(text, \"part\") says where a part begins", "systime": "write nsecs, or strftime(\"%H:%M:%S\", nsecs)", "NR": "count in a map: @n++",
		// DTrace and SystemTap
		"execname": "write comm", "timestamp": "write nsecs", "time": "nsecs is the time in nanoseconds; time(\"%H:%M:%S\") prints the clock's", "walltimestamp": "write nsecs(tai)", "curthread": "write curtask", "quantize": "write @ = hist(x)",
		"lquantize": "write @ = lhist(x, min, max, step)", "copyinstr": "write str(address)", "copyin": "write buf(address, length)", "stringof": "write str(address)",
		"next": "return ends the action for this event", "user": "write username, or uid for the number", "trace": "write print(x)", "printa": "write print(@map)", "trunc": "write clear(@map), or print(@map, n) for its largest entries", "probefunc": "write func",
		"probename": "write probe", "name": "write comm, the name of the thread, or probe", "probeprov": "write probe", "ppfunc": "write func", "pp": "write probe",
		"kernel_string": "write str(address)", "user_string": "write str(uptr(address))", "gettimeofday_ns": "write nsecs", "get_cycles": "write nsecs",
		"print_backtrace": "write print(kstack)", "backtrace": "write kstack", "cpuid": "write cpu", "tgid": "write pid", "ktime": "write nsecs", "now": "write nsecs",
		"time_ns": "write nsecs", "secs": "write nsecs / 1e9", "usecs": "write nsecs / 1000", "msecs": "write nsecs / 1e6", "mem": "str(address) reads a string, *(uint32 *)address a number",
		"arg": "write arg0, arg1 and so on", "curpsinfo": "write curtask, or comm", "vtimestamp": "write nsecs",
		"ustackdepth": "write len(ustack)", "stackdepth": "write len(kstack)", "jstack": "write ustack", "llquantize": "write @ = hist(x, k)", "raise": "write signal(n)",
		"tracemem": "write buf(address, length)", "normalize": "write print(@map, 0, divisor)", "denormalize": "leave it out: print(@map, 0, divisor) divides once",
		"basename": "write path or str, and cut it where it is shown", "freopen": "write fst -o FILE", "setopt": "write config = { ... }", "process": "write comm, or pid", "errno_str": "write strerror(errno)",
		"self": "what belongs to a thread is kept in a map: @name[tid]", "this": "a variable of the clause is written $name",
		// Python, Go, JavaScript, SQL
		"argv": parameters, "ARGV": parameters, "argc": parameters, "env": noEnviron, "getenv": noEnviron, "environ": noEnviron,
		"startswith": startsWith, "starts_with": startsWith, "startsWith": startsWith, "has_prefix": startsWith, "hasPrefix": startsWith,
		"contains": holdsPart, "strchr": holdsPart, "includes": holdsPart, "regex": holdsPart, "regexp": holdsPart, "re_match": holdsPart, "like": holdsPart,
		"split": noChange, "strip": noChange, "trim": noChange, "replace": noChange, "upper": noChange, "lower": noChange, "strtok": noChange, "strcpy": noChange,
		"itoa": numberText, "tostring": numberText, "to_string": numberText, "to_str": numberText, "toString": numberText,
		"strcat": "write str_concat(a, b)", "concat": "write str_concat(a, b)", "format": "write printf(\"%s %d\", x, y)",
		"log": "write printf(\"...\"); hist(x) counts by powers of two", "log2": wholeNumbers, "log10": wholeNumbers, "sqrt": wholeNumbers, "pow": wholeNumbers,
		"round": wholeNumbers, "floor": wholeNumbers, "ceil": wholeNumbers, "float": wholeNumbers, "abs": "write x < 0 ? -x : x",
		"histogram": "write @ = hist(x)", "mean": "write @ = avg(x)", "average": "write @ = avg(x)", "median": "write @ = quantile(x)", "percentile": "write @ = quantile(x)",
		"group_by": "the key of a map groups: @[comm] = count()", "sort": "print(@map, 10) shows the largest entries", "top": "print(@map, 10) shows the largest entries", "not": "write !x",
		"isset": "write has_key(@map, key)", "remove": "write delete(@map, key)", "die": endsScript, "abort": endsScript, "panic": endsScript,
		"hex": "write printf(\"%x\", x)", "inet_ntop": "write ntop(address)", "inet_ntoa": "write ntop(address)",
		"stacktrace": "write kstack or ustack", "stack_trace": "write kstack or ustack", "bt": "write kstack or ustack", "callstack": "write kstack or ustack",
		"filename":     "write str(args.filename), where a probe has that argument: fst -lv PROBE lists them",
		"return_value": "write retval, where a probe sees a return", "latency": callTime, "duration": callTime, "delta": callTime, "dur": callTime, "elapsed": callTime, "lat": callTime,
		"cmd": "write comm, the name of the thread", "command": "write comm, the name of the thread", "procname": "write comm, the name of the thread", "error": "write errno, in syscall: probes",
		"list": growing, "dict": growing, "array": growing, "set": growing,
		// BPF helpers and BCC
		"bpf_ktime_get_ns": "write nsecs", "bpf_get_current_pid_tgid": "write pid and tid", "bpf_get_current_comm": "write comm",
		"bpf_get_current_uid_gid": "write uid and gid", "bpf_get_current_task": "write curtask", "bpf_get_smp_processor_id": "write cpu",
		"bpf_trace_printk": "write printf(\"...\")", "bpf_printk": "write printf(\"...\")", "bpf_probe_read": "pointers are read by *p and p->field",
		"bpf_probe_read_kernel": "pointers are read by *p and p->field", "bpf_probe_read_user": "pointers are read by *p and p->field",
		"bpf_probe_read_str": "write str(address)", "bpf_probe_read_user_str": "write str(address)", "bpf_get_stackid": "write kstack or ustack",
		"bpf_get_current_cgroup_id": "write cgroup", "bpf_get_prandom_u32": "write rand", "PT_REGS_PARM1": "write arg0", "PT_REGS_PARM2": "write arg1",
		"PT_REGS_PARM3": "write arg2", "PT_REGS_RC": "write retval", "PT_REGS_IP": "write reg(\"ip\")", "BPF_CORE_READ": "pointers are read by p->field",
	}
})
