#!/usr/bin/env fst
// stackcount: Which code paths call a function, and how often?
//
// Topic: functions
// Usage: stackcount FUNCTION [interval [count]]
// Common: task, stack, time
// Reading: Each stack with the command and how often it called the function: innermost function first, the most
//  frequent stack last. FUNCTION may be any probe: tracepoint:sched:sched_switch.
// Example: fst stackcount submit_bio_noacct
// Example: fst stackcount -U syscall:openat -c cat
// Example: fst stackcount -d 10 -f folded vfs_read | flamegraph.pl > reads.svg
// Misses: User stacks of programs without frame pointers need --dwarf.
// Cost: A stack trace per call, a few microseconds.
// Instead: offcputime, profile

kprobe:$1 /mine()/ {
	@[stacks()] = count();
}

report {
	print(@);
}
