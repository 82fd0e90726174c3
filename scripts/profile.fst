#!/usr/bin/env fst
// profile: Which code keeps the CPUs busy?
//
// Topic: CPUs
// Usage: profile [-a] [interval [count]]
// Option: -a, --all: count idle CPUs, too
// Common: task, stack, time, rate
// Reading: How often each stack was met, 99 times a second on each CPU (-F): innermost function
//  first, the most frequent stack last. 99 is one CPU for one second.
// Example: fst profile -d 10
// Example: fst profile -U -p 1234 -d 10
// Example: fst profile -F 999 -c fio -d 5
// Example: fst profile --dwarf -d 10 -f folded | flamegraph.pl > cpu.svg
// Misses: Code that runs with interrupts off is met when they are on again. User stacks of
//  programs without frame pointers need --dwarf.
// Cost: 99 samples with a stack a second for each CPU: well below 1 %.

profile:hz:getopt("frequency", 99) /(pid != 0 || getopt("all", false)) && mine()/ {
	@[stacks()] = count();
}

report {
	print(@);
}
