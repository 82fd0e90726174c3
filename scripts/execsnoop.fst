#!/usr/bin/env fst
// execsnoop: Which programs are started, by whom, with which arguments?
//
// Topic: programs and processes
// Usage: execsnoop [-x] [-P PID]
// Option: -x, --failed: only calls that failed
// Option: -P, --ppid PID: only programs started by this process
// Common: task, time
// Reading: ARGS are the arguments, first the name of the program. ERR is 0, or the error: a shell tries one directory
//  of PATH after another. COMM is the new program, or the one that called execve() if it failed.
// Example: fst execsnoop -x
// Example: fst execsnoop -c cron
// Example: fst execsnoop -P 1234
// Misses: Arguments beyond 1 KB. Of a call that failed only the path is shown.
//  Failures of 32-bit programs, and calls that a seccomp filter refuses (see syserr).
// Cost: Two probes per program start.
// Others: bpftrace's shows the first 15 arguments, that of libbpf-tools 20 by default: try
//  true $(seq 50).
// Words: fork, children, spawn

macro started() { getopt("ppid", 0) == 0 || ppid == getopt("ppid", 0) }

proc:exec /mine() && started() && !getopt("failed", false)/ {
	row("PID %-7d PPID %-7d COMM %-16s ERR %-12s ARGS %rw", pid, ppid, comm, "0", buf(uptr(args.first), args.length));
}

syscall:execve, syscall:execveat /mine() && started() && ret < 0/ {
	row("PID %-7d PPID %-7d COMM %-16s ERR %-12s ARGS %s", pid, ppid, comm, (enum errno)errno, str(args.filename));
}
