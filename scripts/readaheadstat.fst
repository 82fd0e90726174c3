#!/usr/bin/env fst
// readaheadstat: Is reading ahead worth it, now and over time?
//
// Topic: memory
// Usage: readaheadstat [interval [count]]
// Option: -p, --pid PID: only readahead caused by this process
// Option: -c, --comm COMM: only readahead caused by threads of this name
// Common: time
// Reading: Pages of 4 KB. ADDED were read ahead since the last report, USED were used for the first time, WASTED left
//  memory unused; UNUSED is how many are waiting to be used now. The histogram shows how long the used pages waited.
//  Readahead pays off if WASTED is far below USED.
// Example: fst readaheadstat 5
// Example: fst readaheadstat -T 5 12
// Misses: The same as readahead. UNUSED starts at 0: pages that were read ahead earlier are not included.
// Cost: The same as readahead.
// Instead: biosnoop

macro reader_is(process, name) {
	(getopt("pid", 0) == 0 || process == getopt("pid", 0)) && (getopt("comm", "") == "" || name == getopt("comm", ""))
}

begin { @unused = (int64)0; }

page:readahead /reader_is(pid, comm)/ {
	@added = sum(args.pages);
	@unused += args.pages;
}

page:used /reader_is(args.reader, args.reader_comm)/ {
	@used = sum(args.pages);
	@unused -= args.pages;
	@age_ms = hist(args.age / 1ms);
}

page:wasted /reader_is(args.reader, args.reader_comm)/ {
	@wasted = sum(args.pages);
	@unused -= args.pages;
}

report {
	row("ADDED %9d USED %9d WASTED %9d UNUSED %9d", (uint64)@added, (uint64)@used, (uint64)@wasted, @unused);
	print(@age_ms);
}
