#!/usr/bin/env fst
// fnargs: Which results does a function return for which arguments?
//
// Topic: functions
// Usage: fnargs FUNCTION
// Common: task, time
// Reading: A line for each call: the first two arguments (ARG0 and ARG1, 0 if there are fewer) and the result
//  (RETVAL), in hexadecimal. FUNCTION is a function of the kernel, or ucall:BINARY:FUNCTION, or syscall:NAME.
// Example: fst fnargs find_ge_pid -c ps
// Example: fst fnargs syscall:lseek
// Misses: Functions that the compiler has inlined.
// Cost: Two probes and a line per call.
// Instead: syserr

call:$1 /mine()/ {
	row("PID %-7d COMM %-16s FUNC %-24s ARG0 %16x ARG1 %16x RETVAL %16x", pid, comm, func, comptime exists(args.0) ? (uint64)args.0 : 0, comptime exists(args.1) ? (uint64)args.1 : 0, (uint64)retval);
}
