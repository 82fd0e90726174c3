#!/usr/bin/env fst
// cpudist: How long do threads run on a CPU before they are switched out?
//
// Topic: CPUs
// Usage: cpudist [-OPL] [interval [count]]
// Option: -O, --off: time off the CPU instead
// Option: -P, --process: one histogram for each command
// Option: -L, --threads: one histogram for each thread
// Common: task, time, unit, heat
// Reading: Short runs belong to threads that often block; runs as long as the scheduler's time
//  slice (a few ms) belong to threads that were preempted.
// Example: fst cpudist 1 10
// Example: fst cpudist -O -p 1234
// Misses: The run in progress when tracing starts.
// Cost: One or two map updates per context switch: noticeable above 100,000 switches per
//  second.

let @since = lruhash(65536);

macro off() { getopt("off", false) }

rawtracepoint:sched_switch {
	$starts = (struct task_struct *)(off() ? arg1 : arg2);
	$ends = (struct task_struct *)(off() ? arg2 : arg1);
	$since = @since[(uint64)$ends];
	if ($ends->pid != 0 && $since && mine($ends)) {
		@time[comptime getopt("threads", false) ? (str($ends->comm), tid_of($ends)) : comptime getopt("process", false) ? str($ends->comm) : unit_name()] = hist((nsecs - $since) / unit());
	}
	// Also of threads that nobody asks for: a new one may get their task_struct.
	delete(@since, (uint64)$ends);
	// A thread that ends (TASK_DEAD) does not come back. Any other may have become one of those asked for by then: it has
	// executed a program, or taken another name or user.
	if ($starts->pid != 0 && !(task_state($starts) & 0x80)) {
		@since[(uint64)$starts] = nsecs;
	}
}

report {
	histogram(@time);
}
