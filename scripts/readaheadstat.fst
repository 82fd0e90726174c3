#!/usr/bin/env fst
// readaheadstat: Is what the kernel reads ahead used, from second to second?
//
// Topic: memory
// Usage: readaheadstat [interval [count]]
// Common: time
// Reading: Pages of 4 KB that were read ahead in the interval (ADDED), used for the first time (USED), and
//  removed without that (WASTED). The columns behind count the used ones by how many milliseconds they
//  had waited. USED much below ADDED for long means that too much is read ahead.
// Example: fst readaheadstat 5
// Example: fst readaheadstat 1 60
// Misses: What readahead misses.
// Cost: that of readahead.
// Instead: iostat

page:readahead { @added = sum(args.pages); }

page:wasted { @wasted = sum(args.pages); }

page:used {
	@used = sum(args.pages);
	$ms = args.age / 1ms;
	if ($ms < 1) {
		@ms1 = sum(args.pages);
	} else if ($ms < 10) {
		@ms10 = sum(args.pages);
	} else if ($ms < 100) {
		@ms100 = sum(args.pages);
	} else if ($ms < 1000) {
		@ms1000 = sum(args.pages);
	} else {
		@older = sum(args.pages);
	}
}

report {
	row("ADDED %8d USED %8d WASTED %8d <1 %7d <10 %7d <100 %7d <1000 %7d >=1000 %7d", (uint64)@added, (uint64)@used,
		(uint64)@wasted, (uint64)@ms1, (uint64)@ms10, (uint64)@ms100, (uint64)@ms1000, (uint64)@older);
}
