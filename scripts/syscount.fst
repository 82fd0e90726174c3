#!/usr/bin/env fst
// syscount: Which system calls are made most, by whom, and how long do they take?
//
// Usage: syscount [-PLx] [-p PID] [-t N] [-d SEC] [interval [count]]
// Option: -P, --process: count by process instead of by system call
// Option: -L, --latency: add up the time (us) that the calls take
// Option: -x, --failed: only calls that failed
// Option: -p, --pid PID: only this process
// Option: -t, --top N: how many lines to show (default: 10)
// Example: fst syscount -d 10
// Example: fst syscount -P 1
// Example: fst syscount -L -p 1234
// Misses: Calls that never return (exit, a replaced thread). With -L, calls that were
//  already running when the probe came.
// Cost: one probe for each system call of the machine, some 100 ns; two and a map
//  with -L.

config = { print_maps_on_exit = false }

macro wanted() { getopt("pid", 0) == 0 || pid == getopt("pid", 0) }

begin {
	printf("Counting system calls... Hit Ctrl-C to end.\n");
}

tracepoint:raw_syscalls:sys_enter
/getopt("latency", false) && wanted()/
{
	@start[tid] = nsecs;
}

tracepoint:raw_syscalls:sys_exit
/args.id >= 0 && wanted() && (!getopt("failed", false) || args.ret < 0)/
{
	if (getopt("latency", false)) {
		if (@start[tid]) {
			$us = (nsecs - @start[tid]) / 1000;
			if (getopt("process", false)) {
				@process_us[pid, comm] = sum($us);
			} else {
				@syscall_us[syscall_name(args.id)] = sum($us);
			}
		}
	} else if (getopt("process", false)) {
		@process[pid, comm] = count();
	} else {
		@syscall[syscall_name(args.id)] = count();
	}
	if (getopt("latency", false)) {
		delete(@start, tid);
	}
}

macro report(@a, @b, @c, @d) {
	print(@a, getopt("top", 10));
	print(@b, getopt("top", 10));
	print(@c, getopt("top", 10));
	print(@d, getopt("top", 10));
}

interval:s:1
/$1 > 0/
{
	@seconds++;
	if (@seconds >= $1) {
		@seconds = 0;
		time("%H:%M:%S\n");
		report(@syscall, @process, @syscall_us, @process_us);
		clear(@syscall);
		clear(@process);
		clear(@syscall_us);
		clear(@process_us);
		@reports++;
		if ($2 > 0 && @reports >= $2) {
			exit();
		}
	}
}

end {
	// With a count the last report is out already.
	if ($2 == 0 || @reports < $2) {
		report(@syscall, @process, @syscall_us, @process_us);
	}
}
