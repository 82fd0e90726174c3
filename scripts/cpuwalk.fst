#!/usr/bin/env fst
// cpuwalk: Which CPUs are busy, and is the load balanced?
//
// Topic: CPUs
// Usage: cpuwalk [interval [count]]
// Common: task, time, rate
// Reading: The number of samples in which each CPU was busy, at 99 samples per second. A single long bar means
//  that the load runs on one CPU only.
// Example: fst cpuwalk -d 10
// Example: fst cpuwalk -p 1234 -d 10
// Misses: Activity between two samples, and code that runs with interrupts disabled.
// Cost: 99 samples per second and CPU: not measurable.

profile:hz:getopt("frequency", 99) /!is_idle() && mine()/ {
	@cpu = lhist(cpu, 0, 1000, 1);
}

report {
	print(@cpu);
}
