#!/usr/bin/env fst
// readahead: How much of what the kernel reads ahead is used, and how soon?
//
// Topic: memory
// Usage: readahead [-p PID] [-c COMM] [--files] [interval [count]]
// Option: -p, --pid PID: only readahead caused by this process
// Option: -c, --comm COMM: only readahead caused by threads of this name
// Option: --files: also show the files with the most unused pages
// Common: time, top
// Reading: Pages that were read ahead and not used yet, and, for those that were used, how long they waited. Many
//  unused pages mean that readahead costs more than it gains. With an interval, each report covers that interval only:
//  pages used in it may have been read ahead earlier, so the number of unused pages can be negative. Calls: sync if a
//  page to read was not cached, async before that happens, forced by readahead(), posix_fadvise() or madvise(). One for
//  a file that is read at random (POSIX_FADV_RANDOM) counts as sync and as forced; a fault on a mapped file may read
//  ahead without any. With --files, ADDED and UNUSED are pages of the file with this INODE.
// Example: fst readahead -d 10
// Example: fst readahead -p 1234 --files
// Misses: A large folio counts as used as soon as one of its pages is used, and a page of a mapped file when it is
//  mapped; the kernel also maps the pages around one that is touched. Pages that a program only writes to may count as
//  unused, and so may a page that is read again at once through the same descriptor after it was dropped. At most 262144
//  folios are followed at a time; more are reported as lost. khugepaged also reads ahead the pages that it merges into
//  huge pages; before Linux 6.12, those that had not been used before then remain unused.
// Cost: Two probes per readahead, and one per fault on a mapped file and per page-cache folio that is added, removed,
//  marked as accessed or mapped: up to a few hundred ns each. About 25 MB of kernel memory.
// Others: bcc's readahead counts folios on Linux 7.2: 210 instead of 16384 pages for a file of 64 MB. It does not
//  start on 5.10.
// Instead: biosnoop

macro reader_is(process, name) {
	(getopt("pid", 0) == 0 || process == getopt("pid", 0)) && (getopt("comm", "") == "" || name == getopt("comm", ""))
}

begin {
	printf("Tracing readahead... Hit Ctrl-C to end.\n");
}

page:readahead /getopt("files", false) && reader_is(pid, comm) && !has_key(@path, (args.inode, args.dev, args.generation))/ {
	@path[args.inode, args.dev, args.generation] = args.path;
}

page:readahead /reader_is(pid, comm)/ {
	@added = sum(args.pages);
	if (getopt("files", false)) {
		@added_of[args.inode, args.dev, args.generation] = sum(args.pages);
	}
}

page:used /reader_is(args.reader, args.reader_comm)/ {
	@age_ms = hist(args.age / 1ms);
	@used = sum(args.pages);
	if (getopt("files", false)) {
		@used_of[args.inode, args.dev, args.generation] = sum(args.pages);
	}
}

page:wasted /reader_is(args.reader, args.reader_comm)/ { @wasted = sum(args.pages); }

kprobe:page_cache_sync_ra /reader_is(pid, comm)/ {
	$kind = "sync";
	@calls[$kind] = count();
}

kprobe:page_cache_async_ra /reader_is(pid, comm)/ {
	$kind = "async";
	@calls[$kind] = count();
}

kprobe:force_page_cache_ra /reader_is(pid, comm)/ {
	$kind = "forced";
	@calls[$kind] = count();
}

report {
	$unused = (int64)@added - (int64)@used;
	printf("\nReadahead unused pages: %d\n", $unused);
	printf("\nReadahead used page age (ms):\n");
	print(@age_ms);
	printf("Pages of 4 KB added: %d, used: %d, evicted unused: %d, still cached unused: %d\n",
		(int64)@added, (int64)@used, (int64)@wasted, $unused - (int64)@wasted);
	printf("Calls:\n");
	print(@calls);
	if (getopt("files", false)) {
		table("INODE %-10d DEV %.0s GENERATION %.0s UNUSED %9d ADDED %9d FILE %s", @added_of - @used_of, @added_of, @path);
	}
}
