#!/usr/bin/env fst
// vfscount: Which VFS functions are called, and how often?
//
// Topic: files
// Usage: vfscount [interval [count]]
// Common: task, time, top
// Reading: FUNC was called COUNT times since the last report.
// Example: fst vfscount -d 10
// Misses: Inlined functions.
// Cost: A counter update per call. Attaching takes seconds on kernels before 6.6.
// Instead: syscount

kprobe:vfs_* /mine()/ {
	@calls[func] = count();
}

report {
	table("FUNC %-32s COUNT %10d", @calls);
}
