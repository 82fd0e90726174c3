#!/usr/bin/env fst
// dcstat: What is the hit rate of the kernel's directory cache?
//
// Topic: files
// Usage: dcstat [interval [count]]
// Common: task, time
// Reading: REFS is the number of lookups, MISS those that went to the file system,
//  NEGATIVE those of names cached as nonexistent. HIT% is the share of lookups that the cache answered.
// Example: fst dcstat 1
// Misses: The last component of a path that is opened with O_CREAT, which is looked up in another way.
// Cost: Two probes per component of each path.
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
