#!/usr/bin/env fst
// filelife: Which files are short-lived?
//
// Topic: files
// Usage: filelife [--max MS]
// Option: --max MS: only files that existed for at most MS milliseconds (default: 1000)
// Common: task, time
// Reading: FILE was created AGE milliseconds before PID removed it, or renamed another file to its name. A file with
//  several names counts as removed when the last name is.
// Example: fst filelife
// Example: fst filelife --max 10000 -c make
// Misses: Files created before tracing started or by mknod(), and removals by other machines on network file
//  systems. Only the newest 65536 files that still exist are remembered.
// Cost: Two probes per open, three per removal or rename, and a map entry per new file.
// Others: bcc's does not start on Linux 5.10 and shows nothing on 7.2.
// Instead: opensnoop

config = { print_maps_on_exit = false }

let @birth = lruhash(65536);
// Files that a running call will remove, by the entry of the directory.
let @going = lruhash(4096);

call:do_filp_open | do_file_open, call:do_file_open_root /!is_err(retval) && was_created(retval)/ {
	@birth[file_id(((struct file *)retval)->f_inode)] = nsecs;
}

// leaves(): the call that begins will remove this name of a file, which is gone then if it is the last one.
macro leaves(dentry, @birth, @going) {
	$inode = ((struct dentry *)dentry)->d_inode;
	if ((uint64)$inode && $inode->i_nlink <= 1 && has_key(@birth, file_id($inode))) {
		@going[(uint64)dentry] = file_id($inode);
	}
}

// gone(): the call has ended.
macro gone(dentry, @birth, @going) {
	$id = @going[(uint64)dentry];
	if (retval == 0) {
		$ms = (nsecs - @birth[$id]) / 1ms;
		delete(@birth, $id);
		if (mine() && $ms <= getopt("max", 1000)) {
			row("PID %-7d COMM %-16s AGE(ms) %8d FILE %s", pid, comm, $ms, str(((struct dentry *)dentry)->d_name.name));
		}
	}
	delete(@going, (uint64)dentry);
}

kprobe:vfs_unlink { leaves(args.dentry, @birth, @going); }
call:vfs_unlink /has_key(@going, (uint64)args.dentry)/ { gone(args.dentry, @birth, @going); }

macro old_name() {
	comptime exists(args.rd) ? (struct dentry *)args.rd->old_dentry : (struct dentry *)args.old_dentry
}

macro new_name() {
	comptime exists(args.rd) ? (struct dentry *)args.rd->new_dentry : (struct dentry *)args.new_dentry
}

macro exchanges() { (comptime exists(args.rd) ? args.rd->flags : args.flags) & 2 }

kprobe:vfs_rename /!exchanges() && old_name()->d_inode != new_name()->d_inode/ {
	leaves(new_name(), @birth, @going);
}

call:vfs_rename /has_key(@going, (uint64)new_name())/ { gone(new_name(), @birth, @going); }
