#!/usr/bin/env fst
// filetop: Which files are read and written most, by whom?
//
// Topic: files
// Usage: filetop [-aRW] [interval [count]]
// Option: -a, --all: pipes, sockets and devices, too
// Option: -R, --read: only reads
// Option: -W, --write: only writes
// Common: task, time, top
// Reading: KB is the sum of R_KB and W_KB; READS and WRITES are calls.
// Example: fst filetop 1
// Example: fst filetop --sort reads 1
// Example: fst filetop -W -c postgres -d 30
// Misses: Vectored reads and writes (readv, preadv), mapped files, splice and io_uring.
// Cost: two probes and two map updates for each read or write.
// Others: bcc's counts what a program asked for instead of what it got: a file of 4 KB that is read with
//  a buffer of 1 MB is 2 MB there, each time.
// Instead: iotop, syscount

macro wanted() { mine() && retval > 0 && (getopt("all", false) || is_regular(args.file)) }

call:vfs_read /!getopt("write", false) && wanted()/ {
	witness("tracepoint:syscalls:sys_exit_read", "this kernel reads by other functions than vfs_read: try fst syscount");
	@reads[pid, comm, file_name(args.file)] = count();
	@read_bytes[pid, comm, file_name(args.file)] = sum(retval);
}

call:vfs_write /!getopt("read", false) && wanted()/ {
	witness("tracepoint:syscalls:sys_exit_write", "this kernel writes by other functions than vfs_write: try fst syscount");
	@writes[pid, comm, file_name(args.file)] = count();
	@written_bytes[pid, comm, file_name(args.file)] = sum(retval);
}

report {
	table("PID %-7d COMM %-16s FILE %-24s KB %8d READS %7d WRITES %7d R_KB %8d W_KB %8d",
		(@read_bytes + @written_bytes) / 1KB, @reads, @writes, @read_bytes / 1KB, @written_bytes / 1KB);
}
