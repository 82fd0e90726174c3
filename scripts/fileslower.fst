#!/usr/bin/env fst
// fileslower: Which reads and writes of files are slow?
//
// Topic: files
// Usage: fileslower [-a] [--min US]
// Option: -a, --all: also pipes, sockets and devices
// Option: --min US: at least US microseconds (default: 10000)
// Common: task, time, unit
// Reading: T is R for a read and W for a write, BYTES the result (negative: the error). LAT is how long the program
//  waited: in the file system, for locks and for the disk.
// Example: fst fileslower
// Example: fst fileslower --min 1000 -c cat
// Misses: Mapped files, io_uring and aio. sendfile(), splice() and copy_file_range() move data in
//  chunks, each of which is shown.
// Cost: Two probes per read or write.
// Instead: biosnoop

macro wanted() {
	mine() && took >= getopt("min", 10000) * 1us && (getopt("all", false) || args.kind == "file")
}

macro show(t) {
	row("PID %-7d COMM %-16s T %1s BYTES %9d LAT %9T FILE %s", pid, comm, t,
		args.errno ? -args.errno : (int64)args.bytes, took, args.file);
}

fs:read /wanted()/ { show("R"); }
fs:write /wanted()/ { show("W"); }
