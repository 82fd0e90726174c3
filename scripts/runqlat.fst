#!/usr/bin/env fst
// runqlat: How long do runnable threads wait for a CPU?
//
// Topic: CPUs
// Usage: runqlat [-PL] [interval [count]]
// Option: -P, --process: one histogram for each command
// Option: -L, --threads: one histogram for each thread
// Common: task, time, unit, heat
// Reading: Each row is a range of times and the number of waits in it; [1K, 2K) means 1024 to 2047 of the unit in the
//  title.
// Example: fst runqlat 1 10
// Example: fst runqlat -P
// Example: fst runqlat --heat 1
// Misses: Threads that were already waiting when tracing started, and the first wait of a thread that enters the run
//  queue without a wakeup event.
// Cost: One map update per wakeup and one per context switch: noticeable on machines with more than 100,000 switches
//  per second.
// Others: bpftrace's runqlat leaves out threads that were preempted in the kernel: the event reports 256 as their
//  state, and the script compares with 0: fst -e 'tracepoint:sched:sched_switch { @[args.prev_state] = count(); }'.
// Words: priority, nice

sched:wait /mine() && !args.in_progress/ {
	@wait[comptime getopt("threads", false) ? (comm, tid) : comptime getopt("process", false) ? comm : unit_name()] = hist(took / unit());
}

report {
	histogram(@wait);
}
