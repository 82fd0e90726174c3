#!/usr/bin/env fst
// exitsnoop: Which processes end, how old, with which status or signal?
//
// Topic: programs and processes
// Usage: exitsnoop [-x]
// Option: -x, --failed: only those with a status other than 0 or killed by a signal
// Common: task, time
// Reading: AGE is the time since the start; of STATUS and SIGNAL one at most is not 0.
// Example: fst exitsnoop -x
// Misses: Threads that end before their process.
// Cost: one probe for each thread that ends.

// The last thread may have a name of its own.
macro process() { ((struct task_struct *)curtask)->group_leader }

proc:exit /mine(process()) && (args.status || args.signal || !getopt("failed", false))/ {
	row("PID %-7d PPID %-7d COMM %-16s AGE(ms) %10d STATUS %6d SIGNAL %s", pid, ppid, str(process()->comm), took / 1ms, args.status, (enum signal)args.signal);
}
