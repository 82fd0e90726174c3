#!/usr/bin/env fst
// pidpersec: How many processes and threads are made each second?
//
// Topic: programs and processes
// Usage: pidpersec [interval [count]]
// Common: time, top
// Reading: COUNT is how many were made since the last report; COMM made them.
// Example: fst pidpersec 1
// Misses: Nothing that the scheduler makes; kernel threads count too.
// Cost: one counter for each new thread.

tracepoint:sched:sched_process_fork {
	@by[comm] = count();
}

report {
	table("COMM %-16s COUNT %8d", @by);
}
