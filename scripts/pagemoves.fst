#!/usr/bin/env fst
// pagemoves: Which pages does the kernel move to other memory, why, and in whose time?
//
// Topic: memory
// Usage: pagemoves [interval [count]]
// Common: task, time, top
// Reading: WHY is what the kernel moves them for: MR_COMPACTION (to make room for large pages), MR_NUMA_MISPLACED
//  (to the node whose CPUs use them), MR_SYSCALL (a program asked for it) and others. MOVED and FAILED are pages
//  of 4 KB: what /proc/vmstat counts as pgmigrate_success and pgmigrate_fail.
// Example: fst pagemoves 1
// Misses: How long it took: compactsnoop tells that of compaction.
// Cost: one probe each time that some pages are moved.
// Also: numamove

tracepoint:migrate:mm_migrate_pages /mine()/ {
	@moved[pid, comm, (enum migrate_reason)args.reason] = sum(args.succeeded);
	@failed[pid, comm, (enum migrate_reason)args.reason] = sum(args.failed);
	@calls[pid, comm, (enum migrate_reason)args.reason] = count();
}

report {
	table("PID %-7d COMM %-16s WHY %-20s MOVED %9d FAILED %9d CALLS %9d", @moved, @failed, @calls);
}
