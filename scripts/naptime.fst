#!/usr/bin/env fst
// naptime: Which programs call sleep, and for how long?
//
// Topic: system calls
// Usage: naptime
// Common: task, time, unit
// Reading: LAT is the actual duration of the sleep. A program that repeatedly sleeps for a few milliseconds polls for
//  something that it could wait for. PPID and PCOMM are the parent process.
// Example: fst naptime -m
// Misses: Threads that wait with a timeout (select, poll, futex). If a signal without a handler or a stop interrupts
//  a sleep, the rest of it is missing: the kernel resumes it as another call (restart_syscall). 32-bit programs.
// Cost: One pair of probes per sleep.

syscall:nanosleep, syscall:clock_nanosleep /mine()/ {
	row("PPID %-7d PCOMM %-16s PID %-7d COMM %-16s LAT %10T", ppid, pcomm, pid, comm, took);
}
