#!/usr/bin/env fst
// compactsnoop: Which programs wait while the kernel compacts memory?
//
// Topic: memory
// Usage: compactsnoop
// Common: task, time, unit, where
// Reading: LAT is how long one zone of memory was worked on, in the thread that wanted a large piece (or in
//  kcompactd, for which nobody waits). STATUS is the kernel's: COMPACT_SUCCESS if there is a piece
//  as large as wanted, COMPACT_COMPLETE if all was looked at.
// Example: fst compactsnoop -m
// Misses: Attempts that are given up before they begin.
// Cost: two probes for each attempt; nothing before.

config = { print_maps_on_exit = false }

tracepoint:compaction:mm_compaction_begin /mine()/ {
	@began[tid] = nsecs;
}

tracepoint:compaction:mm_compaction_end /@began[tid]/ {
	row("PID %-7d COMM %-16s SYNC %-5s LAT %10T STATUS %s", pid, comm, args.sync ? "yes" : "no", nsecs - @began[tid],
		(enum compact_result)args.status);
	where();
	delete(@began, tid);
}
