#!/usr/bin/env fst
// biopattern: Are the requests to the disks sequential or random?
//
// Topic: disks
// Usage: biopattern [interval [count]]
// Common: task, time, top, disk
// Reading: SEQ% is the share of requests that started where the previous request to the same disk ended, in order of
//  completion. COUNT and KB include discards, which transfer no data.
// Example: fst biopattern 1
// Misses: The first request to a disk, which has no predecessor. Several sequential readers of one disk look random, as
//  their requests alternate.
// Cost: Two probes per request.

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
