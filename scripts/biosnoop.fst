#!/usr/bin/env fst
// biosnoop: Which I/O requests are sent to block devices, by whom, and how long does each take?
//
// Topic: disks
// Usage: biosnoop [--min US]
// Option: --min US: only requests that took the device at least US microseconds
// Common: task, time, unit, disk
// Reading: SECTOR is the first sector (of 512 bytes) OP the operation, and BYTES its size; FLAGS are the kernel's:
//  sync (a thread waits for the request), meta (data of the file system about its files), rahead (readahead),
//  background and others. QUE is the time in the queue, LAT the time that the device took. Writeback of the page cache
//  is attributed to the kernel threads that do it, not to the programs that wrote the data.
// Example: fst biosnoop
// Example: fst biosnoop --disk vda --min 10000
// Misses: Without --disk, stacked disks (md, dm, bcache, zram); the disks below them are shown.
// Cost: Two probes and a line per request, two more probes for stacked disks.
// Others: On Linux 6.1 neither bpftrace's nor bcc's starts: their probes cannot be attached there. bpftrace's confuses requests for the same sector: when four threads read a sector
//  that takes 5 ms, most of its times are much shorter.
// Words: SSD, NVMe

io:done, io:bio /mine() && on_disk(args.disk, args.stacked) && args.took >= getopt("min", 0) * 1us/ {
	row("COMM %-16s PID %-7d DISK %-10s OP %-8s SECTOR %-12d BYTES %8d QUE %9T LAT %9T FLAGS %s", args.comm, args.pid,
		args.disk, args.op, args.sector, args.bytes, args.queued, args.took, args.flags);
}
