#!/usr/bin/env fst
// psdents: Does a listing of processes miss some, and where does it stop?
//
// Topic: programs and processes
// Usage: psdents [-a] [interval [count]]
// Option: -c, --comm COMM: the command to watch (default: ps)
// Option: -a, --all: print every step of the walk over the process ids
// Common: time, top
// Reading: A listing is whole if its walk ended at 0: no process above the last one. Each
//  step of the walk is a process; each read of the directory has its time and its bytes.
// Example: fst psdents
// Example: fst psdents -a -c top
// Misses: Commands that began before the probes were there show the rest of their
//  walk only. Calls of 32-bit programs are named as if they were native.
// Cost: three probes that compare the command's name: some ten ns for each system call
//  of other commands.
// Instead: getdentslat, syserr

macro watched() { comm == getopt("comm", "ps") }

begin {
	printf("Tracing %s... Hit Ctrl-C to end.\n", getopt("comm", "ps"));
}

// Each read of a directory: how long, how many bytes (0: the end).
syscall:getdents64 /watched()/ {
	printf("%8d us, ret: %d\n", took / 1us, ret);
}

tracepoint:raw_syscalls:sys_exit /args.ret < 0 && args.id >= 0 && watched()/ {
	@errors[syscall_name(native_syscall(args.id)), strerror(0 - args.ret)] = count();
}

// One step of the walk of /proc: the next process at or above args.nr, 0 at the end.
call:find_ge_pid /watched()/ {
	@steps[pid] = count();
	if (getopt("all", false)) {
		printf("%d: %llx\n", args.nr, (uint64)retval);
	}
	if ((uint64)retval == 0) {
		printf("%s %d: the walk ended at pid %d after %d steps\n", comm, pid, args.nr, (int64)@steps[pid]);
		delete(@steps, pid);
	}
}

report {
	printf("\nFailed system calls:\n");
	table("SYSCALL %-20s ERROR %-36s COUNT %8d", @errors);
}
