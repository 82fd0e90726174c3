#!/usr/bin/env fst
// fileslower: Which reads and writes of files are slow?
//
// Topic: files
// Usage: fileslower [-a] [--min US]
// Option: -a, --all: pipes, sockets and devices, too
// Option: --min US: at least so many microseconds (default: 10000)
// Common: task, time, unit
// Reading: T is R for a read and W for a write of BYTES. The time is what the program waited:
//  in the file system, for locks and for the disk.
// Example: fst fileslower
// Example: fst fileslower --min 1000 -c cat
// Misses: Vectored reads and writes (readv, preadv), mapped files, splice and io_uring.
// Cost: two probes for each read or write.
// Instead: biosnoop

macro wanted() {
	mine() && took >= getopt("min", 10000) * 1us && (getopt("all", false) || is_regular(args.file))
}

macro show(t) {
	row("PID %-7d COMM %-16s T %1s BYTES %9d LAT %9T FILE %s", pid, comm, t, retval, took, file_name(args.file));
}

call:vfs_read /wanted()/ { show("R"); }
call:vfs_write /wanted()/ { show("W"); }
