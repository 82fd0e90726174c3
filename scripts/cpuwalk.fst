#!/usr/bin/env fst
// cpuwalk: Which CPUs are busy, and is the work spread over all of them?
//
// Topic: CPUs
// Usage: cpuwalk [interval [count]]
// Common: task, time, rate
// Reading: How often each CPU was met at work, 99 times a second. One long bar, with a load that should
//  use many CPUs, is a program that does not.
// Example: fst cpuwalk -d 10
// Example: fst cpuwalk -p 1234 -d 10
// Misses: What happens between two samples, and code that runs with interrupts off.
// Cost: 99 samples a second for each CPU: nothing that can be measured.

profile:hz:getopt("frequency", 99) /pid != 0 && mine()/ {
	@cpu = lhist(cpu, 0, 1000, 1);
}

report {
	print(@cpu);
}
