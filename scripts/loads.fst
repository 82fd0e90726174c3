#!/usr/bin/env fst
// loads: How high is the load of the machine, every second?
//
// Topic: CPUs
// Usage: loads
// Reading: The load averages of the last 1, 5 and 15 minutes: the number of threads that were running, runnable or
//  blocked (usually on disks). Then the number of threads that are runnable now, the total, and the ID of the newest
//  thread.
// Example: fst loads -d 10
// Misses: The reason: use runqlat and waits.
// Cost: Too low to measure: it uses no probe and reads /proc/loadavg.

interval:1s {
	time("%H:%M:%S  ");
	cat("/proc/loadavg");
}
