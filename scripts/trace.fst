#!/usr/bin/env fst
// trace: Who calls a function, with which arguments and result?
//
// Topic: functions
// Usage: trace FUNCTION
// Common: task, where
// Reading: One line per call: its arguments by name, the result, and how long it took. FUNCTION is a kernel function,
//  a pattern, or any probe: syscall:openat, ucall:libc:getenv, tracepoint:sched:sched_process_exec.
// Example: fst trace syscall:openat -c cat
// Example: fst trace -K vfs_unlink
// Example: fst trace tracepoint:sched:sched_process_exit
// Misses: Inlined functions.
// Cost: Two probes and a line per call: avoid functions as frequent as vfs_read.
// Instead: syscount

call:$1 /mine()/
call:$1 /wants_where() && mine()/ { where(); }
