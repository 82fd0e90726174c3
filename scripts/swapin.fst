#!/usr/bin/env fst
// swapin: Which processes wait for pages from swap?
//
// Topic: memory
// Usage: swapin [interval [count]]
// Common: task, time, top
// Reading: PAGES of 4 KB were read back for the process, also those beside the one that it waited for. /proc/vmstat
//  counts them as pswpin.
// Example: fst swapin 1
// Misses: Pages that zswap still has in memory, and those of zeros from Linux 6.12 on, are counted, too, though no disk
//  is read and pswpin leaves them out. Those of zram are in both.
// Cost: a counter for each page that is read back.
// Instead: biotop

kprobe:swap_read_folio | swap_readpage /mine()/ {
	witness("/proc/vmstat: pswpin %d", "this kernel reads swapped pages by another function: vmstat 1 counts them");
	@pages[pid, comm] = sum(pages_of(arg0));
}

report {
	table("PID %-7d COMM %-16s PAGES %9d", @pages);
}
