#!/usr/bin/env fst
// pidpersec: How many processes and threads are created per second?
//
// Topic: programs and processes
// Usage: pidpersec [interval [count]]
// Common: time, top
// Reading: COUNT is the number created since the last report, COMM the creator.
// Example: fst pidpersec 1
// Misses: Nothing. Kernel threads count too, including those that the kernel creates for a process (io_uring).
// Cost: One counter update per new thread.
// Words: fork, clone, children, spawn

// sched_process_fork leaves out the threads that the kernel makes for a process.
tracepoint:task:task_newtask {
	@by[comm] = count();
}

report {
	table("COMM %-16s COUNT %8d", @by);
}
