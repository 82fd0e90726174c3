#!/usr/bin/env fst
// cachestat: How much of what is read from files was in memory already?
//
// Topic: memory
// Usage: cachestat [interval [count]]
// Common: task, time
// Reading: Pages of 4 KB. ACCESS were read by programs, ADDED had to come into memory for that (also
//  those that were read ahead in vain), HIT% is the share of ACCESS that was there, DIRTY were
//  changed.
// Example: fst cachestat 1
// Example: fst cachestat -c postgres -d 60
// Misses: Files that are mapped instead of read, and direct I/O, which has no cache.
// Cost: two probes for each read of a file, one for each page that comes into memory or is changed.
// Others: bcc's probes add_to_page_cache_lru(), which newer kernels do not call when they read a file: it
//  sees no misses, 64 MB that were not in memory are hits (Linux 6.1 and 6.12) or nothing (7.2).
// Instead: iotop

call:filemap_read | generic_file_buffered_read /mine() && retval > 0/ {
	$end = args.iocb->ki_pos;
	@access = sum((($end - 1) >> 12) - (($end - retval) >> 12) + 1);
}

rawtracepoint:mm_filemap_add_to_page_cache /mine()/ {
	@added = sum(pages_of(arg0));
}

tracepoint:writeback:writeback_dirty_folio | tracepoint:writeback:writeback_dirty_page /mine()/ {
	@dirty = count();
}

report {
	$access = (uint64)@access;
	$hits = $access > (uint64)@added ? $access - (uint64)@added : 0;
	row("ACCESS %9d ADDED %9d DIRTY %9d HIT%% %4d", $access, (uint64)@added, (uint64)@dirty,
		$access > 0 ? $hits * 100 / $access : 0);
}
