#!/usr/bin/env fst
// getdentslat: How long does reading directories take, call by call?
//
// Topic: files
// Usage: getdentslat [--min US]
// Option: --min US: only calls that took at least US microseconds
// Common: task, time, unit
// Reading: FD is the file descriptor of the directory. LAT is how long the call took, RET is the number of bytes
//  returned, 0 at the end of the directory.
// Example: fst getdentslat -c ps
// Example: fst getdentslat --min 1000
// Misses: Calls of 32-bit programs.
// Cost: One pair of probes per call.

syscall:getdents64, syscall:getdents /mine() && took >= getopt("min", 0) * 1us/ {
	row("LAT %10T RET %7d FD %4d COMM %-16s PID %d", took, ret, args.fd, comm, pid);
}
