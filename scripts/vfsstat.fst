#!/usr/bin/env fst
// vfsstat: How many operations on files are there, of which kind?
//
// Topic: files
// Usage: vfsstat [interval [count]]
// Common: task, time
// Reading: How often each was done since the last report. READ and WRITE are of files, pipes, sockets and devices,
//  by sendfile(), splice() and copy_file_range(), too: these read and write what they move in pieces. FSYNC counts
//  fsync() and fdatasync(), OPEN opens that succeeded, by execve() and open_by_handle_at(), too, CREATE the files that
//  open() or mknod() made.
// Example: fst vfsstat 1
// Example: fst vfsstat -p 1234 -d 10
// Misses: Mapped files, and reads, writes and fsyncs by io_uring and aio. What O_SYNC does behind a write is no FSYNC.
//  What the kernel does for clients of its NFS server.
// Cost: a counter for each operation, some 100 ns.
// Others: bpftrace's and bcc's count calls of vfs_create(), which open() does not make: for 50 new files
//  their CREATE is 0.
// Instead: syscount

kprobe:vfs_read, kprobe:vfs_readv /mine()/ { @read = count(); }
kprobe:do_splice_read | do_splice_to /mine() && !is_backing(args.in)/ { @read = count(); }
kprobe:vfs_write, kprobe:vfs_writev, kprobe:iter_file_splice_write /mine()/ { @write = count(); }

// The functions below the system calls are put into each other by the compiler, another way on each kernel.
fs:sync /mine()/ { @fsync = count(); }

// vfs_open is not called for what a file system opens as it looks it up (FUSE, NFS).
call:do_filp_open | do_file_open, call:do_file_open_root /mine() && !is_err(retval)/ {
	@open = count();
	if (was_created(retval)) {
		@create = count();
	}
}

syscall:mknod, syscall:mknodat /mine() && ret == 0 && ((args.mode & 0xf000) == 0x8000 || (args.mode & 0xf000) == 0)/ {
	@create = count();
}

// vfs_unlink and its like are called again by stacked file systems, for the file below.
kprobe:security_path_unlink | vfs_unlink /mine()/ { @unlink = count(); }
kprobe:security_path_mkdir | vfs_mkdir /mine()/ { @mkdir = count(); }
kprobe:security_path_rmdir | security_inode_rmdir | vfs_rmdir /mine()/ { @rmdir = count(); }

report {
	row("READ %8d WRITE %8d FSYNC %7d OPEN %7d CREATE %7d UNLINK %7d MKDIR %6d RMDIR %6d", (uint64)@read, (uint64)@write,
		(uint64)@fsync, (uint64)@open, (uint64)@create, (uint64)@unlink, (uint64)@mkdir, (uint64)@rmdir);
}
