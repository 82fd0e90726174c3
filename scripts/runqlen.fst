#!/usr/bin/env fst
// runqlen: How many threads wait for each CPU, besides the running one?
//
// Topic: CPUs
// Usage: runqlen [-C] [interval [count]]
// Option: -C, --cpus: one histogram for each CPU
// Common: time, heat, rate
// Reading: Each row is a number of waiting threads and how often it was sampled, 99 times per second on each CPU
//  (-F). All runnable threads count, whatever their cgroup or scheduling class. If it is 0 most of the time, there
//  are enough CPUs.
// Example: fst runqlen 1
// Example: fst runqlen -C -d 10
// Misses: Changes between two samples, and threads of cgroups that have used up their quota (cpu.max).
// Cost: 99 samples per second on each CPU.
// Others: bpftrace's runqlen does not start on Linux 5.10, 6.1 and 6.12, where the field that it reads has another
//  name.
// Also: cpuunclaimed

profile:hz:getopt("frequency", 99) {
	$rq = rq_of(curtask);
	let $n: int64 = $rq->nr_running;
	if (exists(struct cfs_rq, h_nr_runnable)) {
		// Threads that sleep already, but stay for the sake of fairness (Linux 6.12).
		$n -= (int64)$rq->cfs.h_nr_queued - $rq->cfs.h_nr_runnable;
	}
	// The idle thread is none of them.
	$n -= is_idle() ? 0 : 1;
	@length[comptime getopt("cpus", false) ? (int64)cpu : "all"] = lhist($n > 0 ? $n : 0, 0, 100, 1);
}

report {
	histogram(@length, "threads");
}
