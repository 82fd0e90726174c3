#!/usr/bin/env fst
// loads: How high is the load of the machine, every second?
//
// Topic: CPUs
// Usage: loads
// Reading: The averages of one, five and fifteen minutes: the number of threads that were running, runnable or blocked
//  (usually on disks). Then the number of threads that are runnable now, the total, and the newest
//  thread's ID.
// Example: fst loads -d 10
// Misses: Why: runqlat and waits say more.
// Cost: not measurable: no probe, /proc/loadavg is read.

interval:1s {
	time("%H:%M:%S  ");
	cat("/proc/loadavg");
}
