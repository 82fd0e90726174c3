#!/usr/bin/env fst
// retval: Which results does a function return, and how often?
//
// Topic: functions
// Usage: retval FUNCTION [interval [count]]
// Common: task, time, top
// Reading: Each RESULT and how often it was returned; errors of the kernel are small negative numbers. Unsigned
//  numbers of 64 bits from 2^63 on (pointers of the kernel) are shown as negative, too. FUNCTION is a kernel function,
//  ucall:BINARY:FUNCTION, or syscall:NAME.
// Example: fst retval vfs_read -c dd
// Example: fst retval proc_fill_cache -c ps
// Example: fst retval syscall:futex
// Misses: Inlined functions. Without debug information (programs, modules of Linux 5.10) the size of a result is
//  unknown: an int of -1 may be shown as 4294967295.
// Cost: Two probes per call, about 200 ns.
// Instead: syserr

call:$1 /mine()/ {
	@results[func, (int64)retval] = count();
}

report {
	table("FUNC %-32s RESULT %20d COUNT %10d", @results);
}
