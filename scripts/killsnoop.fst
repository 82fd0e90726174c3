#!/usr/bin/env fst
// killsnoop: Which signals are sent, by whom, to whom?
//
// Topic: programs and processes
// Usage: killsnoop [-x] [-s SIGNAL]
// Option: -x, --failed: only signals that could not be sent
// Option: -s, --signal SIGNAL: only this signal, by its number or name
// Common: task, time
// Reading: PID and COMM sent the signal SIG (0 only asks whether the other is there) to TPID; ERR is 0 or
//  the error.
// Example: fst killsnoop -s SIGKILL
// Misses: Signals that the kernel sends (faults, terminals, timers, pipes).
// Cost: one pair of probes for each signal sent.
// Also: sigsnoop

syscall:kill, syscall:tkill, syscall:tgkill
/mine() && (getopt("signal", -1) == -1 || args.sig == getopt("signal", -1)) && (!getopt("failed", false) || ret < 0)/
{
	row("PID %-7d COMM %-16s SIG %-9s TPID %-7d ERR %s", pid, comm, (enum signal)args.sig, (int32)args.pid, (enum errno)errno);
}
