#!/usr/bin/env fst
// dcsnoop: Which file names are not in the kernel's directory cache?
//
// Topic: files
// Usage: dcsnoop [-a] [--parent]
// Option: -a, --all: also show names that are cached
// Option: --parent: also show the name of the directory
// Common: task, time
// Reading: T is M (miss) for a name that was looked up in the file system, N (negative) for one that is cached as
//  nonexistent, R (reference) for a cached one. Each component of a path is a lookup of its own. DIR, with --parent, is
//  the directory in which FILE was looked up. Names that a file system looks up itself are shown, too: those of the
//  files below overlayfs, and those of /proc while it is listed.
// Example: fst dcsnoop
// Example: fst dcsnoop -a -c ls
// Example: fst dcsnoop --parent
// Misses: Names in directories that may not be searched.
// Cost: Two probes per component of each path: a few percent on a machine that opens many files.
// Others: bpftrace's reports names as missed that are found, and misses all names that stat() does not find: it probes
//  d_lookup(), which those lookups do not call.
// Instead: opensnoop, statsnoop

config = { print_maps_on_exit = false }

macro show(t, name, parent) {
	if (comptime getopt("parent", false)) {
		row("PID %-7d COMM %-16s T %1s DIR %-24s FILE %s", pid, comm, t, str(parent->d_name.name), str(name.name, name.len + 1));
	} else {
		row("PID %-7d COMM %-16s T %1s FILE %s", pid, comm, t, str(name.name, name.len + 1));
	}
}

// The last name of each thread that a path was followed to and that no file has: (hash, place of the name). Opens look
// it up again, from the same place; others go on to d_alloc_parallel, if it was not cached.
let @asked = lruhash(16384);

macro repeats(name, @asked) { @asked[tid].0 == name->hash_len && @asked[tid].1 == (uint64)name }

call:lookup_fast /mine()/ {
	witness("tracepoint:syscalls:sys_exit_openat", "this kernel looks names up by other functions than lookup_fast: try fst statsnoop, fst opensnoop");
	$found = (uint64)retval;
	if ($found == 0) {
		@asked[tid] = (args.nd->last.hash_len, (uint64)&args.nd->last);
		show("M", args.nd->last, args.nd->path.dentry);
	} else if (getopt("all", false) && $found < (uint64)-4095) {
		if (((struct dentry *)$found)->d_inode == 0) {
			@asked[tid] = (args.nd->last.hash_len, (uint64)&args.nd->last);
			show("N", args.nd->last, args.nd->path.dentry);
		} else {
			show("R", args.nd->last, args.nd->path.dentry);
		}
	}
}

kprobe:d_alloc_parallel, kprobe:do_filp_open | do_file_open /mine()/ { delete(@asked, tid); }

// The last name of a path that may be made, removed or renamed is looked up here.
call:d_lookup /mine() && !repeats(args.name, @asked)/ {
	if ((uint64)retval == 0) {
		show("M", *args.name, args.parent);
	} else if (getopt("all", false)) {
		if (((struct dentry *)retval)->d_inode == 0) {
			show("N", *args.name, args.parent);
		} else {
			show("R", *args.name, args.parent);
		}
	}
}
