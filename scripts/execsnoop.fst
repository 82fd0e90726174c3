#!/usr/bin/env fst
// execsnoop: Which programs are started, by whom, with which arguments?
//
// Usage: execsnoop [-u UID] [-d SEC]
// Option: -u, --uid UID: only of this user
// Example: fst execsnoop
// Misses: Only the first 16 arguments are shown, and none that are not in memory when
//  the call begins. A call that fails is shown too.
// Cost: one probe for each program that is started.

begin {
	printf("%-8s %-7s %-7s %-16s %s\n", "TIME", "PID", "PPID", "PCOMM", "ARGS");
}

tracepoint:syscalls:sys_enter_execve, tracepoint:syscalls:sys_enter_execveat
/getopt("uid", -1) == -1 || uid == getopt("uid", -1)/
{
	printf("%-8s %-7d %-7d %-16s ", strftime("%H:%M:%S", nsecs), pid, ppid, comm);
	join(args.argv);
}
