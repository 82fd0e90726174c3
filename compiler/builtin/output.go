package builtin

import "fst/compiler/types"

var none = types.NoneType

var (
	FuncPrintf = function(Func{Name: "printf", Family: "output", Signature: `printf("format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none,
		Help: "print text according to a format: %d %u %x %s %c %p %r, with C's flags and widths", Example: `printf("%-16s %d\n", comm, pid)`, Effects: DoesEmit | ShowsArgs, Form: Formatted})
	FuncPrint = function(Func{Name: "print", Family: "output", Signature: "print(value) or print(@map[, top[, div]])", Min: 1, Max: 3, Args: []ArgKind{MapEntry, Integer}, Type: none,
		Help: "print any value, or a map: its largest entries, divided by div", Example: `print(@, 10)`, Effects: DoesEmit | ShowsArgs | ShowsMaps, Form: Printing})
	FuncRow = function(Func{Name: "row", Family: "output", Signature: `row("NAME %d OTHER %s", ...)`, Min: 2, Max: -1, Args: []ArgKind{Format, Any}, Type: none,
		Help:    "print a row of a table: the words before the conversions are the heading, shown once, and the names in JSON; --time adds the time of day",
		Example: `row("PID %-7d COMM %-16s PATH %s", pid, comm, str(args.filename))`, Effects: DoesEmit | ShowsArgs, Options: []string{"time"}, Form: Tabular})
	FuncTable = function(Func{Name: "table", Family: "output", Signature: `table("KEY %-16s COUNT %8d", @map, ...)`, Min: 2, Max: -1, Args: []ArgKind{Format, MapColumn}, Type: none,
		Help:    "print maps with the same keys side by side, a row for each key, the largest first; columns may be sums and quotients of maps (@bytes / @calls), --top N limits the rows",
		Example: `table("COMM %-16s CALLS %8d AVG %8d", @calls, @bytes / @calls)`, Effects: DoesEmit | ShowsMaps, Options: []string{"top", "sort"}, Form: MapTable})
	FuncHeat = function(Func{Name: "heat", Family: "output", Signature: `heat(@map[, "unit"])`, Min: 1, Max: 2, Args: []ArgKind{MapName, Literal}, Type: none,
		Help:    "print each histogram of a map (hist, lhist, quantile) as a line of a heat map: the time, a cell for each range of values, the darker the more were counted, and the key",
		Example: `interval:1s { heat(@us, "usecs"); clear(@us); }`, Effects: DoesEmit | ShowsMaps, Form: HeatMap})
	FuncErrorf = function(Func{Name: "errorf", Family: "output", Signature: `errorf("format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none,
		Help: "like printf, to standard error, with the place in the script", Example: `errorf("no task\n")`, Effects: DoesEmit | ShowsArgs, Form: Formatted})
	FuncWarnf = function(Func{Name: "warnf", Family: "output", Signature: `warnf("format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none,
		Help: "like errorf, as a warning that --no-warnings hides", Example: `warnf("odd size %d\n", arg2)`, Effects: DoesEmit | ShowsArgs, Form: Formatted})
	FuncDebugf = function(Func{Name: "debugf", Family: "output", Signature: `debugf("format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none,
		Help: "print to the kernel's trace pipe", Example: `debugf("here %d", pid)`, Effects: DoesEmit, Form: Formatted})
	FuncTime = function(Func{Name: "time", Family: "output", Signature: `time(["format"])`, Max: 1, Args: []ArgKind{Literal}, Type: none,
		Help: "print the time of day (strftime format)", Example: `time("%H:%M:%S ")`, Effects: DoesEmit})
	FuncJoin = function(Func{Name: "join", Family: "output", Signature: `join(argv[, "separator"])`, Min: 1, Max: 2, Args: []ArgKind{Address, Literal}, Type: none,
		Help: "print an array of strings in one line", Example: `join(args.argv)`, Effects: DoesEmit})
	FuncCat = function(Func{Name: "cat", Family: "output", Signature: `cat("path format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none,
		Help: "print a file", Example: `cat("/proc/loadavg")`, Effects: DoesEmit, Form: Formatted})
	FuncExit = function(Func{Name: "exit", Family: "output", Signature: "exit([code])", Max: 1, Args: []ArgKind{Integer}, Type: none,
		Help: "end the script after the END clauses", Example: `interval:10s { exit() }`, Effects: DoesExit})
	FuncWitness = function(Func{Name: "witness", Family: "output", Signature: `witness("/file: words" or "tracepoint:category:event", "what to do")`, Min: 2, Max: 2, Args: []ArgKind{Literal, Literal}, Type: none,
		Help:    "first in a clause, or after the declaration of a probe: another count of the same events. If it grows while the probe sees none, a warning says so (functions may be inlined, or no longer used). Lines of a file that begin with the words count: * is any word, %d a number of it, %s its name",
		Example: `kprobe:vfs_read { witness("tracepoint:syscalls:sys_exit_read", "try syscall:read"); @ = count(); }`, Form: Testimony})
	FuncSkboutput = function(Func{Name: "skboutput", Family: "output", Signature: `skboutput("file", skb, length, offset)`, Min: 4, Max: 4, Args: []ArgKind{Literal, Address, Integer, Integer}, Type: types.I32,
		In: inTyped, Help: "write a packet to a pcap file", Example: `skboutput("x.pcap", args.skb, args.skb.len, 0)`, Effects: DoesEmit | ReadsTyped})
)

var (
	FuncSystem = function(Func{Name: "system", Family: "acting", Signature: `system("command format", ...)`, Min: 1, Max: -1, Args: []ArgKind{Format, Any}, Type: none, Unsafe: true,
		Help: "run a shell command", Example: `system("date")`, Effects: DoesEmit | DoesAct, Form: Formatted})
	FuncSignal = function(Func{Name: "signal", Family: "acting", Signature: "signal(number or name)", Min: 1, Max: 1, Args: []ArgKind{Any}, Type: none, Unsafe: true,
		In: inTask, Help: "send a signal to the current process", Example: `signal("KILL")`, Effects: DoesAct, Form: Signalling})
	FuncSignalThread = function(Func{Name: "signal_thread", Family: "acting", Signature: "signal_thread(number or name)", Min: 1, Max: 1, Args: []ArgKind{Any}, Type: none, Unsafe: true,
		In: inTask, Help: "send a signal to the current thread", Example: `signal_thread(SIGSTOP)`, Effects: DoesAct, Form: Signalling})
	FuncOverride = function(Func{Name: "override", Aliases: []string{"override_return"}, Family: "acting", Signature: "override(result)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Type: none, Unsafe: true,
		In: []string{"kprobe"}, Help: "let the probed function return at once", Example: `override(-ENOMEM)`, Effects: DoesAct})
	FuncWriteUser = function(Func{Name: "write_user", Family: "acting", Signature: "write_user(to, from, length)", Min: 3, Max: 3, Args: []ArgKind{Address, Any, Integer}, Type: types.I64, Unsafe: true,
		Help: "write to the memory of the current process", Example: `write_user(arg0, "x", 1)`, Effects: DoesAct, Rule: ofWriteUser})
)
