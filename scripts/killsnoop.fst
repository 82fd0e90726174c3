#!/usr/bin/env fst
// killsnoop: Which signals are sent, by whom, to whom?
//
// Topic: programs and processes
// Usage: killsnoop [-x] [-s SIGNAL] [--target PID]
// Option: -x, --failed: only signals that could not be sent
// Option: -s, --signal SIGNAL: only this signal, by its number or name (SIGTERM, TERM, 15)
// Option: --target PID: only signals to this process
// Common: task, time
// Reading: PID and COMM sent the signal SIG (0 only asks whether the other is there) to TPID (tkill: a
//  thread; a negative number is a group of processes); ERR is 0 or the error.
// Example: fst killsnoop -s SIGKILL
// Example: fst killsnoop --target 1234
// Misses: Signals that the kernel sends (faults, terminals, timers, pipes).
// Cost: one pair of probes for each signal sent.
// Also: sigsnoop

macro show(sig, target) {
	if ((getopt("signal", -1) == -1 || sig == getopt("signal", -1)) && (getopt("target", 0) == 0 || (int32)target == getopt("target", 0)) &&
		(ret < 0 || !getopt("failed", false))) {
		row("PID %-7d COMM %-16s SIG %-9s TPID %-7d ERR %s", pid, comm, (enum signal)sig, (int32)target, (enum errno)errno);
	}
}

syscall:kill, syscall:tkill /mine()/ { show(args.sig, args.pid); }
syscall:tgkill /mine()/ { show(args.sig, args.tgid); }
