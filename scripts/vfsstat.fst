#!/usr/bin/env fst
// vfsstat: How many file operations of each kind are there?
//
// Topic: files
// Usage: vfsstat [interval [count]]
// Common: task, time
// Reading: How many operations of each kind there were since the last report. READ and WRITE are of files, pipes,
//  sockets and devices, including sendfile(), splice() and copy_file_range(), which read and write in pieces. FSYNC
//  counts fsync() and fdatasync(); OPEN counts successful opens, including those by execve() and open_by_handle_at();
//  CREATE counts files created by open() or mknod(). UNLINK, MKDIR and RMDIR count files that are removed, and
//  directories that are made and removed.
// Example: fst vfsstat 1
// Example: fst vfsstat -p 1234 -d 10
// Misses: Mapped files, and reads, writes and fsyncs through io_uring and aio, fsyncs and mknods of 32-bit programs.
//  The sync that O_SYNC adds to a write does not count as FSYNC. What the kernel's NFS server does for its clients.
// Cost: One counter update per operation, about 100 ns.
// Others: bpftrace's and bcc's vfsstat count calls of vfs_create(), which open() does not make: for 50 new files
//  their CREATE is 0.
// Instead: syscount

kprobe:vfs_read, kprobe:vfs_readv /mine()/ { @read = count(); }

// A stacked file system reads the file below by the same function, within its own call. What copy_file_range() reads is
// only the file below.
let @splicing = lruhash(16384);

kprobe:do_splice_read | do_splice_to /mine() && !@splicing[tid]/ {
	@read = count();
	if (!is_backing(args.in)) {
		@splicing[tid] = true;
	}
}

call:do_splice_read | do_splice_to /mine() && !is_backing(args.in)/ { delete(@splicing, tid); }

kprobe:vfs_write,
kprobe:vfs_writev,
kprobe:iter_file_splice_write,
kprobe:splice_to_socket | generic_splice_sendpage /mine()/ { @write = count(); }

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

// Stacked file systems call vfs_unlink and its like again, for the file below: what a program asked for passes the
// function before first, with the same entry of the directory.
let @asked = lruhash(4096);

kprobe:security_path_unlink | vfs_unlink,
kprobe:security_path_mkdir | vfs_mkdir,
kprobe:security_path_rmdir | security_inode_rmdir | vfs_rmdir /mine()/ {
	@asked[tid] = (uint64)args.dentry;
}

macro ended(@asked, @succeeded) {
	if (!is_err(retval)) {
		@succeeded = count();
	}
	delete(@asked, tid);
}

call:vfs_unlink /@asked[tid] == (uint64)args.dentry/ { ended(@asked, @unlink); }
call:vfs_mkdir /@asked[tid] == (uint64)args.dentry/ { ended(@asked, @mkdir); }

// What succeeds does this; the compiler puts vfs_rmdir itself into its caller on some kernels.
kprobe:shrink_dcache_parent /@asked[tid] == arg0/ {
	@rmdir = count();
	delete(@asked, tid);
}

report {
	row("READ %8d WRITE %8d FSYNC %7d OPEN %7d CREATE %7d UNLINK %7d MKDIR %6d RMDIR %6d", (uint64)@read, (uint64)@write,
		(uint64)@fsync, (uint64)@open, (uint64)@create, (uint64)@unlink, (uint64)@mkdir, (uint64)@rmdir);
}
