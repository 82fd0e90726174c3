#!/usr/bin/env fst
// oomkill: Which processes does the kernel kill because memory ran out, and who needed it?
//
// Topic: programs and processes
// Usage: oomkill
// Common: time
// Reading: PID and COMM are the process that needed memory when there was none left; VPID and VCOMM are the process
//  that was killed to free some. RSS is the memory of the killed process in KB: the sum of anon-rss, file-rss and
//  shmem-rss in the kernel log. Since Linux 6.2 the kernel's counters lag by up to 384 KB per CPU. If the main thread
//  has ended before, VCOMM is the name of another thread, whose number the kernel log calls the process.
// Example: fst oomkill
// Misses: Processes that other programs kill early, such as systemd-oomd. On a kernel without kprobes, VPID is the
//  thread of VCOMM.
// Cost: Nothing while there is enough memory.

config = { print_maps_on_exit = false }

// Before Linux 6.8 the event tells no more than a number, which is that of a thread in the first PID namespace, and a
// function who that is.
macro asks() {
	comptime (pidns != 0 || !exists(struct trace_event_raw_mark_victim, anon_rss) || exists(kprobe:mark_oom_victim))
}

kprobe:mark_oom_victim /asks()/ {
	@victim[tid] = arg0;
}

tracepoint:oom:mark_victim {
	let $name: string[16] = "-";
	let $kb: uint64 = 0;
	$vpid = asks() ? tgid_of(@victim[tid]) : args.pid;
	if (exists(struct trace_event_raw_mark_victim, anon_rss)) {
		$name = args.comm;
		$kb = args.anon_rss + args.file_rss + args.shmem_rss;
	} else {
		$task = (struct task_struct *)@victim[tid];
		$name = $task->comm;
		// The pages in swap space, in the midst of these, are not in memory.
		$pages = $task->mm->rss_stat.count;
		$kb = 4 * ($pages[MM_FILEPAGES].counter + $pages[MM_ANONPAGES].counter + $pages[MM_SHMEMPAGES].counter);
	}
	if (asks()) {
		delete(@victim, tid);
	}
	row("PID %-7d COMM %-16s VPID %-7d VCOMM %-16s RSS %9d", pid, comm, $vpid, $name, $kb);
}
