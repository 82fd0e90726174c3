#!/usr/bin/env fst
// statsnoop: Which files are looked up with stat(), by whom, and do they exist?
//
// Topic: files
// Usage: statsnoop [-x]
// Option: -x, --failed: only calls that failed
// Common: task, time
// Reading: ERR is 0, or the error (ENOENT: there is no such file). fstat() of an open
//  file has no name.
// Example: fst statsnoop -x
// Misses: Calls through io_uring, and those of 32-bit programs. Names are as the program gave them, relative ones too.
// Cost: one pair of probes for each call, about 1 us.

macro show(path) {
	row("PID %-7d COMM %-16s ERR %-12s PATH %s", pid, comm, (enum errno)(0 - ret), str(path));
}

syscall:statfs /mine() && (!getopt("failed", false) || ret < 0)/ {
	show(args.pathname);
}

syscall:newstat, syscall:newlstat, syscall:newfstatat, syscall:statx /mine() && (!getopt("failed", false) || ret < 0)/ {
	show(args.filename);
}
