#!/usr/bin/env fst
// psdents: Does ps miss processes, and where does its listing stop?
//
// Topic: programs and processes
// Usage: psdents [-a] [interval [count]]
// Option: -c, --comm COMM: the command to watch (default: ps)
// Option: -a, --all: print every step of the walk over the process IDs
// Common: time, top
// Reading: A listing is complete if its walk over the process IDs reached the end: there was no process above the last
//  one. The output shows how many processes it saw, and which was the last. A step of the walk is a process, or a
//  thread, which is skipped. Each read of the directory is shown with its time and its bytes. The table counts the
//  system calls that failed, by SYSCALL and ERROR.
// Example: fst psdents
// Example: fst psdents -a -c top
// Misses: Of a command that started before tracing did, only the rest of the walk is shown. Processes that the
//  command may not see (hidepid) count too. Calls of 32-bit programs are shown under the names of the native calls.
// Cost: Three probes that compare the command's name: some 10 ns per system call of other commands.
// Instead: getdentslat, syserr

macro watched() { comm == getopt("comm", "ps") }

// The number of a struct pid in a namespace.
macro number_of(id, ns) {
	((struct upid *)((uint64)id + offsetof(struct pid, numbers) + (uint64)((struct pid_namespace *)ns)->level * sizeof(struct upid)))->nr
}

begin {
	printf("Tracing %s... Hit Ctrl-C to end.\n", getopt("comm", "ps"));
}

// Each read of a directory: how long, how many bytes (0: the end).
syscall:getdents64 /watched()/ {
	printf("%8d us, ret: %d\n", took / 1us, ret);
}

tracepoint:raw_syscalls:sys_exit /args.ret < 0 && args.id >= 0 && watched()/ {
	@errors[syscall_name(native_syscall(args.id)), (enum errno)(0 - args.ret)] = count();
}

// One step of the walk of /proc: the next id at or above args.nr. A read of the directory that ended because its
// buffer was full begins again with the process that found no room.
call:find_ge_pid /watched()/ {
	if (args.nr < @last[pid]) {
		@processes[pid] = 0; // another walk
		@last[pid] = 0;
	}
	if ((uint64)retval == 0) {
		if (getopt("all", false)) {
			printf("%d: none\n", args.nr);
		}
		printf("%s %d: the walk met %d processes, the last is %d\n", comm, pid, @processes[pid], @last[pid]);
		delete(@processes, pid);
		delete(@last, pid);
		return;
	}
	$is_process = ((struct pid *)retval)->tasks[PIDTYPE_TGID].first != 0;
	$number = (int64)number_of(retval, args.ns);
	if (getopt("all", false)) {
		printf("%d: %s %d\n", args.nr, $is_process ? "process" : "thread", $number);
	}
	if ($is_process && $number > @last[pid]) {
		@processes[pid] = @processes[pid] + 1;
		@last[pid] = $number;
	}
}

report {
	printf("\nFailed system calls:\n");
	table("SYSCALL %-20s ERROR %-16s COUNT %8d", @errors);
}
