#!/usr/bin/env fst
// readaheadstat: Is reading ahead worth it, now and over time?
//
// Topic: memory
// Usage: readaheadstat [interval [count]]
// Option: -p, --pid PID: only what this process makes the kernel read ahead
// Option: -c, --comm COMM: only what threads of this name make the kernel read ahead
// Common: time
// Reading: Pages of 4 KB. ADDED were read ahead since the last report, USED were used for the first
//  time, WASTED left memory without; UNUSED is how many wait to be used now. The histogram is how
//  long those of USED waited. WASTED far below USED says that reading ahead pays.
// Example: fst readaheadstat 5
// Example: fst readaheadstat -T 5 12
// Misses: What readahead misses. UNUSED begins at 0: pages of before are not in it.
// Cost: That of readahead.
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
