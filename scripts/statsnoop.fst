#!/usr/bin/env fst
// statsnoop: Which files are looked up with stat(), by whom, and do they exist?
//
// Topic: files
// Usage: statsnoop [-x]
// Option: -x, --failed: only calls that failed
// Common: task, time
// Reading: ERR is 0 or the error (ENOENT: no such file). fstatat() and statx() of an open file have an empty PATH.
// Example: fst statsnoop -x
// Misses: fstat() and fstatfs(), calls through io_uring, and calls of 32-bit programs. Paths are shown as the program
//  passed them, including relative ones.
// Cost: One pair of probes per call, about 1 us.
// Words: missing

macro show(path) {
	row("PID %-7d COMM %-16s ERR %-12s PATH %s", pid, comm, (enum errno)(0 - ret), str(path));
}

syscall:statfs /mine() && (!getopt("failed", false) || ret < 0)/ {
	show(args.pathname);
}

syscall:newstat, syscall:newlstat, syscall:newfstatat, syscall:statx /mine() && (!getopt("failed", false) || ret < 0)/ {
	show(args.filename);
}
