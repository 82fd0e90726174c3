#!/usr/bin/env fst
// exitsnoop: Which processes end, how old, with which status or signal?
//
// Topic: programs and processes
// Usage: exitsnoop [-x]
// Option: -x, --failed: only those with a status other than 0 or killed by a signal
// Common: task, time
// Reading: AGE is the time since the start; of STATUS and SIGNAL one at most is not 0.
// Example: fst exitsnoop -x
// Misses: Threads other than a process's first.
// Cost: one probe for each thread that ends.

tracepoint:sched:sched_process_exit
/pid == tid && mine()/
{
	$task = (struct task_struct *)curtask;
	$code = $task->exit_code;
	if ($code != 0 || !getopt("failed", false)) {
		row("PID %-7d PPID %-7d COMM %-16s AGE(ms) %10d STATUS %6d SIGNAL %6d", pid, ppid, comm,
			(nsecs(monotonic) - $task->start_time) / 1ms, ($code >> 8) & 0xff, $code & 0x7f);
	}
}
