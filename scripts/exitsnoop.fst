#!/usr/bin/env fst
// exitsnoop: Which processes exit, at what age, with which status or signal?
//
// Topic: programs and processes
// Usage: exitsnoop [-x]
// Option: -x, --failed: only those with a nonzero status or killed by a signal
// Common: task, time
// Reading: AGE is the time since the process started. At most one of STATUS and SIGNAL is nonzero.
// Example: fst exitsnoop -x
// Misses: Threads that exit before their process.
// Cost: One probe per thread exit.
// Words: children, crash, lifetime

// The last thread may have a name of its own.
macro process() { ((struct task_struct *)curtask)->group_leader }

proc:exit /mine(process()) && (args.status || args.signal || !getopt("failed", false))/ {
	row("PID %-7d PPID %-7d COMM %-16s AGE(ms) %10d STATUS %6d SIGNAL %s", pid, ppid, str(process()->comm), took / 1ms, args.status, (enum signal)args.signal);
}
