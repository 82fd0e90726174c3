#!/usr/bin/env fst
// funclatency: How is the latency of a function distributed?
//
// Topic: functions
// Usage: funclatency FUNCTION [interval [count]]
// Common: task, time, unit, top, heat
// Reading: FUNCTION is a function of the kernel or a pattern, or ucall:BINARY:FUNCTION, or syscall:NAME. TOTAL is the
//  sum of all calls, AVG and MAX are the average and the longest call. The histograms are in microseconds, or in the
//  unit of -m or -n.
// Example: fst funclatency vfs_read
// Example: fst funclatency syscall:openat -m 1 10
// Example: fst funclatency ucall:libc:getaddrinfo
// Misses: Calls that started before tracing, and functions that the compiler has inlined.
// Cost: Two probes per call, about 200 ns.
// Instead: syscount

call:$1 /mine()/ {
	@latency[func] = hist(took / unit());
	@calls[func] = count();
	@total[func] = sum(took);
	@longest[func] = max(took);
}

report {
	histogram(@latency);
	if (!is_heat()) {
		table("FUNC %-32s TOTAL %14T COUNT %10d AVG %10T MAX %10T", @total, @calls, @total / @calls, @longest);
	}
}
