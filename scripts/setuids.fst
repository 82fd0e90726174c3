#!/usr/bin/env fst
// setuids: Which processes change the user that they run as?
//
// Topic: programs and processes
// Usage: setuids
// Common: task, time
// Reading: TO is the effective user that was asked for, -1 for no change, UID the effective user
//  afterwards (of setfsuid the one whose files it may use). ERR is 0, or the error (setfsuid tells none).
// Example: fst setuids
// Misses: Programs with the set-user-id bit, which change when they are started: see execsnoop. 32-bit programs.
// Cost: nothing as long as nobody changes.

macro show(to, error, now) {
	row("PID %-7d COMM %-16s CALL %-10s TO %7d ERR %-8s UID %7d", pid, comm, func, (int32)to, (enum errno)error, now);
}

macro effective() { ((struct task_struct *)curtask)->cred->euid.val }

syscall:setuid /mine()/ { show(args.uid, errno, effective()); }
syscall:setreuid, syscall:setresuid /mine()/ { show(args.euid, errno, effective()); }

syscall:setfsuid /mine()/ {
	show(args.uid, errno, ((struct task_struct *)curtask)->cred->fsuid.val);
}
