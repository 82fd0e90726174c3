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
//  the directory in which FILE was looked up.
// Example: fst dcsnoop
// Example: fst dcsnoop -a -c ls
// Example: fst dcsnoop --parent
// Misses: Lookups that a file system does itself.
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

call:lookup_fast /mine()/ {
	witness("tracepoint:syscalls:sys_exit_openat", "this kernel looks names up by other functions than lookup_fast: try fst statsnoop, fst opensnoop");
	$found = (uint64)retval;
	if ($found == 0) {
		@missed[tid] = args.nd->last.hash_len;
		show("M", args.nd->last, args.nd->path.dentry);
	} else if (getopt("all", false) && $found < (uint64)-4095) {
		if (((struct dentry *)$found)->d_inode == 0) {
			show("N", args.nd->last, args.nd->path.dentry);
		} else {
			show("R", args.nd->last, args.nd->path.dentry);
		}
	}
}

// Opens that may make the file come here; a name that was missed above comes here again.
call:d_lookup /mine() && (uint64)retval == 0 && @missed[tid] != args.name->hash_len/ {
	show("M", *args.name, args.parent);
}
