#!/usr/bin/env fst
// dcstat: How well does the kernel's directory cache work?
//
// Topic: files
// Usage: dcstat [interval [count]]
// Common: task, time
// Reading: REFS names were looked up; MISS of them had to be looked for in the file system, and
//  NEGATIVE were known not to exist. HIT% is the share of those that the cache knew.
// Example: fst dcstat 1
// Misses: Opens that may make a file look their last name up in another way.
// Cost: two probes for each part of each path.
// Instead: statsnoop

call:lookup_fast /mine()/ {
	witness("tracepoint:syscalls:sys_exit_openat", "this kernel looks names up by other functions than lookup_fast: try fst statsnoop, fst opensnoop");
	@refs = count();
	if ((uint64)retval == 0) {
		@miss = count();
	} else if ((uint64)retval < (uint64)-4095 && ((struct dentry *)retval)->d_inode == 0) {
		@negative = count();
	}
}

report {
	$refs = (uint64)@refs;
	row("REFS %8d MISS %8d NEGATIVE %8d HIT%% %4d", $refs, (uint64)@miss, (uint64)@negative,
		$refs > 0 ? ($refs - (uint64)@miss) * 100 / $refs : 0);
}
