#!/usr/bin/env fst
// cachefill: Who fills the page cache, and with which files?
//
// Topic: memory
// Usage: cachefill [-P] [interval [count]]
// Option: -P, --process: by process only, not by file
// Common: task, time, top
// Reading: KB of FILE came into memory because COMM read, wrote or touched them; what was read ahead counts for the one
//  that made the kernel do so. FILE is where the file is: the disk or file system, and the path there, of a longer
//  one its end ("vda1:.../main/base/1"). Each file has its own row; one with several names is shown by one of them.
//  "bdev:vda1" is the disk itself: what the file system keeps there about its files.
// Example: fst cachefill -d 10
// Example: fst cachefill -P 1
// Misses: What was in memory before, and what leaves it again: free tells how much is there. Files of tmpfs where the
//  kernel has no kprobes. At most 4096 files have a FILE at a time; of others it is empty. On Linux 5.10
//  files of one number in two subvolumes of btrfs have one row.
// Cost: one probe for each piece of a file that comes into memory (4 KB, or more at once on newer kernels):
//  some 500 ns.
// Also: cachetop

// A path of each row's file.
let @path = lruhash(4096);

macro by_process() { getopt("process", false) }

macro file() {
	by_process() ? ((uint32)0, (uint64)0, (uint32)0) : (args.dev, args.inode, args.generation)
}

page:added /mine() && !has_key(@path, (pid, comm, file()))/ {
	@path[pid, comm, file()] = by_process() ? "*" : args.path;
}

page:added /mine()/ {
	@bytes[pid, comm, file()] = sum(args.pages * 4KB);
}

report {
	table("PID %-7d COMM %-16s FILE_ID %.0s KB %10d FILE %s", @bytes / 1KB, @path);
}
