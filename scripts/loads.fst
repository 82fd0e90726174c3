#!/usr/bin/env fst
// loads: How high is the load of the machine, second by second?
//
// Topic: CPUs
// Usage: loads
// Reading: The averages of one, five and fifteen minutes: how many threads ran, wanted to, or were blocked
//  (by disks, most often). Then how many threads run or want to now, of how many, and the newest
//  thread's number.
// Example: fst loads -d 10
// Misses: Why: runqlat and waits say more.
// Cost: nothing that can be measured: no probe, /proc/loadavg is read.

interval:1s {
	time("%H:%M:%S  ");
	cat("/proc/loadavg");
}
