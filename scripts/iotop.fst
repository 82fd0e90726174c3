#!/usr/bin/env fst
// iotop: Who reads from the disks and writes to them most?
//
// Topic: disks
// Usage: iotop [interval [count]]
// Common: task, time, top, disk
// Reading: KB is the data that COMM moved to and from disks: the sum of R_KB and W_KB. DIRTY_KB is the data that it
//  modified in the page cache, counted in whole folios, like write_bytes in /proc/PID/io. When that data is written
//  to disk later, it counts in W_KB of the thread that writes it, usually a kernel thread. Sort by DIRTY_KB (--sort
//  dirty_kb) to see who causes those writes.
// Example: fst iotop 1
// Example: fst iotop --sort dirty_kb --disk vda
// Misses: Dirty pages that are removed before they are written still count in DIRTY_KB. With --disk, pages of btrfs
//  are missing, because btrfs does not use a single disk. Without --disk, stacked disks (md, dm, bcache, zram) are
//  not shown; the disks below them are. What loop and multipath disks pass on counts twice: there, and at the disks
//  below for the kernel's threads, or without a name (multipath).
// Cost: Two probes per request, two more for stacked disks, and one per folio that becomes dirty.

io:done, io:bio /mine() && on_disk(args.disk, args.stacked)/ {
	if (args.op == "read") {
		@read[args.pid, args.comm] = sum(args.bytes);
	} else if (args.op == "write") {
		@written[args.pid, args.comm] = sum(args.bytes);
	}
}

page:dirtied /mine() && on_disk(args.disk)/ {
	@dirtied[pid, comm] = sum(args.pages * 4KB);
}

report {
	table("PID %-7d COMM %-16s KB %10d R_KB %10d W_KB %10d DIRTY_KB %10d", (@read + @written) / 1KB, @read / 1KB,
		@written / 1KB, @dirtied / 1KB);
}
