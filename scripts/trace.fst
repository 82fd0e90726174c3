#!/usr/bin/env fst
// trace: Who calls this function, with which arguments and which result?
//
// Topic: functions
// Usage: trace FUNCTION
// Common: task, where
// Reading: A line for each call: its arguments by name, the result, and how long it took. FUNCTION
//  is a function of the kernel or a pattern, or any probe: syscall:openat, ucall:libc:getenv,
//  tracepoint:sched:sched_process_exec.
// Example: fst trace syscall:openat -c cat
// Example: fst trace -K vfs_unlink
// Example: fst trace tracepoint:sched:sched_process_exit
// Misses: Functions that the compiler put into their callers.
// Cost: two probes and a line for each call: choose something rarer than vfs_read.
// Instead: syscount

call:$1 /mine()/
call:$1 /wants_where() && mine()/ { where(); }
