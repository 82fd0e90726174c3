#!/usr/bin/env fst
// pagemoves: Which pages does the kernel migrate to other memory, why, and in which process?
//
// Topic: memory
// Usage: pagemoves [interval [count]]
// Common: task, time, top
// Reading: WHY is the reason for moving the pages: MR_COMPACTION (to make room for huge pages), MR_NUMA_MISPLACED (to
//  the node whose CPUs use them), MR_SYSCALL (a program asked for it) and others. MOVED and FAILED count pages of 4 KB,
//  like pgmigrate_success and pgmigrate_fail in /proc/vmstat. CALLS is the number of attempts, each for many pages.
// Example: fst pagemoves 1
// Misses: How long it took: for compaction, use compactsnoop.
// Cost: One probe per batch of pages.
// Also: numamove
// Words: hugepages, NUMA

tracepoint:migrate:mm_migrate_pages /mine()/ {
	@moved[pid, comm, (enum migrate_reason)args.reason] = sum(args.succeeded);
	@failed[pid, comm, (enum migrate_reason)args.reason] = sum(args.failed);
	@calls[pid, comm, (enum migrate_reason)args.reason] = count();
}

report {
	table("PID %-7d COMM %-16s WHY %-20s MOVED %9d FAILED %9d CALLS %9d", @moved, @failed, @calls);
}
