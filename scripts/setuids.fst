#!/usr/bin/env fst
// setuids: Which processes change the user that they run as?
//
// Topic: programs and processes
// Usage: setuids
// Common: task, time
// Reading: CALL is the system call. TO is the requested effective user, -1 for no change; UID is the effective user
//  afterwards (for setfsuid, the user for file access). In a user namespace TO is the number there, UID the one
//  outside. ERR is 0 or the error (setfsuid reports none).
// Example: fst setuids
// Misses: Programs with the set-user-ID bit, which change the user when they are started: use execsnoop. 32-bit
//  programs.
// Cost: Nothing while no process changes its user.
// Words: login, sudo, su

macro show(to, error, now) {
	row("PID %-7d COMM %-16s CALL %-10s TO %7d ERR %-8s UID %7d", pid, comm, func, (int32)to, (enum errno)error, now);
}

macro effective() { ((struct task_struct *)curtask)->cred->euid.val }

syscall:setuid /mine()/ { show(args.uid, errno, effective()); }
syscall:setreuid, syscall:setresuid /mine()/ { show(args.euid, errno, effective()); }

syscall:setfsuid /mine()/ {
	show(args.uid, errno, ((struct task_struct *)curtask)->cred->fsuid.val);
}
