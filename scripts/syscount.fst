#!/usr/bin/env fst
// syscount: Which system calls are made most, by whom, and how long do they take?
//
// Topic: system calls
// Usage: syscount [-PLx] [-e ERRNO] [--syscall NAMES] [interval [count]]
// Option: -P, --process: count by process instead of by system call
// Option: -L, --latency: also add up the durations of the calls
// Option: -x, --failed: only calls that failed
// Option: -e, --errno ERRNO: only calls that failed with this error (ENOENT, 2)
// Option: --syscall NAMES: only these system calls (read,write or *sync*)
// Common: task, time, unit, top
// Reading: COMM is the name of the process, which is the name of its main thread. TIME, with -L only, is the total
//  duration of the calls; the largest total then comes first.
// Example: fst syscount -d 10
// Example: fst syscount -P 1
// Example: fst syscount -L -p 1234
// Example: fst syscount -P --syscall read,write,splice,sendfile,copy_file_range
// Misses: Calls that never return (exit, exit_group), and rt_sigreturn, whose number is lost when it returns. With
//  -L, calls in progress when tracing started, and those that a seccomp filter refuses. Calls of 32-bit programs have
//  other numbers and are shown as -.
// Cost: One probe per system call on the machine, about 100 ns; two probes and a map update with -L.

macro latency() { getopt("latency", false) }
macro chosen(id) { comptime (getopt("syscall", "") == "") || is_syscall(id, getopt("syscall", "")) }

macro failed(ret) {
	getopt("errno", 0) != 0 ? ret == 0 - getopt("errno", 0) : !getopt("failed", false) || ret < 0 && ret >= -4095
}

macro key() {
	comptime getopt("process", false) ? (pid, str(((struct task_struct *)curtask)->group_leader->comm)) : (syscall_name(native_syscall(args.id)),)
}

// A thread that executes a program takes the id of its process in the midst of the call: its task_struct stays.
tracepoint:raw_syscalls:sys_enter /latency() && chosen(native_syscall(args.id)) && !ends_thread(args.id) && mine()/ {
	@start[(uint64)curtask] = nsecs;
}

// With -L, a call may make its thread one of those asked for, or no longer one: it takes another name, or another user.
tracepoint:raw_syscalls:sys_exit /args.id >= 0 && chosen(native_syscall(args.id)) && (latency() ? @start[(uint64)curtask] != 0 : mine()) && !returns_twice(args.id, args.ret)/ {
	if (failed(args.ret)) {
		@calls[key()] = count();
		@ns[key()] = sum(latency() ? nsecs - @start[(uint64)curtask] : 0);
	}
	if (latency()) {
		delete(@start, (uint64)curtask);
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
