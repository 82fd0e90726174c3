#!/usr/bin/env fst
// opensnoop: Which files are opened, by whom, with which result?
//
// Usage: opensnoop [-x] [-p PID] [-c COMM] [-d SEC]
// Option: -x, --failed: only opens that failed
// Option: -p, --pid PID: only this process
// Option: -c, --comm COMM: only this command
// Example: fst opensnoop -x
// Example: fst opensnoop -c cat
// Misses: Files opened through io_uring or by the kernel itself. Names are as the
//  program gave them, relative ones too.
// Cost: one pair of probes for each open, about 1 us.

macro wanted() {
	(getopt("pid", 0) == 0 || pid == getopt("pid", 0)) &&
		(getopt("comm", "") == "" || comm == getopt("comm", ""))
}

begin {
	printf("%-7s %-16s %4s %3s %s\n", "PID", "COMM", "FD", "ERR", "PATH");
}

syscall:open, syscall:openat, syscall:openat2
/wanted() && (!getopt("failed", false) || ret < 0)/
{
	printf("%-7d %-16s %4d %3d %s\n", pid, comm, ret < 0 ? -1 : ret, ret < 0 ? 0 - ret : 0,
		str(args.filename));
}
