#!/usr/bin/env fst
// syserr: Which system calls fail, with which error?
//
// Topic: system calls
// Usage: syserr [-b] [-e ERRNO] [interval [count]]
// Option: -b, --by-comm: count for each command
// Option: -e, --errno ERRNO: only calls that failed with this error (ENOENT, 2)
// Common: task, time, top
// Reading: COUNT calls of SYSCALL failed with ERROR. Many programs look for files in several places: "No such file or
//  directory" by itself is not a problem.
// Example: fst syserr -c ps
// Example: fst syserr -b -d 10
// Misses: Calls interrupted by a signal have an internal error of the kernel (ERESTARTSYS and similar): whether they
//  fail or are restarted is decided later. Calls of 32-bit programs have other numbers and are shown as -.
// Cost: One probe per system call on the machine, some 10 ns for a call that succeeds.
// Words: missing, permission denied

tracepoint:raw_syscalls:sys_exit /args.ret < 0 && args.ret >= -4095 && args.id >= 0 && mine() && (getopt("errno", 0) == 0 || args.ret == 0 - getopt("errno", 0))/ {
	@errors[getopt("by-comm", false) ? comm : "*", syscall_name(native_syscall(args.id)), strerror(0 - args.ret)] = count();
}

report {
	table("COMM %-16s SYSCALL %-20s ERROR %-36s COUNT %8d", @errors);
}
