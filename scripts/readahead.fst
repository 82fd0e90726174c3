#!/usr/bin/env fst
// readahead: How much of what the kernel reads ahead is used, and how soon?
//
// Topic: memory
// Usage: readahead
// Option: -p, --pid PID: only what this process makes the kernel read ahead
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
// Instead: biosnoop

config = { print_maps_on_exit = false }

macro reader_is(process) { getopt("pid", 0) == 0 || process == getopt("pid", 0) }

begin {
	printf("Tracing readahead... Hit Ctrl-C to end.\n");
}

page:readahead /reader_is(pid)/ { @added = sum(args.pages); }

page:used /reader_is(args.reader)/ {
	@age_ms = hist(args.age / 1ms);
	@used = sum(args.pages);
}

page:wasted /reader_is(args.reader)/ { @wasted = sum(args.pages); }

kprobe:page_cache_sync_ra /reader_is(pid)/ { @calls["sync"] = count(); }

kprobe:page_cache_async_ra /reader_is(pid)/ { @calls["async"] = count(); }

kprobe:force_page_cache_ra /reader_is(pid)/ { @calls["forced"] = count(); }

end {
	$unused = (int64)@added - (int64)@used;
	printf("\nReadahead unused pages: %d\n", $unused);
	printf("\nReadahead used page age (ms):\n");
	print(@age_ms);
	printf("Pages of 4 KB added: %d, used: %d, evicted unused: %d, still cached unused: %d\n",
		(int64)@added, (int64)@used, (int64)@wasted, $unused - (int64)@wasted);
	printf("Calls:\n");
	print(@calls);
}
