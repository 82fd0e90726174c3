#!/usr/bin/env fst
// runqlat: How long do threads that could run wait for a CPU?
//
// Topic: CPUs
// Usage: runqlat [-P] [interval [count]]
// Option: -P, --process: one histogram for each command
// Common: task, time, unit
// Reading: Each row is a range of times and how many waits were in it; [1K, 2K) are 1024 to
//  2047 of the unit in the title.
// Example: fst runqlat 1 10
// Example: fst runqlat -P
// Misses: Threads that already waited when the probes came, and the first wait of a
//  thread that moves to the run queue without a wakeup event.
// Cost: one map update for each wakeup and one for each switch: visible on machines with
//  more than 100,000 switches a second.

let @queued = lruhash(65536);

rawtracepoint:sched_wakeup, rawtracepoint:sched_wakeup_new
/mine(arg0)/
{
	@queued[((struct task_struct *)arg0)->pid] = nsecs;
}

rawtracepoint:sched_switch
{
	$prev = (struct task_struct *)arg1;
	$next = (struct task_struct *)arg2;
	if ((arg0 || runnable($prev)) && $prev->pid != 0 && mine($prev)) {
		@queued[$prev->pid] = nsecs;
	}
	$since = @queued[$next->pid];
	if ($since != 0) {
		@wait[comptime getopt("process", false) ? str($next->comm) : unit_name()] = hist((nsecs - $since) / unit());
		delete(@queued, $next->pid);
	}
}

report {
	print(@wait);
}
