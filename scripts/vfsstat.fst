#!/usr/bin/env fst
// vfsstat: How many operations on files are there, of which kind?
//
// Topic: files
// Usage: vfsstat [interval [count]]
// Common: task, time
// Reading: How often each was done since the last report. CREATE counts opens that made the file.
// Example: fst vfsstat 1
// Example: fst vfsstat -p 1234 -d 10
// Misses: Vectored reads and writes (readv, preadv), mapped files, splice and io_uring.
// Cost: a counter for each operation, some 100 ns.
// Others: bpftrace's and bcc's count calls of vfs_create(), which open() does not make: for 50 new files
//  their CREATE is 0.
// Instead: syscount

kprobe:vfs_read /mine()/ { @read = count(); }
kprobe:vfs_write /mine()/ { @write = count(); }
kprobe:vfs_fsync_range /mine()/ { @fsync = count(); }
kprobe:vfs_open /mine()/ { @open = count(); if (was_created(args.file)) { @create = count(); } }
kprobe:vfs_unlink /mine()/ { @unlink = count(); }
kprobe:vfs_mkdir /mine()/ { @mkdir = count(); }
// On some kernels the compiler puts vfs_rmdir into its caller.
kprobe:security_inode_rmdir | vfs_rmdir /mine()/ { @rmdir = count(); }

report {
	row("READ %8d WRITE %8d FSYNC %7d OPEN %7d CREATE %7d UNLINK %7d MKDIR %6d RMDIR %6d", (uint64)@read, (uint64)@write,
		(uint64)@fsync, (uint64)@open, (uint64)@create, (uint64)@unlink, (uint64)@mkdir, (uint64)@rmdir);
}
