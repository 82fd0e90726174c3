#!/usr/bin/env fst
// getdentslat: How long does reading directories take, call by call?
//
// Usage: getdentslat [-c COMM] [-m US] [-d SEC]
// Option: -c, --comm COMM: only this command
// Option: -m, --min US: only calls that took at least so many microseconds
// Example: fst getdentslat -c ps
// Example: fst getdentslat -m 1000
// Misses: Calls of 32-bit programs.
// Cost: one pair of probes for each getdents64 call.

begin {
	printf("%10s %7s %4s %-16s %s\n", "LAT(us)", "RET", "FD", "COMM", "PID");
}

syscall:getdents64
/took / 1us >= getopt("min", 0) && (getopt("comm", "") == "" || comm == getopt("comm", ""))/
{
	printf("%10d %7d %4d %-16s %d\n", took / 1us, ret, args.fd, comm, pid);
}
