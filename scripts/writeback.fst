#!/usr/bin/env fst
// writeback: When does the kernel write changed pages to the disks, why, and how long does it take?
//
// Topic: memory
// Usage: writeback
// Common: time, unit
// Reading: DEVICE is major:minor; PAGES is how many pages of 4 KB this round wrote. LAT is how long it took. REASON is
//  why it started: WB_REASON_BACKGROUND means that there were many dirty pages, PERIODIC that they were old.
// Example: fst writeback -T
// Misses: Data that programs write and wait for themselves (fsync, direct I/O).
// Cost: Two probes per round; nothing per page.
// Others: bpftrace's writeback shows how many pages the kernel still had to write, not how many it wrote.

config = { print_maps_on_exit = false }

tracepoint:writeback:writeback_start {
	@began[tid] = (nsecs, args.nr_pages);
}

tracepoint:writeback:writeback_written /@began[tid].0/ {
	row("DEVICE %-8s PAGES %8d REASON %-26s LAT %9T", str(args.name), @began[tid].1 - args.nr_pages, (enum wb_reason)args.reason,
		nsecs - @began[tid].0);
	delete(@began, tid);
}
