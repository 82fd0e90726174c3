#!/usr/bin/env fst
// biotop: Which processes cause the most disk I/O?
//
// Topic: disks
// Usage: biotop [interval [count]]
// Common: task, time, unit, top, disk
// Reading: OP is read, write, flush or another operation; IO is the number of requests of the process, KB the data
//  that they moved (of discards and write-zeroes, what they cleared), AVG the average time that the disk took. Writeback of the page cache is attributed to the kernel
//  threads that do it.
// Example: fst biotop 1
// Example: fst biotop --sort io --disk vda -d 10
// Misses: Without --disk, stacked disks (md, dm, bcache, zram); the disks below them are shown. What loop and multipath disks
//  pass on is shown twice: there, and at the disks below by the kernel's threads, or without a name (multipath).
// Cost: Two probes and three map updates per request, two more probes for stacked disks.

io:done, io:bio /mine() && on_disk(args.disk, args.stacked)/ {
	@bytes[args.pid, args.comm, args.op, args.disk] = sum(args.bytes);
	@requests[args.pid, args.comm, args.op, args.disk] = count();
	@ns[args.pid, args.comm, args.op, args.disk] = sum(args.took);
}

report {
	table("PID %-7d COMM %-16s OP %-8s DISK %-10s KB %10d IO %8d AVG %9T", @bytes / 1KB, @requests, @ns / @requests);
}
