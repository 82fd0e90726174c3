#!/usr/bin/env fst
// exitsnoop: Which processes end, how old, with which status or signal?
//
// Usage: exitsnoop [-x] [-c COMM] [-d SEC]
// Option: -x, --failed: only those with a status other than 0 or killed by a signal
// Option: -c, --comm COMM: only this command
// Example: fst exitsnoop -x
// Misses: Threads other than a process's first.
// Cost: one probe for each thread that ends.

begin {
	printf("%-8s %-7s %-7s %-16s %9s %s\n", "TIME", "PID", "PPID", "COMM", "AGE(ms)", "EXIT");
}

tracepoint:sched:sched_process_exit
/pid == tid && (getopt("comm", "") == "" || comm == getopt("comm", ""))/
{
	$task = (struct task_struct *)curtask;
	$code = $task->exit_code;
	if (getopt("failed", false) && $code == 0) {
		return;
	}
	$ms = (nsecs(monotonic) - $task->start_time) / 1000000;
	if (($code & 0x7f) != 0) {
		printf("%-8s %-7d %-7d %-16s %9d signal %d\n", strftime("%H:%M:%S", nsecs), pid, ppid, comm,
			$ms, $code & 0x7f);
	} else {
		printf("%-8s %-7d %-7d %-16s %9d status %d\n", strftime("%H:%M:%S", nsecs), pid, ppid, comm,
			$ms, ($code >> 8) & 0xff);
	}
}
