#!/usr/bin/env fst
// profile: Which code keeps the CPUs busy?
//
// Topic: CPUs
// Usage: profile [-a] [interval [count]]
// Option: -a, --all: count idle CPUs, too
// Common: task, stack, time, rate
// Reading: The number of samples of each stack, at 99 samples per second and CPU (-F): innermost function
//  first, the most frequent stack last. 99 samples are one second of one CPU.
// Example: fst profile -d 10
// Example: fst profile -U -p 1234 -d 10
// Example: fst profile -F 999 -c fio -d 5
// Example: fst profile --dwarf -d 10 -f folded | flamegraph.pl > cpu.svg
// Misses: Code that runs with interrupts disabled is sampled when they are enabled again. User stacks of programs
//  without frame pointers need --dwarf.
// Cost: 99 stack traces per second and CPU: well below 1 %.

profile:hz:getopt("frequency", 99) /(!is_idle() || getopt("all", false)) && mine()/ {
	@[stacks()] = count();
}

report {
	print(@);
}
