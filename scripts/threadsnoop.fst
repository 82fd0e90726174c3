#!/usr/bin/env fst
// threadsnoop: Which programs start threads, with which function?
//
// Topic: programs and processes
// Usage: threadsnoop
// Common: task, time
// Reading: FUNC is the start function of the new thread, if the program has symbols. Threads that could not be
//  created are not shown.
// Example: fst threadsnoop
// Misses: Programs that do not use the shared C library to create threads (Go, statically linked ones).
// Cost: Two probes per new thread.
// Instead: pidpersec

ucall:libc:pthread_create | ucall:libpthread:pthread_create /mine() && (int32)retval == 0/ {
	row("PID %-7d COMM %-16s FUNC %s", pid, comm, usym(arg2));
}
