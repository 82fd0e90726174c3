#!/usr/bin/env fst
// dcstat: What is the hit rate of the kernel's directory cache?
//
// Topic: files
// Usage: dcstat [interval [count]]
// Common: task, time
// Reading: REFS is the number of lookups, MISS those that went to the file system,
//  NEGATIVE those of names cached as nonexistent. HIT% is the share of lookups that the cache answered.
//  Names that a file system looks up itself count, too: those of the files below overlayfs, and those of /proc while it
//  is listed.
// Example: fst dcstat 1
// Misses: Names in directories that may not be searched.
// Cost: Two probes per component of each path.
// Instead: statsnoop

// The last name of each thread that a path was followed to and that no file has: (hash, place of the name). Opens look
// it up again, from the same place; others go on to d_alloc_parallel, if it was not cached.
let @asked = lruhash(16384);

macro repeats(name, @asked) { @asked[tid].0 == name->hash_len && @asked[tid].1 == (uint64)name }

// is_negative(dentry): the result of a lookup (0, an error or an entry) says that there is no such file.
macro is_negative(dentry) {
	(uint64)dentry < (uint64)-4095 && ((struct dentry *)dentry)->d_inode == 0
}

call:lookup_fast /mine()/ {
	witness("tracepoint:syscalls:sys_exit_openat", "this kernel looks names up by other functions than lookup_fast: try fst statsnoop, fst opensnoop");
	@refs = count();
	if ((uint64)retval == 0) {
		@miss = count();
		@asked[tid] = (args.nd->last.hash_len, (uint64)&args.nd->last);
	} else if (is_negative(retval)) {
		@negative = count();
		@asked[tid] = (args.nd->last.hash_len, (uint64)&args.nd->last);
	}
}

kprobe:d_alloc_parallel, kprobe:do_filp_open | do_file_open /mine()/ { delete(@asked, tid); }

// The last name of a path that may be made, removed or renamed is looked up here.
call:d_lookup /mine() && !repeats(args.name, @asked)/ {
	@refs = count();
	if ((uint64)retval == 0) {
		@miss = count();
	} else if (is_negative(retval)) {
		@negative = count();
	}
}

report {
	$refs = (uint64)@refs;
	row("REFS %8d MISS %8d NEGATIVE %8d HIT%% %4d", $refs, (uint64)@miss, (uint64)@negative,
		$refs > 0 ? ($refs - (uint64)@miss) * 100 / $refs : 0);
}
