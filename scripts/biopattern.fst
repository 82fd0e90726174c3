#!/usr/bin/env fst
// biopattern: Are the requests to the disks sequential or random?
//
// Topic: disks
// Usage: biopattern [interval [count]]
// Common: task, time, top, disk
// Reading: SEQ% of the requests began where the one before on the same disk ended, in the order in which they were
//  finished.
// Example: fst biopattern 1
// Misses: The first request of a disk has none before it. Several programs that read one behind the other each look like one that does not.
// Cost: two probes for each request.

io:done, io:bio /mine() && on_disk(args.disk, args.stacked) && args.bytes > 0/ {
	if (has_key(@end, args.disk) && @end[args.disk] == args.sector) {
		@sequential[args.disk] = count();
	}
	@end[args.disk] = args.sector + args.bytes / 512;
	@requests[args.disk] = count();
	@bytes[args.disk] = sum(args.bytes);
}

report {
	table("DISK %-12s COUNT %9d SEQ%% %5d KB %10d", @requests, @sequential * 100 / @requests, @bytes / 1KB);
}
