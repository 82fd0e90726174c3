#!/usr/bin/env fst
// iostat: How busy are the disks, and how long do requests take?
//
// Topic: disks
// Usage: iostat [interval [count]]
// Common: time, unit, top, disk
// Reading: Reads and writes that were finished since the last report, and the KB they moved. As in /proc/diskstats,
//  WRITES and W_KB are also of what writes zeroes, and a flush that a program asks for, or a change of a zone (reset),
//  is a write of no bytes. OTHERS are discards and the flushes that the disk gets. R_AWAIT and W_AWAIT are how long one
//  took on average, with its time in the queue.
// Example: fst iostat 1
// Example: fst iostat --disk vda -m 10
// Misses: Requests that started before tracing did, and commands of a disk's driver (SMART, serial numbers). Stacked
//  disks (md, dm, zram) have rows of their own, and what they do is in those of the disks below them, too. What they
//  split counts in parts, as in /proc/diskstats; R_AWAIT and W_AWAIT are of the whole. /proc/diskstats has no flushes of
//  md and no discards of zram; those of dm are writes there, and so are all flushes of stacked disks here. On Linux 5.10
//  opening and finishing a zone, and commands of a driver, are reads there; 6.1 leaves out what dm refuses (error).
// Cost: two probes and some map updates for each request. /proc/diskstats has the same numbers for
//  nothing, without those of one process or a distribution.

// As /proc/diskstats divides them.
macro is_write() {
	args.op == "write" || args.op == "write-zeroes" || args.op == "secure-erase" || args.op == "zone" || args.op == "flush" && args.stacked
}

io:done, io:bio /on_disk(args.disk)/ {
	if (args.op == "read") {
		@reads[args.disk] = sum(args.parts);
		@read_calls[args.disk] = count();
		@read_bytes[args.disk] = sum(args.bytes);
		@read_ns[args.disk] = sum(args.queued + args.took);
	} else if (is_write()) {
		@writes[args.disk] = sum(args.parts);
		@write_calls[args.disk] = count();
		@written_bytes[args.disk] = sum(args.bytes);
		@written_ns[args.disk] = sum(args.queued + args.took);
	} else if (args.op != "driver") {
		@others[args.disk] = sum(args.parts);
	}
}

io:flush /on_disk(args.disk)/ {
	@writes[args.disk] = sum(1);
	@write_calls[args.disk] = count();
	@written_ns[args.disk] = sum(args.took);
}

report {
	table("DISK %-12s READS %8d WRITES %8d OTHERS %6d R_KB %9d W_KB %9d R_AWAIT %9T W_AWAIT %9T", @reads, @writes, @others,
		@read_bytes / 1KB, @written_bytes / 1KB, @read_ns / @read_calls, @written_ns / @write_calls);
}
