#!/usr/bin/env fst
// cachefill: Who fills the page cache, and with which files?
//
// Topic: memory
// Usage: cachefill [-P] [interval [count]]
// Option: -P, --process: by process only, not by file
// Common: task, time, top
// Reading: KB of FILE (the last part of its name) came into memory because COMM read, wrote or touched them; what
//  was read ahead counts for the one that made the kernel do so.
// Example: fst cachefill -d 10
// Example: fst cachefill -P 1
// Misses: What was in memory before, and what leaves it again: cachestat and free tell how much is there.
// Cost: one probe for each piece of a file that comes into memory (4 KB, or more at once on newer kernels):
//  some 500 ns.
// Also: cachetop

macro file() { getopt("process", false) ? "*" : args.file }

page:added /mine()/ {
	@bytes[pid, comm, file()] = sum(args.pages * 4KB);
}

report {
	table("PID %-7d COMM %-16s FILE %-40s KB %10d", @bytes / 1KB);
}
