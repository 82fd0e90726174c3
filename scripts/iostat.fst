#!/usr/bin/env fst
// iostat: How busy are the disks, and how long do requests take?
//
// Topic: disks
// Usage: iostat [interval [count]]
// Common: time, unit, top, disk
// Reading: READS and WRITES are those that completed since the last report, R_KB and W_KB the KB that they moved. As
//  in /proc/diskstats, WRITES and W_KB include requests that write zeroes, and a flush that a program asks for, or a
//  change of a zone (reset), is a write of no bytes. OTHERS are discards and the flushes sent to the disk. R_AWAIT and
//  W_AWAIT are the average time of a request, including its time in the queue.
// Example: fst iostat 1
// Example: fst iostat --disk vda -m 10
// Misses: Requests that started before tracing did, and commands of a disk's driver (SMART, serial numbers). Stacked
//  disks (md, dm, zram) have rows of their own, and their I/O also counts in the rows of the disks below them. I/O that
//  they split counts in parts, as in /proc/diskstats; R_AWAIT and W_AWAIT are those of the whole. /proc/diskstats has no
//  flushes of md and no discards of zram; those of dm are writes there, and so are all flushes of stacked disks here. It
//  has nothing of md linear on 5.10 and 6.1 (stacked disks below it, and below raid0 on 5.10, have no rows here), and
//  5.10 counts the sectors of what md splits more than once. On Linux 5.10, opening and finishing a zone and the commands
//  of a driver are reads there; 6.1 and later omit what dm refuses (error). An NVMe disk with paths (nvme0n1 above
//  nvme0c0n1) has the I/O before it is merged here; there it has nothing on 6.1, and later the requests of its paths.
// Cost: Two probes and some map updates per request. /proc/diskstats has the same numbers at no
//  cost, but not per process.
// Words: SSD, NVMe

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
