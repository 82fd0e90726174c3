#!/usr/bin/env fst
// biosnoop: Which requests do block devices get, from whom, and how long does each take?
//
// Topic: disks
// Usage: biosnoop [--min US]
// Option: --min US: only requests that the device took at least so many microseconds for
// Common: task, time, unit, disk
// Reading: QUE is how long the request waited for its turn, LAT how long the device took. Writes from
//  the page cache belong to the kernel's threads that write them, not to the programs.
// Example: fst biosnoop
// Example: fst biosnoop --disk vda --min 10000
// Misses: Without --disk stacked disks (md, dm, bcache, zram); the disks below them are seen.
// Cost: two probes and a line for each request, two probes more for stacked disks.
// Others: On Linux 6.1 neither bpftrace's nor bcc's starts: what they probe came later or can't be
//  probed there. bpftrace's takes requests of one sector for one request: when four threads read a sector
//  that takes 5 ms, most of its times are much shorter.

io:done, io:bio /mine() && on_disk(args.disk, args.stacked) && args.took >= getopt("min", 0) * 1us/ {
	row("COMM %-16s PID %-7d DISK %-10s OP %-8s SECTOR %-12d BYTES %8d QUE %9T LAT %9T FLAGS %s", args.comm, args.pid,
		args.disk, args.op, args.sector, args.bytes, args.queued, args.took, args.flags);
}
