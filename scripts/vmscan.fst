#!/usr/bin/env fst
// vmscan: How hard is it for the kernel to reclaim memory, and what prevents it?
//
// Topic: memory
// Usage: vmscan [interval [count]]
// Common: task, time, top
// Reading: Pages of 4 KB that the kernel looked at to free them, in its own thread (kswapd) or in that of a program
//  which had to wait (drsnoop tells how long). Much SCANNED for little FREED: there is nothing left to take back. DIRTY
//  and WRITING had to be written first. /proc/vmstat counts SCANNED as pgscan_ and FREED as pgsteal_.
// Example: fst vmscan 1
// Misses: What shrinks that is no page of a program or file (names of files, inodes). Without
//  this tracepoint in the kernel's other way to age pages (lru_gen, before Linux 6.8), that too.
// Cost: one probe for each 32 pages or so.
// Instead: drsnoop

tracepoint:vmscan:mm_vmscan_lru_shrink_inactive /mine()/ {
	@scanned[pid, comm] = sum(args.nr_scanned);
	@freed[pid, comm] = sum(args.nr_reclaimed);
	@dirty[pid, comm] = sum(args.nr_dirty);
	@writing[pid, comm] = sum(args.nr_writeback);
}

report {
	table("PID %-7d COMM %-16s SCANNED %10d FREED %10d DIRTY %9d WRITING %9d", @scanned, @freed, @dirty, @writing);
}
