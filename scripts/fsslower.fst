#!/usr/bin/env fst
// fsslower: Which operations of a file system are slow, on which files?
//
// Topic: files
// Usage: fsslower FILESYSTEM [--min US]
// Option: --min US: at least so many microseconds (default: 10000)
// Common: task, time, unit
// Reading: T is R for reads, W for writes, O for opens, S for fsyncs; BYTES is what a read or write
//  moved. FILESYSTEM is ext4, xfs, btrfs, nfs or f2fs.
// Example: fst fsslower ext4
// Example: fst fsslower ext4 --min 1000 -c postgres
// Misses: Mapped files, and asynchronous I/O that has not ended when the call returns.
// Cost: two probes for each operation.
// Instead: biosnoop, syncsnoop
// Also: ext4slower, xfsslower, btrfsslower, nfsslower, zfsslower

macro slow() { mine() && took >= getopt("min", 10000) * 1us }
macro show(t, file) {
	row("PID %-7d COMM %-16s T %1s BYTES %9d LAT %9T FILE %s", pid, comm, t, (int64)retval, took, file_name(file));
}

call:$1_file_read_iter | $1_file_read   /slow() && retval != -529/ { show("R", ((struct kiocb *)arg0)->ki_filp); }
call:$1_file_write_iter | $1_file_write /slow() && retval != -529/ { show("W", ((struct kiocb *)arg0)->ki_filp); }
call:$1_file_open                       /slow()/ { show("O", arg1); }
call:$1_sync_file | $1_file_fsync       /slow()/ { show("S", arg0); }
