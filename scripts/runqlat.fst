#!/usr/bin/env fst
// runqlat: How long do threads that could run wait for a CPU?
//
// Topic: CPUs
// Usage: runqlat [-PL] [interval [count]]
// Option: -P, --process: one histogram for each command
// Option: -L, --threads: one histogram for each thread
// Common: task, time, unit, heat
// Reading: Each row is a range of times and how many waits were in it; [1K, 2K) are 1024 to
//  2047 of the unit in the title.
// Example: fst runqlat 1 10
// Example: fst runqlat -P
// Example: fst runqlat --heat 1
// Misses: Threads that already waited when tracing started, and the first wait of a
//  thread that moves to the run queue without a wakeup event.
// Cost: one map update for each wakeup and one for each switch: visible on machines with
//  more than 100,000 switches a second.
// Others: bpftrace's leaves out threads whose CPU was taken away amid the kernel's code: the event tells 256 as
//  their state, and it looks for 0: fst -e 'tracepoint:sched:sched_switch { @[args.prev_state] = count(); }'.

sched:wait /mine()/ {
	@wait[comptime getopt("threads", false) ? (comm, tid) : comptime getopt("process", false) ? comm : unit_name()] = hist(took / unit());
}

report {
	histogram(@wait);
}
