#!/usr/bin/env fst
// killsnoop: Which signals are sent, by whom, to whom?
//
// Usage: killsnoop [-x] [-s SIGNAL] [-d SEC]
// Option: -x, --failed: only signals that could not be sent
// Option: -s, --signal SIGNAL: only the signal with this number
// Example: fst killsnoop -s 9
// Misses: Signals that the kernel sends (faults, terminals, timers, pipes).
// Cost: one pair of probes for each signal sent.

macro wanted(sig) {
	(getopt("signal", -1) == -1 || sig == getopt("signal", -1)) && (!getopt("failed", false) || ret < 0)
}

begin {
	printf("%-8s %-7s %-16s %-4s %-7s %s\n", "TIME", "PID", "COMM", "SIG", "TPID", "RESULT");
}

syscall:kill
/wanted(args.sig)/
{
	printf("%-8s %-7d %-16s %-4d %-7d %d\n", strftime("%H:%M:%S", nsecs), pid, comm,
		args.sig, args.pid, ret);
}

syscall:tkill
/wanted(args.sig)/
{
	printf("%-8s %-7d %-16s %-4d %-7d %d\n", strftime("%H:%M:%S", nsecs), pid, comm,
		args.sig, args.pid, ret);
}

syscall:tgkill
/wanted(args.sig)/
{
	printf("%-8s %-7d %-16s %-4d %-7d %d\n", strftime("%H:%M:%S", nsecs), pid, comm,
		args.sig, args.pid, ret);
}
