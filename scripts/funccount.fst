#!/usr/bin/env fst
// funccount: How often are these functions called?
//
// Topic: functions
// Usage: funccount FUNCTION [interval [count]]
// Common: task, time, top
// Reading: FUNCTION is a function of the kernel or a pattern (vfs_*), or any probe: uprobe:libc:malloc,
//  tracepoint:sched:*, syscall:*. Functions that were not called are not shown. COUNT is the number of calls.
// Example: fst funccount 'vfs_*'
// Example: fst funccount 'tracepoint:sched:*' 1 5
// Example: fst funccount syscall:* -c ls
// Misses: Functions that the compiler has inlined.
// Cost: About 100 ns per call. Attaching to many functions takes seconds on kernels before 6.6.
// Instead: syscount

kprobe:$1 /mine()/ {
	@calls[func] = count();
}

report {
	table("FUNC %-40s COUNT %10d", @calls);
}
