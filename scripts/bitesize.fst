#!/usr/bin/env fst
// bitesize: How large are the requests to the disks, by process?
//
// Topic: disks
// Usage: bitesize [interval [count]]
// Common: task, time, disk
// Reading: Each row is a range of sizes in bytes and how many requests were in it. Many small ones that
//  could be large ones cost most disks a lot.
// Example: fst bitesize
// Example: fst bitesize -c dd
// Misses: Without --disk stacked disks (md, dm, bcache, zram); the disks below them are seen.
// Cost: one probe for each request, two more for stacked disks.

io:start, io:bio
/mine() && on_disk(args.disk, args.stacked) && args.bytes > 0/
{
	@bytes[args.comm] = hist(args.bytes);
}

report {
	print(@bytes);
}
