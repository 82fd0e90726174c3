#!/usr/bin/env fst
// fsdist: How long do the operations of a file system take, as a distribution?
//
// Topic: files
// Usage: fsdist FILESYSTEM [interval [count]]
// Common: task, time, unit, heat
// Reading: One histogram each for reads, writes, opens and fsyncs, in microseconds, or in the unit of -m or -n.
//  The flush after a write with O_SYNC counts as an fsync. FILESYSTEM is ext4, xfs, btrfs, nfs, f2fs, tmpfs or
//  overlay. Two peaks in one histogram are the page cache and the disk.
// Example: fst fsdist ext4
// Example: fst fsdist ext4 -c fio 1 10
// Misses: Mapped files, opens of directories, copies that share blocks, calls that fail because they would have to wait
//  (EAGAIN), and asynchronous I/O that has not ended when the call returns. sendfile(), splice() and copy_file_range()
//  move data in chunks, each of which is counted; copy_file_range(), msync() and the fsync after a write with O_SYNC on
//  overlayfs are operations of the file system below.
// Cost: Two probes per operation.
// Instead: biolatency
// Also: ext4dist, xfsdist, btrfsdist, nfsdist, zfsdist

// Most file systems have functions of their own by the same rule.
macro by_rule() { str($1) != "tmpfs" && str($1) != "overlay" }
macro is(name) { str($1) == name }
// The type of NFS has a number, too.
macro of_this(file) {
	strcontains(str(((struct file *)file)->f_inode->i_sb->s_type->name, 16), str($1))
}

// EIOCBQUEUED: it goes on; EAGAIN: it would have to wait, and io_uring tries again.
macro counted() { mine() && retval != -529 && retval != -11 }

macro add(@latency, operation) {
	$operation = operation;
	@latency[$operation] = hist(took / unit());
}

call:$1_file_read_iter | $1_file_read /comptime by_rule() && counted()/ { add(@latency, "read"); }
call:shmem_file_read_iter /comptime is("tmpfs") && counted()/ { add(@latency, "read"); }
call:ovl_read_iter /comptime is("overlay") && counted()/ { add(@latency, "read"); }

// sendfile() and splice() of pages in memory: from Linux 6.5 on these do not come by the functions above.
call:$1_file_splice_read | filemap_splice_read /comptime (by_rule() && exists(kprobe:filemap_splice_read)) && mine() && of_this(arg0)/ {
	add(@latency, "read");
}

call:shmem_file_splice_read /comptime (is("tmpfs") && exists(kprobe:shmem_file_splice_read)) && mine()/ {
	add(@latency, "read");
}

call:ovl_splice_read /comptime (is("overlay") && exists(kprobe:ovl_splice_read)) && mine()/ {
	add(@latency, "read");
}

call:$1_file_write_iter | $1_file_write /comptime by_rule() && counted()/ {
	add(@latency, "write");
}

call:shmem_file_write_iter | generic_file_write_iter /comptime is("tmpfs") && counted() && of_this(((struct kiocb *)arg0)->ki_filp)/ {
	add(@latency, "write");
}

call:ovl_write_iter /comptime is("overlay") && counted()/ { add(@latency, "write"); }

call:ovl_splice_write /comptime (is("overlay") && exists(kprobe:ovl_splice_write)) && mine()/ {
	add(@latency, "write");
}

call:$1_file_open /comptime by_rule() && mine() && is_regular(arg1)/ { add(@latency, "open"); }

// NFSv4 opens a file as it looks it up (FMODE_OPENED), or as it is already known.
call:nfs_atomic_open /comptime (is("nfs") && exists(kprobe:nfs_atomic_open)) && mine() && (((struct file *)arg2)->f_mode & 0x80000) != 0 && is_regular(arg2)/ {
	add(@latency, "open");
}

call:nfs4_file_open /comptime (is("nfs") && exists(kprobe:nfs4_file_open)) && mine() && is_regular(arg1)/ {
	add(@latency, "open");
}

// Opens with O_PATH come here, too, but open no file.
call:do_dentry_open /comptime is("tmpfs") && mine() && of_this(arg0) && !is_path(arg0) && is_regular(arg0)/ {
	add(@latency, "open");
}

call:ovl_open /comptime is("overlay") && mine()/ { add(@latency, "open"); }

call:ovl_tmpfile /comptime (is("overlay") && exists(kprobe:ovl_tmpfile)) && mine()/ {
	add(@latency, "open");
}

call:$1_sync_file | $1_file_fsync /comptime by_rule() && mine()/ { add(@latency, "fsync"); }

call:xfs_dir_fsync /comptime (is("xfs") && exists(kprobe:xfs_dir_fsync)) && mine()/ {
	add(@latency, "fsync");
}

call:noop_fsync /comptime is("tmpfs") && mine() && of_this(arg0)/ { add(@latency, "fsync"); }
call:ovl_fsync /comptime is("overlay") && mine()/ { add(@latency, "fsync"); }
call:ovl_dir_fsync /comptime is("overlay") && mine()/ { add(@latency, "fsync"); }

report {
	histogram(@latency);
}
