#!/usr/bin/env fst
// filegone: Which files are removed or renamed, by whom?
//
// Topic: files
// Usage: filegone [-x]
// Option: -x, --failed: only calls that failed
// Common: task, time
// Reading: ERR is 0, or the error (ENOENT: there was no such file). Renaming a file to the name of another replaces
//  it: most programs save files that way. WHAT is removed or renamed; TO is the new name.
// Example: fst filegone
// Example: fst filegone -c logrotate -T
// Misses: Calls through io_uring and of 32-bit programs, and removals by other machines on network file systems.
//  Names are shown as the program passed them, possibly relative.
// Cost: One pair of probes per call.
// Words: delete, rm, unlink

macro show(what, path, to) {
	if (!getopt("failed", false) || errno) {
		row("PID %-7d COMM %-16s WHAT %-8s ERR %-9s PATH %-32s TO %s", pid, comm, what, (enum errno)errno, str(path), to);
	}
}

syscall:unlink, syscall:unlinkat /mine()/ { show("removed", args.pathname, ""); }
syscall:rmdir /mine()/ { show("removed", args.pathname, ""); }

syscall:rename, syscall:renameat, syscall:renameat2 /mine()/ {
	show("renamed", args.oldname, str(args.newname));
}
