#!/usr/bin/env fst
// writeback: When does the kernel write changed pages to the disks, why, and how long does it take?
//
// Topic: memory
// Usage: writeback
// Common: time, unit
// Reading: DEVICE is major:minor (of btrfs, btrfs-N); PAGES is how many pages of 4 KB this round wrote. LAT is how long
//  it took. REASON is why it started: WB_REASON_BACKGROUND means that there were many dirty pages, PERIODIC that they were old.
// Example: fst writeback -T
// Misses: Data that programs write and wait for themselves (fsync, direct I/O), and pages that btrfs compresses first.
//  Without kprobes, Linux 6.1 counts a large folio (xfs) as one page.
// Cost: Two probes per round, and one per folio that it writes.
// Others: bpftrace's writeback shows how many pages the kernel still had to write, not how many it wrote.

config = { print_maps_on_exit = false }

// What the kernel has left to write tells how many it wrote, but 6.1 counts a large folio there as one.
macro sees_folios() {
	exists(kprobe:__folio_start_writeback) || exists(kprobe:__test_set_page_writeback)
}

tracepoint:writeback:writeback_start {
	@began[tid] = (nsecs, args.nr_pages);
	@pages[tid] = (int64)0;
}

kprobe:__folio_start_writeback | __test_set_page_writeback /comptime sees_folios() && @began[tid].0/ {
	@pages[tid] += pages_of(arg0);
}

tracepoint:writeback:writeback_written /@began[tid].0/ {
	row("DEVICE %-8s PAGES %8d REASON %-26s LAT %9T", str(args.name),
		comptime sees_folios() ? @pages[tid] : (int64)(@began[tid].1 - args.nr_pages), (enum wb_reason)args.reason,
		nsecs - @began[tid].0);
	delete(@began, tid);
	delete(@pages, tid);
}
