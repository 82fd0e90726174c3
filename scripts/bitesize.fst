#!/usr/bin/env fst
// bitesize: How large are disk requests, by process?
//
// Topic: disks
// Usage: bitesize [--linear STEP] [interval [count]]
// Option: --linear STEP: linear ranges of STEP bytes instead of powers of two
// Common: task, time, disk, heat
// Reading: Each row is a range of sizes in bytes and the number of requests in it. On most disks many small
//  requests are much slower than few large ones. Discards count with the size of what they discard: they transfer no
//  data.
// Example: fst bitesize
// Example: fst bitesize --linear 4096 -c dd
// Misses: Without --disk, stacked disks (md, dm, bcache, zram); the disks below them are shown.
// Cost: Two probes per request, two more for stacked disks.
// Others: bpftrace's and bcc's show the thread that dispatches a request: on Linux 5.10 and 6.1 that can be a
//  kernel thread even if a program reads synchronously. bcc's does not start on 5.10.
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
