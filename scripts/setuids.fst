#!/usr/bin/env fst
// setuids: Which processes change the user that they run as?
//
// Topic: programs and processes
// Usage: setuids
// Common: task, time
// Reading: TO is the (effective) user that was asked for, -1 for no change, UID the one that the
//  process has afterwards. ERR is 0, or the error.
// Example: fst setuids
// Misses: Programs with the set-user-id bit, which change when they are started: see execsnoop.
// Cost: nothing as long as nobody changes.

syscall:setuid, syscall:setfsuid /mine()/ {
	row("PID %-7d COMM %-16s CALL %-10s TO %7d ERR %-8s UID %7d", pid, comm, func, (int32)args.uid, (enum errno)errno, uid);
}

syscall:setreuid, syscall:setresuid /mine()/ {
	row("PID %-7d COMM %-16s CALL %-10s TO %7d ERR %-8s UID %7d", pid, comm, func, (int32)args.euid, (enum errno)errno, uid);
}
