#!/usr/bin/env fst
// iotop: Who reads from the disks and writes to them most?
//
// Topic: disks
// Usage: iotop [interval [count]]
// Common: task, time, top, disk
// Reading: KB is what the disks moved for COMM, the sum of R_KB and W_KB. DIRTY_KB is what it changed in the page
//  cache (whole folios, as write_bytes of /proc/PID/io): that is in W_KB of whoever writes it to the disk later, mostly
//  a thread of the kernel. Sort by it (--sort dirty_kb) to see who causes those writes.
// Example: fst iotop 1
// Example: fst iotop --sort dirty_kb --disk vda
// Misses: Changed pages that are removed before they are written are in DIRTY_KB all the same. With --disk, pages of
//  btrfs, which has no single disk. Without --disk, stacked disks (md, dm, bcache, zram); the disks below them are shown.
// Cost: two probes for each request, two more for stacked disks, and one for each folio that is changed for the first time.

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
