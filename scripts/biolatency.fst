#!/usr/bin/env fst
// biolatency: How is the latency of block devices distributed?
//
// Topic: disks
// Usage: biolatency [-QDFRWPe] [interval [count]]
// Option: -Q, --queued: include the time that requests are queued
// Option: -D, --disks: one histogram for each disk
// Option: -F, --flags: one histogram for each kind of request
// Option: -R, --read: only reads
// Option: -W, --write: only writes
// Option: -P, --percentiles: also show percentiles for each disk
// Option: -e, --average: also show count, average and sum for each disk
// Common: task, time, unit, disk, heat
// Reading: Each row is a range of latencies and the number of requests in it; [1K, 2K) is 1024 to
//  2047 of the unit in the title.
// Example: fst biolatency
// Example: fst biolatency -D 1 10
// Example: fst biolatency -QF -m
// Example: fst biolatency --heat 1
// Example: fst biolatency --disk dm-0 -P
// Misses: Without --disk, stacked disks (md, dm, bcache, zram); the disks below them are shown.
// Cost: Two probes per request, and since Linux 6.9 a map of the requests in flight; two more
//  probes and a map for stacked disks.
// Others: bcc's shows nothing for md, dm and zram, which process bios without requests.
// Also: biolatpcts
// Words: SSD, NVMe, latency

begin {
	printf("Tracing block device I/O... Hit Ctrl-C to end.\n");
}

macro wanted(op) {
	(!getopt("read", false) || op == "read") && (!getopt("write", false) || op == "write")
}

io:done, io:bio /mine() && on_disk(args.disk, args.stacked) && wanted(args.op)/ {
	$ns = args.took + (getopt("queued", false) ? args.queued : 0);
	$time = $ns / unit();
	if (getopt("disks", false)) {
		@by_disk[args.disk] = hist($time);
	} else if (getopt("flags", false)) {
		@by_flags[args.flags, args.op] = hist($time);
	} else {
		@latency = hist($time);
	}
	if (getopt("percentiles", false)) {
		@percentiles[args.disk] = quantile($time);
	}
	if (getopt("average", false)) {
		@summary[args.disk] = stats($ns / unit());
	}
}

report {
	if (!is_heat()) {
		printf("%s : count distribution\n", unit_name());
	}
	histogram(@latency);
	histogram(@by_disk);
	histogram(@by_flags);
	print(@percentiles);
	print(@summary);
}
