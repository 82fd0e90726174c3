#!/usr/bin/env fst
// syscount: Which system calls are made most, by whom, and how long do they take?
//
// Topic: system calls
// Usage: syscount [-PLx] [interval [count]]
// Option: -P, --process: count by process instead of by system call
// Option: -L, --latency: add up the time that the calls take, too
// Option: -x, --failed: only calls that failed
// Common: task, time, unit, top
// Reading: TIME is the sum of the times that the calls took, with -L only; then the largest sum
//  comes first.
// Example: fst syscount -d 10
// Example: fst syscount -P 1
// Example: fst syscount -L -p 1234
// Misses: Calls that never return (exit, a replaced thread). With -L, calls that were
//  already running when the probe came.
// Cost: one probe for each system call of the machine, some 100 ns; two and a map
//  with -L.

macro latency() { getopt("latency", false) }
macro key() { comptime getopt("process", false) ? (pid, comm) : (syscall_name(args.id),) }

tracepoint:raw_syscalls:sys_enter
/latency() && mine()/
{
	@start[tid] = nsecs;
}

tracepoint:raw_syscalls:sys_exit
/args.id >= 0 && mine() && (!getopt("failed", false) || args.ret < 0)/
{
	if (!latency() || @start[tid]) {
		@calls[key()] = count();
		@ns[key()] = sum(latency() ? nsecs - @start[tid] : 0);
	}
	if (latency()) {
		delete(@start, tid);
	}
}

report {
	if (comptime latency()) {
		if (comptime getopt("process", false)) {
			table("PID %-7d COMM %-16s TIME %12T COUNT %8d", @ns, @calls);
		} else {
			table("SYSCALL %-20s TIME %12T COUNT %8d", @ns, @calls);
		}
	} else if (comptime getopt("process", false)) {
		table("PID %-7d COMM %-16s COUNT %8d", @calls);
	} else {
		table("SYSCALL %-20s COUNT %8d", @calls);
	}
}
