#!/usr/bin/env fst
// cachefill: Who fills the page cache, and with which files?
//
// Topic: memory
// Usage: cachefill [-P] [interval [count]]
// Option: -P, --process: group by process only, not by file
// Common: task, time, top
// Reading: KB is the data of FILE that was added to the page cache because COMM read, wrote or accessed it; readahead is
//  attributed to the process that triggered it. FILE is the disk or file system and the path on it; long paths are cut at the front
//  ("vda1:.../main/base/1"). Each file has its own row; a file with several names is shown by one of them.
//  "bdev:vda1" is the disk itself: what the file system keeps there about its files.
// Example: fst cachefill -d 10
// Example: fst cachefill -P 1
// Misses: Pages that were cached before, and evictions: free shows the size of the page cache. Files of tmpfs where the
//  kernel has no kprobes. At most 4096 files have a FILE at a time; of others it is empty. On Linux 5.10
//  two files with the same inode number in two subvolumes of btrfs share a row.
// Cost: One probe per folio that is added (4 KB, or more on newer kernels): about 500 ns.
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
