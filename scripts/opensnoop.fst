#!/usr/bin/env fst
// opensnoop: Which files are opened, by whom, with which result?
//
// Topic: files
// Usage: opensnoop [-x]
// Option: -x, --failed: only opens that failed
// Common: task, time
// Reading: FD is -1 and ERR the error for an open that failed (ENOENT: there is no such file).
// Example: fst opensnoop -x
// Example: fst opensnoop -c cat
// Misses: Files opened through io_uring or by the kernel itself. Names are as the
//  program gave them, relative ones too.
// Cost: one pair of probes for each open, about 1 us.

syscall:open, syscall:openat, syscall:openat2
/mine() && (!getopt("failed", false) || ret < 0)/
{
	row("PID %-7d COMM %-16s FD %4d ERR %-12s PATH %s", pid, comm, ret < 0 ? -1 : ret, (enum errno)errno,
		str(args.filename));
}
