#!/usr/bin/env fst
// argdist: Which values does an argument or the result of a function take?
//
// Topic: functions
// Usage: argdist FUNCTION [interval [count]]
// Option: -a, --arg N: the argument with this number, from 0 (default: 0)
// Option: -r, --retval: the return value instead
// Option: -V, --values: count each value instead of ranges of values
// Common: task, time, top, heat
// Reading: A histogram of the values for each function: [1K, 2K) are 1024 to 2047. FUNCTION is a function of the
//  kernel, or ucall:BINARY:FUNCTION, or syscall:NAME. With -V, COUNT is how often each VALUE occurred.
//  Unsigned numbers of 64 bits from 2^63 on (pointers of the kernel) are shown as negative.
// Example: fst argdist syscall:read -a 2
// Example: fst argdist -r vfs_write
// Example: fst argdist -rV syscall:close
// Misses: Functions that the compiler has inlined. Without debug information the size of a program's
//  arguments is unknown: an int of -1 may be shown as 4294967295.
// Cost: Two probes per call, about 200 ns.
// Instead: syscount

macro n() { getopt("arg", 0) }

macro value() {
	comptime getopt("retval", false) ? (int64)retval :
		comptime (n() == 0) ? (int64)args.0 : comptime (n() == 1) ? (int64)args.1 : comptime (n() == 2) ? (int64)args.2 :
		comptime (n() == 3) ? (int64)args.3 : comptime (n() == 4) ? (int64)args.4 : (int64)args.5
}

call:$1 /mine()/ {
	if (comptime getopt("values", false)) {
		@values[func, value()] = count();
	} else {
		@value[func] = hist(value());
	}
}

report {
	if (comptime getopt("values", false)) {
		table("FUNC %-32s VALUE %16d COUNT %10d", @values);
	} else {
		histogram(@value, "value");
	}
}
