#!/usr/bin/env fst
// fsslower: Which operations of a file system are slow, on which files?
//
// Topic: files
// Usage: fsslower FILESYSTEM [--min US]
// Option: --min US: at least US microseconds (default: 10000)
// Common: task, time, unit
// Reading: T is R for reads, W for writes, O for opens, S for fsyncs, also those after writes with O_SYNC; LAT is how
//  long the operation took, BYTES is the number of bytes read or written (negative: the error), OFF_KB the offset in
//  the file. FILESYSTEM is ext4, xfs, btrfs, nfs, f2fs, tmpfs or overlay.
// Example: fst fsslower ext4
// Example: fst fsslower ext4 --min 1000 -c postgres
// Misses: Mapped files, opens of directories, copies that share blocks, calls that fail because they would have to wait
//  (EAGAIN), and asynchronous I/O that has not ended when the call returns. sendfile(), splice() and copy_file_range()
//  move data in chunks, each of which is shown; copy_file_range(), msync() and the fsync after a write with O_SYNC on
//  overlayfs are operations of the file system below.
// Cost: Two probes per operation.
// Instead: biosnoop, syncsnoop
// Also: ext4slower, xfsslower, btrfsslower, nfsslower, zfsslower

// Most file systems have functions of their own by the same rule.
macro by_rule() { str($1) != "tmpfs" && str($1) != "overlay" }
macro is(name) { str($1) == name }
// The type of NFS has a number, too.
macro of_this(file) {
	strcontains(str(((struct file *)file)->f_inode->i_sb->s_type->name, 16), str($1))
}

// EIOCBQUEUED: it goes on; EAGAIN: it would have to wait, and io_uring tries again.
macro slow() { mine() && took >= getopt("min", 10000) * 1us && retval != -529 && retval != -11 }

macro show(t, file, bytes, offset) {
	row("PID %-7d COMM %-16s T %1s BYTES %9d OFF_KB %9d LAT %9T FILE %s", pid, comm, t, bytes, offset / 1024, took, file_name(file));
}
// Opens and fsyncs move nothing: 0, or an error, which is an int.
macro done(t, file) { show(t, file, (int64)(int32)retval, 0); }
// Behind the call the position is behind what was moved.
macro began_at(position) { (int64)position - ((int64)retval > 0 ? (int64)retval : 0) }

macro moved(t) {
	show(t, ((struct kiocb *)arg0)->ki_filp, (int64)retval, began_at(((struct kiocb *)arg0)->ki_pos));
}

macro spliced() { show("R", arg0, (int64)retval, began_at(*(int64 *)arg1)); }

call:$1_file_read_iter | $1_file_read /comptime by_rule() && slow()/ { moved("R"); }
call:shmem_file_read_iter /comptime is("tmpfs") && slow()/ { moved("R"); }
call:ovl_read_iter /comptime is("overlay") && slow()/ { moved("R"); }

// sendfile() and splice() of pages in memory: from Linux 6.5 on these do not come by the functions above.
call:$1_file_splice_read | filemap_splice_read /comptime (by_rule() && exists(kprobe:filemap_splice_read)) && slow() && of_this(arg0)/ {
	spliced();
}

call:shmem_file_splice_read /comptime (is("tmpfs") && exists(kprobe:shmem_file_splice_read)) && slow()/ {
	spliced();
}

call:ovl_splice_read /comptime (is("overlay") && exists(kprobe:ovl_splice_read)) && slow()/ {
	spliced();
}

call:$1_file_write_iter | $1_file_write /comptime by_rule() && slow()/ { moved("W"); }

call:shmem_file_write_iter | generic_file_write_iter /comptime is("tmpfs") && slow() && of_this(((struct kiocb *)arg0)->ki_filp)/ {
	moved("W");
}

call:ovl_write_iter /comptime is("overlay") && slow()/ { moved("W"); }
// Its first argument is the pipe that the bytes come from.
call:ovl_splice_write /comptime (is("overlay") && exists(kprobe:ovl_splice_write)) && slow()/ {
	show("W", arg1, (int64)retval, began_at(*(int64 *)arg2));
}

call:$1_file_open /comptime by_rule() && slow() && is_regular(arg1)/ { done("O", arg1); }

// NFSv4 opens a file as it looks it up (FMODE_OPENED), or as it is already known.
call:nfs_atomic_open /comptime (is("nfs") && exists(kprobe:nfs_atomic_open)) && slow() && (((struct file *)arg2)->f_mode & 0x80000) != 0 && is_regular(arg2)/ {
	done("O", arg2);
}

call:nfs4_file_open /comptime (is("nfs") && exists(kprobe:nfs4_file_open)) && slow() && is_regular(arg1)/ {
	done("O", arg1);
}

// Opens with O_PATH come here, too, but open no file.
call:do_dentry_open /comptime is("tmpfs") && slow() && of_this(arg0) && !is_path(arg0) && is_regular(arg0)/ {
	done("O", arg0);
}

call:ovl_open /comptime is("overlay") && slow()/ { done("O", arg1); }

call:ovl_tmpfile /comptime (is("overlay") && exists(kprobe:ovl_tmpfile)) && slow()/ {
	done("O", arg2);
}

call:$1_sync_file | $1_file_fsync /comptime by_rule() && slow()/ { done("S", arg0); }

call:xfs_dir_fsync /comptime (is("xfs") && exists(kprobe:xfs_dir_fsync)) && slow()/ {
	done("S", arg0);
}

call:noop_fsync /comptime is("tmpfs") && slow() && of_this(arg0)/ { done("S", arg0); }
call:ovl_fsync /comptime is("overlay") && slow()/ { done("S", arg0); }
call:ovl_dir_fsync /comptime is("overlay") && slow()/ { done("S", arg0); }
