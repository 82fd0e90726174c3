#!/usr/bin/env fst
// drsnoop: Which programs have to reclaim memory before they can allocate, and how long does it take?
//
// Topic: memory
// Usage: drsnoop [interval [count]]
// Common: task, time, unit, top
// Reading: WHY is direct if the machine had no memory left, group if the cgroup of the thread had none, asked if the
//  thread wrote to a file of a cgroup (memory.reclaim, memory.high, memory.max). TIME is how long threads were busy
//  reclaiming memory for this reason, in COUNT attempts, the longest of which took MAX. PAGES is the number of pages of
//  4 KB that they reclaimed.
// Example: fst drsnoop 1
// Misses: Background reclaim by the kernel's threads (kswapd), for which no program waits.
// Cost: Two probes per reclaim; none otherwise.

// The thread is in a write to a file of a cgroup.
macro asked() {
	let $asked: bool = false;
	if (is_syscall(syscall_of(curtask), "write,writev,pwrite64")) {
		$file = (struct file *)file_of(curtask, (int64)((struct pt_regs *)entry_regs(curtask))->di);
		$type = str($file->f_inode->i_sb->s_type->name, 8);
		$asked = $type == "cgroup" || $type == "cgroup2";
	}
	$asked
}

tracepoint:vmscan:mm_vmscan_direct_reclaim_begin, tracepoint:vmscan:mm_vmscan_memcg_reclaim_begin /mine()/ {
	@began[tid] = nsecs;
}

tracepoint:vmscan:mm_vmscan_direct_reclaim_end, tracepoint:vmscan:mm_vmscan_memcg_reclaim_end /@began[tid]/ {
	$why = func == "mm_vmscan_direct_reclaim_end" ? "direct" : asked() ? "asked" : "group";
	$took = nsecs - @began[tid];
	@ns[pid, comm, $why] = sum($took);
	@count[pid, comm, $why] = count();
	@longest[pid, comm, $why] = max($took);
	@pages[pid, comm, $why] = sum(args.nr_reclaimed);
	delete(@began, tid);
}

report {
	table("PID %-7d COMM %-16s WHY %-8s TIME %10T COUNT %8d MAX %10T PAGES %9d", @ns, @count, @longest, @pages);
}
