#!/usr/bin/env fst
// syncsnoop: Who forces data to be written to disk, and how long does it take?
//
// Topic: files
// Usage: syncsnoop
// Common: task, time, unit
// Reading: CALL is the system call; sync waits for all file systems, fsync for one file. LAT is how long the call
//  took, ERR 0 or the error.
// Example: fst syncsnoop
// Misses: Files opened with O_SYNC, syncs through io_uring and of 32-bit programs, and what the kernel writes by itself.
// Cost: One pair of probes per call; negligible compared with the calls themselves.

syscall:sync,
syscall:syncfs,
syscall:fsync,
syscall:fdatasync,
syscall:sync_file_range,
syscall:msync /mine()/ {
	row("PID %-7d COMM %-16s CALL %-16s LAT %10T ERR %s", pid, comm, func, took, (enum errno)errno);
}
