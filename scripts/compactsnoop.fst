#!/usr/bin/env fst
// compactsnoop: Which programs wait while the kernel compacts memory?
//
// Topic: memory
// Usage: compactsnoop
// Common: task, time, unit, where
// Reading: LAT is the time to compact one memory zone, in the thread that needs a large contiguous block (or in
//  kcompactd, which runs in the background). SYNC is yes if the thread also waits for pages that are being written.
//  STATUS is the kernel's: COMPACT_SUCCESS if a block of the requested size is free now, COMPACT_COMPLETE if the whole
//  zone was scanned.
// Example: fst compactsnoop -m
// Misses: Attempts that the kernel gives up before they start.
// Cost: Two probes per attempt; none otherwise.
// Words: hugepages

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
