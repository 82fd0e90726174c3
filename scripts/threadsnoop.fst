#!/usr/bin/env fst
// threadsnoop: Which programs start threads, and with which function?
//
// Topic: programs and processes
// Usage: threadsnoop
// Common: task, time
// Reading: FUNC is the function that the new thread begins with, as far as its program has names. A thread that could
//  not be made is no row.
// Example: fst threadsnoop
// Misses: Programs that do not use the C library for it (Go, statically linked ones).
// Cost: two probes for each new thread.
// Instead: pidpersec

ucall:libc:pthread_create | ucall:libpthread:pthread_create /mine() && (int32)retval == 0/ {
	row("PID %-7d COMM %-16s FUNC %s", pid, comm, usym(arg2));
}
