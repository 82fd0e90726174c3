#!/usr/bin/env fst
// mountsnoop: What is mounted and unmounted, by whom?
//
// Topic: files
// Usage: mountsnoop
// Common: task, time
// Reading: ERR is 0, or the error. move_mount is the last step of a mount by the
//  newer system calls.
// Example: fst mountsnoop
// Misses: Mounts that the kernel makes by itself, such as those of automounted directories.
// Cost: nothing as long as nobody mounts.

macro show(source, target, type) {
	row("PID %-7d COMM %-16s CALL %-10s ERR %-12s TYPE %-10s SOURCE %-24s TARGET %s", pid, comm, func, (enum errno)errno, type, source, target);
}

syscall:mount /mine()/ { show(str(args.dev_name), str(args.dir_name), str(args.type)); }
syscall:umount /mine()/ { show("", str(args.name), ""); }
syscall:move_mount /mine()/ { show(str(args.from_pathname), str(args.to_pathname), ""); }
