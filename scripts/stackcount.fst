#!/usr/bin/env fst
// stackcount: From where is this function called, and how often?
//
// Usage: stackcount FUNCTION [-KU] [interval [count]]
// Option: -K, --kernel: kernel stacks only
// Option: -U, --user: user stacks only
// Common: task, time
// Reading: Each stack with the command and how often it led to the function: innermost first, the
//  most frequent stack last. FUNCTION may be any probe: tracepoint:sched:sched_switch.
// Example: fst stackcount submit_bio_noacct
// Example: fst stackcount -U syscall:openat -c cat
// Misses: User stacks need programs with frame pointers.
// Cost: a stack for each call, some microseconds.

kprobe:$1
/mine()/
{
	@[comptime getopt("user", false) ? 0 : kstack, comptime getopt("kernel", false) ? 0 : ustack, comm] = count();
}

report {
	print(@);
}
