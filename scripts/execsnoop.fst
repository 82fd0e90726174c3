#!/usr/bin/env fst
// execsnoop: Which programs are started, by whom, with which arguments?
//
// Topic: programs and processes
// Usage: execsnoop [-x] [-P PID]
// Option: -x, --failed: only calls that failed
// Option: -P, --ppid PID: only programs that this process starts
// Common: task, time
// Reading: ERR is 0, or the error: a shell looks for a program in one
//  directory after another. COMM is the program that was started, or the one that tried.
// Example: fst execsnoop -x
// Example: fst execsnoop -c cron
// Example: fst execsnoop -P 1234
// Misses: More than 1 KB of arguments. A program that failed to start has its path only.
//  Failures of 32-bit programs.
// Cost: two probes for each program that is started.
// Others: bpftrace's shows the first 15 words of a command line, that of libbpf-tools 20 by default:
//  start a program with 50 (true $(seq 50)) and look for the last.

macro started() { getopt("ppid", 0) == 0 || ppid == getopt("ppid", 0) }

proc:exec /mine() && started() && !getopt("failed", false)/ {
	row("PID %-7d PPID %-7d COMM %-16s ERR %-12s ARGS %rw", pid, ppid, comm, "0", buf(uptr(args.first), args.length));
}

syscall:execve, syscall:execveat /mine() && started() && ret < 0/ {
	row("PID %-7d PPID %-7d COMM %-16s ERR %-12s ARGS %s", pid, ppid, comm, (enum errno)errno, str(args.filename));
}
