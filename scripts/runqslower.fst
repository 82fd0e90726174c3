#!/usr/bin/env fst
// runqslower: Which threads had to wait long for a CPU?
//
// Topic: CPUs
// Usage: runqslower [--min US]
// Option: --min US: only waits of at least US microseconds (default: 10000)
// Common: task, time, unit
// Reading: A line for each long wait. WHY: another thread took the CPU away (preempted), or was there when
//  this one was woken (woken), or this one gave the CPU up by sched_yield(), or lost it on the way out of that call (yielded).
// Example: fst runqslower
// Example: fst runqslower --min 1000 -c mysqld -T
// Misses: Threads that already waited when tracing started.
// Cost: one map update for each wakeup and one for each switch: visible on machines with more than
//  100,000 switches a second.

sched:wait /mine() && took >= getopt("min", 10000) * 1us/ {
	row("PID %-7d TID %-7d COMM %-16s LAT %10T WHY %s", pid, tid, comm, took,
		args.preempted ? "preempted" : args.yielded ? "yielded" : "woken");
}
