#!/usr/bin/env fst
// mdflush: Who flushes software RAID and other stacked disks, and how long does it take?
//
// Topic: disks
// Usage: mdflush
// Common: task, time, unit, disk
// Reading: Each line is one demand of COMM that DEVICE (md, dm) brings all that was written before to the
//  disks below, which all of them have to do; LAT is how long that took, with the data of the demand if it
//  had any (BYTES).
// Example: fst mdflush
// Example: fst mdflush --disk md0
// Misses: Flushes of disks that stand on nothing: biosnoop shows them.
// Cost: two probes for each piece of I/O.
// Others: bcc's shows no name of the disk, bpftrace's does not start on 5.10.

io:bio /mine() && on_disk(args.disk) && (args.op == "flush" || ((uint64)args.flags >> __REQ_PREFLUSH) & 1)/ {
	row("PID %-7d COMM %-16s DEVICE %-10s BYTES %8d LAT %9T", args.pid, args.comm, args.disk, args.bytes, args.took);
}
