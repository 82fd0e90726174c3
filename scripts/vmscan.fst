#!/usr/bin/env fst
// vmscan: How hard is it for the kernel to reclaim memory, and what prevents it?
//
// Topic: memory
// Usage: vmscan [interval [count]]
// Common: task, time, top
// Reading: SCANNED is how many pages of 4 KB the kernel examined in order to free them, in its own thread (kswapd) or
//  in a thread that had to wait for memory (drsnoop shows for how long). Many SCANNED and few FREED mean that little
//  is left to reclaim. DIRTY and WRITING had to be written first. /proc/vmstat counts SCANNED as pgscan_ and FREED as
//  pgsteal_.
// Example: fst vmscan 1
// Misses: Reclaim of other memory than pages of programs and files (dentries, inodes). Reclaim by multi-generational
//  LRU (lru_gen) before Linux 6.8, which lacks these tracepoints.
// Cost: Two probes per 32 pages or so.
// Instead: drsnoop

// Multi-generational LRU tries pages that it could not free a second time, and says then that it scanned all of them
// again; and among those that it scanned, to isolate some, are pages that it only moved to younger ones.
macro has_generations() {
	comptime exists(struct lruvec, lrugen) ? ((struct static_key *)kaddr("lru_gen_caps"))->enabled.counter > 0 : false
}

// Active pages are isolated to make some of them inactive.
tracepoint:vmscan:mm_vmscan_lru_isolate /args.lru != LRU_ACTIVE_ANON && args.lru != LRU_ACTIVE_FILE && mine()/ {
	@scanned[pid, comm] = sum(has_generations() ? args.nr_taken : args.nr_scanned);
}

tracepoint:vmscan:mm_vmscan_lru_shrink_inactive /mine()/ {
	@freed[pid, comm] = sum(args.nr_reclaimed);
	@dirty[pid, comm] = sum(args.nr_dirty);
	@writing[pid, comm] = sum(args.nr_writeback);
}

report {
	table("PID %-7d COMM %-16s SCANNED %10d FREED %10d DIRTY %9d WRITING %9d", @scanned, @freed, @dirty, @writing);
}
