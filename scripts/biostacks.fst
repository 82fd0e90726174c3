#!/usr/bin/env fst
// biostacks: Which kernel code paths cause slow disk I/O?
//
// Topic: disks
// Usage: biostacks [interval [count]]
// Common: task, time, unit, disk
// Reading: A histogram of latencies, including the time in the queue, for each kernel stack that made
//  requests: innermost function first, the stack with the most requests last.
// Example: fst biostacks -d 10
// Example: fst biostacks -d 10 -f folded | flamegraph.pl > io.svg
// Misses: Data that is merged into a request already queued. A flush that a program requests is shown, those that the
//  kernel then sends to the disk are not.
// Cost: A stack trace per request, a few microseconds.
// Others: On Linux 5.10 and 6.1 neither bpftrace's nor bcc's starts: their probes cannot be attached there.

// Requests that become part of another one are never done; what has their address later may be of others.
let @stack = lruhash(16384);
let @made = lruhash(16384);

io:queue /on_disk(args.disk)/ {
	if (mine()) {
		@stack[(uint64)args.id] = kstack;
		@made[(uint64)args.id] = true;
	} else {
		delete(@made, (uint64)args.id);
	}
}

macro done(ns, @latency, @stack, @made) {
	@latency[@stack[(uint64)args.id]] = hist(ns / unit());
	delete(@stack, (uint64)args.id);
	delete(@made, (uint64)args.id);
}

io:done /@made[(uint64)args.id]/ { done(args.queued + args.took, @latency, @stack, @made); }
io:flush /@made[(uint64)args.id]/ { done(args.took, @latency, @stack, @made); }

report {
	print(@latency);
}
