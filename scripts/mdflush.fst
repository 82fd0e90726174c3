#!/usr/bin/env fst
// mdflush: Who flushes software RAID and other stacked disks, and how long does it take?
//
// Topic: disks
// Usage: mdflush
// Common: task, time, unit, disk
// Reading: Each line is one flush that COMM requested of DEVICE (md, dm): all earlier writes must reach the disks
//  below, and each of them must flush. LAT is how long that took, including the data of the request if it had any
//  (BYTES).
// Example: fst mdflush
// Example: fst mdflush --disk md0
// Misses: Flushes of disks that are not stacked: use biosnoop.
// Cost: Two probes per I/O.
// Others: bcc's mdflush does not show the disk's name; bpftrace's does not start on 5.10.

io:bio /mine() && on_disk(args.disk) && (args.op == "flush" || ((uint64)args.flags >> __REQ_PREFLUSH) & 1)/ {
	row("PID %-7d COMM %-16s DEVICE %-10s BYTES %8d LAT %9T", args.pid, args.comm, args.disk, args.bytes, args.took);
}
