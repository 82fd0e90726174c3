#!/usr/bin/env fst
// swapin: Which processes wait for pages from swap?
//
// Topic: memory
// Usage: swapin [interval [count]]
// Common: task, time, top
// Reading: PAGES of 4 KB were read from swap for the process, including those next to the page that it needed.
//  /proc/vmstat counts them as pswpin.
// Example: fst swapin 1
// Misses: Pages that zswap still holds in memory and, since Linux 6.12, pages of zeros are counted too, although no
//  disk is read and pswpin does not count them. Pages from zram are in both.
// Cost: One counter update per page.
// Instead: biotop

kprobe:swap_read_folio | swap_readpage /mine()/ {
	witness("/proc/vmstat: pswpin %d", "this kernel reads swapped pages by another function: vmstat 1 counts them");
	@pages[pid, comm] = sum(pages_of(arg0));
}

report {
	table("PID %-7d COMM %-16s PAGES %9d", @pages);
}
