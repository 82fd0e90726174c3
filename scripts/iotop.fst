#!/usr/bin/env fst
// iotop: Who reads from the disks and writes to them most?
//
// Topic: disks
// Usage: iotop [interval [count]]
// Common: task, time, top, disk
// Reading: KB is the sum of R_KB and W_KB. Unlike biotop, what programs write into the page cache counts
//  for them and not for the kernel's threads that write it later: see the last columns.
// Example: fst iotop 1
// Misses: Changed pages that are removed before they are written. Direct writes are in W_KB only,
//  those through the page cache in DIRTY_KB and, for the kernel's threads, in W_KB.
// Cost: two probes for each request, and one for each page that is changed for the first time.

io:done /mine() && on_disk(args.disk)/ {
	if (args.op == "read") {
		@read[args.pid, args.comm] = sum(args.bytes);
	} else if (args.op == "write") {
		@written[args.pid, args.comm] = sum(args.bytes);
	}
}

tracepoint:writeback:writeback_dirty_folio | tracepoint:writeback:writeback_dirty_page /mine()/ {
	@dirtied[pid, comm] = sum(4096);
}

report {
	table("PID %-7d COMM %-16s KB %10d R_KB %10d W_KB %10d DIRTY_KB %10d", (@read + @written + @dirtied) / 1KB, @read / 1KB,
		@written / 1KB, @dirtied / 1KB);
}
