#!/usr/bin/env fst
// threadsnoop: Which programs start threads, and with which function?
//
// Topic: programs and processes
// Usage: threadsnoop
// Common: task, time
// Reading: FUNC is the function that the new thread begins with, as far as its program has names.
// Example: fst threadsnoop
// Misses: Programs that do not use the C library for it (Go, statically linked ones).
// Cost: one probe for each new thread.
// Instead: pidpersec

uprobe:libc:pthread_create | uprobe:libpthread:pthread_create /mine()/ {
	row("PID %-7d COMM %-16s FUNC %s", pid, comm, usym(arg2));
}
