#!/usr/bin/env fst
// killsnoop: Which signals are sent, by whom, to whom?
//
// Topic: programs and processes
// Usage: killsnoop [-x] [-s SIGNAL]
// Option: -x, --failed: only signals that could not be sent
// Option: -s, --signal SIGNAL: only the signal with this number
// Common: task, time
// Reading: PID and COMM sent the signal SIG to TPID; RESULT is 0 or the error's number below 0.
// Example: fst killsnoop -s 9
// Misses: Signals that the kernel sends (faults, terminals, timers, pipes).
// Cost: one pair of probes for each signal sent.

syscall:kill, syscall:tkill, syscall:tgkill
/mine() && (getopt("signal", -1) == -1 || args.sig == getopt("signal", -1)) && (!getopt("failed", false) || ret < 0)/
{
	row("PID %-7d COMM %-16s SIG %-4d TPID %-7d RESULT %d", pid, comm, args.sig, args.pid, ret);
}
