#!/usr/bin/env fst
// biostacks: Which code of the kernel makes the requests to disks that take long?
//
// Topic: disks
// Usage: biostacks [interval [count]]
// Common: task, time, unit, disk
// Reading: For each stack of the kernel that made requests, how long they took, with the time in the
//  queue: innermost function first, the stack with most requests last.
// Example: fst biostacks -d 10
// Example: fst biostacks -d 10 -f folded | flamegraph.pl > io.svg
// Misses: Data that is merged into a request that waits already, and flushes of the kernel's own.
// Cost: a stack for each request, some microseconds.
// Others: On Linux 5.10 and 6.1 neither bpftrace's nor bcc's starts: what they probe came later or can't be
//  probed there.

// Requests that become part of another one are never done.
let @stack = lruhash(16384);
let @made = lruhash(16384);

io:queue /mine() && on_disk(args.disk)/ {
	@stack[(uint64)args.id] = kstack;
	@made[(uint64)args.id] = true;
}

io:done /@made[(uint64)args.id]/ {
	@latency[@stack[(uint64)args.id]] = hist((args.queued + args.took) / unit());
	delete(@stack, (uint64)args.id);
	delete(@made, (uint64)args.id);
}

report {
	print(@latency);
}
