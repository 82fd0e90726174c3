#!/usr/bin/env fst
// opensnoop: Which files are opened, by whom, with which result?
//
// Topic: files
// Usage: opensnoop [-xF] [-n NAME]
// Option: -x, --failed: only opens that failed
// Option: -n, --name NAME: only threads whose name has this in it
// Option: -F, --full: whole paths of the files that could be opened
// Common: task, time
// Reading: FD is -1 and ERR the error for an open that failed (ENOENT: there is no such file).
// Example: fst opensnoop -x
// Example: fst opensnoop -c cat
// Example: fst opensnoop -F -n sql
// Misses: Files opened through io_uring or by the kernel itself. Without -F
//  names are as the program gave them, relative ones too; those that failed are so always.
// Cost: one pair of probes for each open, about 1 us.

config = { print_maps_on_exit = false }

macro wanted() { mine() && (getopt("name", "") == "" || strcontains(comm, getopt("name", ""))) }
macro full() { getopt("full", false) }

fentry:security_file_open /comptime full() && wanted()/ {
	@path[tid] = path(&args.file.f_path);
}

syscall:open, syscall:openat, syscall:openat2 /wanted() && (!getopt("failed", false) || ret < 0)/ {
	row("PID %-7d COMM %-16s FD %4d ERR %-12s PATH %s", pid, comm, ret < 0 ? -1 : ret, (enum errno)errno,
		comptime full() ? (ret < 0 || @path[tid] == "" ? str(args.filename) : @path[tid]) : str(args.filename));
	if (comptime full()) {
		delete(@path, tid);
	}
}
