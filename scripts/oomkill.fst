#!/usr/bin/env fst
// oomkill: Which processes does the kernel kill because memory ran out, and who needed it?
//
// Topic: programs and processes
// Usage: oomkill
// Common: time
// Reading: PID and COMM asked for memory when there was none left; VPID was killed for it. RSS is
//  what it had in memory, in pages of 4 KB (from Linux 6.8 on).
// Example: fst oomkill
// Misses: Processes that other programs kill early, such as systemd-oomd.
// Cost: nothing as long as there is memory.

tracepoint:oom:mark_victim {
	let $name: string = "-";
	let $rss: uint64 = 0;
	if (exists(struct trace_event_raw_mark_victim, anon_rss)) {
		$name = args.comm;
		$rss = args.anon_rss + args.file_rss + args.shmem_rss;
	}
	row("PID %-7d COMM %-16s VPID %-7d VCOMM %-16s RSS %9d", pid, comm, args.pid, $name, $rss);
}
