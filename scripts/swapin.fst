#!/usr/bin/env fst
// swapin: Which processes wait for pages to come back from the swap space?
//
// Topic: memory
// Usage: swapin [interval [count]]
// Common: task, time, top
// Reading: COUNT pages (or larger pieces) were read back for the process.
// Example: fst swapin 1
// Misses: Pages of zram and zswap come back without reading a disk; they are counted, too.
// Cost: a counter for each page that is read back.
// Instead: biotop

kprobe:swap_read_folio | swap_readpage /mine()/ {
	witness("/proc/vmstat: pswpin %d", "this kernel reads swapped pages by another function: vmstat 1 counts them");
	@pages[pid, comm] = count();
}

report {
	table("PID %-7d COMM %-16s COUNT %9d", @pages);
}
