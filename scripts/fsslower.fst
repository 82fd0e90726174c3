#!/usr/bin/env fst
// fsslower: Which operations of a file system are slow, on which files?
//
// Topic: files
// Usage: fsslower FILESYSTEM [--min US]
// Option: --min US: at least so many microseconds (default: 10000)
// Common: task, time, unit
// Reading: T is R for reads, W for writes, O for opens, S for fsyncs; BYTES is what a read or write
//  moved, OFF_KB where in the file it began. FILESYSTEM is ext4, xfs, btrfs, nfs or f2fs.
// Example: fst fsslower ext4
// Example: fst fsslower ext4 --min 1000 -c postgres
// Misses: Mapped files, and asynchronous I/O that has not ended when the call returns.
// Cost: two probes for each operation.
// Instead: biosnoop, syncsnoop
// Also: ext4slower, xfsslower, btrfsslower, nfsslower, zfsslower

macro slow() { mine() && took >= getopt("min", 10000) * 1us }

macro show(t, file, offset) {
	row("PID %-7d COMM %-16s T %1s BYTES %9d OFF_KB %9d LAT %9T FILE %s", pid, comm, t, (int64)retval, offset / 1024, took, file_name(file));
}
// Behind the call the position is behind what was moved.
macro moved(t) {
	let $io = (struct kiocb *)arg0;
	show(t, $io->ki_filp, (int64)$io->ki_pos - ((int64)retval > 0 ? (int64)retval : 0));
}

call:$1_file_read_iter | $1_file_read /slow() && retval != -529/ { moved("R"); }
call:$1_file_write_iter | $1_file_write /slow() && retval != -529/ { moved("W"); }
call:$1_file_open /slow()/ { show("O", arg1, 0); }
call:$1_sync_file | $1_file_fsync /slow()/ { show("S", arg0, 0); }
