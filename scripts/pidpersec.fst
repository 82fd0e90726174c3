#!/usr/bin/env fst
// pidpersec: How many processes and threads are made each second?
//
// Topic: programs and processes
// Usage: pidpersec [interval [count]]
// Common: time, top
// Reading: COUNT is how many were made since the last report; COMM made them.
// Example: fst pidpersec 1
// Misses: Nothing: threads of the kernel count, too, and those that it makes for a process (io_uring).
// Cost: one counter for each new thread.

// sched_process_fork leaves out the threads that the kernel makes for a process.
tracepoint:task:task_newtask {
	@by[comm] = count();
}

report {
	table("COMM %-16s COUNT %8d", @by);
}
