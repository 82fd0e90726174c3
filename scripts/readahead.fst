#!/usr/bin/env fst
// readahead: How much of what the kernel reads ahead is used, and how soon?
//
// Usage: readahead
// Common: task
// Reading: Pages that were read ahead and not used yet, and for those that were how long they
//  waited. Many unused ones mean that reading ahead costs more than it gives.
// Example: fst readahead -d 10
// Example: fst readahead -p 1234
// Misses: Readers through mmap() do not mark the pages that they touch, so that
//  their pages look unused. A large folio counts as used as soon as one of its
//  pages is. At most 262144 folios are followed at a time; what does not fit is
//  reported as lost.
// Cost: two probes around each readahead, one for each page-cache folio that is
//  added, removed or marked as accessed: up to some hundred ns each. About 20 MB of
//  kernel memory.

config = { print_maps_on_exit = false }

let @birth = hash(262144);

begin {
	printf("Tracing readahead... Hit Ctrl-C to end.\n");
}

// Readahead functions call each other: count how deep the thread is in them.
kprobe:page_cache_ra_*, kprobe:force_page_cache_ra
/mine()/
{
	@depth[tid]++;
}

kretprobe:page_cache_ra_*, kretprobe:force_page_cache_ra
/@depth[tid] > 0/
{
	@depth[tid]--;
	if (@depth[tid] == 0) {
		delete(@depth, tid);
	}
}

kprobe:page_cache_sync_ra  { @calls["sync"] = count(); }
kprobe:page_cache_async_ra { @calls["async"] = count(); }
kprobe:force_page_cache_ra { @calls["forced"] = count(); }

rawtracepoint:mm_filemap_add_to_page_cache
/@depth[tid] > 0/
{
	$n = pages_of(arg0);
	@birth[arg0] = (nsecs, $n);
	@added = sum($n);
}

kprobe:folio_mark_accessed | mark_page_accessed
/@birth[arg0].0/
{
	$b = @birth[arg0];
	@age_ms = hist((nsecs - $b.0) / 1000000);
	@used = sum($b.1);
	delete(@birth, arg0);
}

rawtracepoint:mm_filemap_delete_from_page_cache
/@birth[arg0].0/
{
	@evicted = sum(@birth[arg0].1);
	delete(@birth, arg0);
}

end {
	$unused = (int64)@added - (int64)@used;
	printf("\nReadahead unused pages: %d\n", $unused);
	printf("\nReadahead used page age (ms):\n");
	print(@age_ms);
	printf("Pages of 4 KB added: %d, used: %d, evicted unused: %d, still cached unused: %d\n",
		(int64)@added, (int64)@used, (int64)@evicted, $unused - (int64)@evicted);
	printf("Calls:\n");
	print(@calls);
}
