#!/usr/bin/env fst
// biotop: Which processes make the disks work most?
//
// Topic: disks
// Usage: biotop [interval [count]]
// Common: task, time, unit, top, disk
// Reading: KB were moved by IO requests of the process, and AVG is how long the disk took for one.
//  Writes from the page cache belong to the kernel's threads that write them.
// Example: fst biotop 1
// Example: fst biotop --sort io --disk vda -d 10
// Misses: Without --disk stacked disks (md, dm, bcache, zram); the disks below them are seen.
// Cost: two probes and three map updates for each request, two probes more for stacked disks.

io:done, io:bio /mine() && on_disk(args.disk, args.stacked)/ {
	@bytes[args.pid, args.comm, args.op, args.disk] = sum(args.bytes);
	@requests[args.pid, args.comm, args.op, args.disk] = count();
	@ns[args.pid, args.comm, args.op, args.disk] = sum(args.took);
}

report {
	table("PID %-7d COMM %-16s OP %-8s DISK %-10s KB %10d IO %8d AVG %9T", @bytes / 1KB, @requests, @ns / @requests);
}
