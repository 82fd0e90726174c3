#!/usr/bin/env fst
// runqslower: Which threads had to wait long for a CPU?
//
// Topic: CPUs
// Usage: runqslower [--min US]
// Option: --min US: only waits of at least US microseconds (default: 10000)
// Common: task, time, unit
// Reading: One line per long wait, whose time is LAT. WHY is preempted (another thread took the CPU away), woken
//  (another thread was running when this one was woken), or yielded (this thread gave up the CPU by sched_yield(), or
//  was preempted while returning from that call).
// Example: fst runqslower
// Example: fst runqslower --min 1000 -c mysqld -T
// Misses: Threads that were already waiting when tracing started.
// Cost: One map update per wakeup and one per context switch: noticeable on machines with more than 100,000 switches
//  per second.
// Words: priority, nice

sched:wait /mine() && !args.in_progress && took >= getopt("min", 10000) * 1us/ {
	row("PID %-7d TID %-7d COMM %-16s LAT %10T WHY %s", pid, tid, comm, took,
		args.preempted ? "preempted" : args.yielded ? "yielded" : "woken");
}
