#!/usr/bin/env fst
// syncsnoop: Who forces data to be written to disk, and how long does it take?
//
// Topic: files
// Usage: syncsnoop
// Common: task, time, unit
// Reading: CALL is the system call; sync waits for all file systems, fsync for one file. msync is shown with MS_SYNC;
//  without it, it forces nothing. LAT is how long the call took, ERR 0 or the error.
// Example: fst syncsnoop
// Misses: Writes with O_SYNC or RWF_SYNC, syncs through io_uring and aio and of 32-bit programs, and what the kernel
//  writes by itself.
// Cost: One pair of probes per call; negligible compared with the calls themselves.

macro show() {
	row("PID %-7d COMM %-16s CALL %-16s LAT %10T ERR %s", pid, comm, func, took, (enum errno)errno);
}

syscall:sync, syscall:syncfs, syscall:fsync, syscall:fdatasync, syscall:sync_file_range /mine()/ {
	show();
}

// 4: MS_SYNC
syscall:msync /mine() && args.flags & 4/ { show(); }
