#!/usr/bin/env fst
// bitesize: How large are the requests to the disks, by process?
//
// Topic: disks
// Usage: bitesize [--linear STEP] [interval [count]]
// Option: --linear STEP: ranges of so many bytes each, instead of powers of two
// Common: task, time, disk, heat
// Reading: Each row is a range of sizes in bytes and how many requests were in it. Many small ones that
//  could be large ones cost most disks a lot.
// Example: fst bitesize
// Example: fst bitesize --linear 4096 -c dd
// Misses: Without --disk stacked disks (md, dm, bcache, zram); the disks below them are seen.
// Cost: two probes for each request, two more for stacked disks.
// Others: bpftrace's and bcc's name the thread that hands a request to the disk: on Linux 5.10 and 6.1 that is a
//  thread of the kernel for a program that reads by itself, too. bcc's does not start on 5.10.
// Also: bitehist

io:done, io:bio /mine() && on_disk(args.disk, args.stacked) && args.bytes > 0/ {
	if (comptime (getopt("linear", 0) > 0)) {
		@bytes[args.comm] = lhist(args.bytes, 0, 256 * getopt("linear", 0), getopt("linear", 0));
	} else {
		@bytes[args.comm] = hist(args.bytes);
	}
}

report {
	histogram(@bytes, "bytes");
}
