#!/usr/bin/env fst
// filetop: Which files are read and written most, by whom?
//
// Topic: files
// Usage: filetop [-aRW] [interval [count]]
// Option: -a, --all: pipes, sockets and devices, too
// Option: -R, --read: only reads
// Option: -W, --write: only writes
// Common: task, time, top
// Reading: KB is the sum of R_KB and W_KB; READS and WRITES are the calls that moved bytes; sendfile(), splice() and
//  copy_file_range() move data in chunks, each of which counts. FILE is the disk or file system and the path on it; long
//  paths are cut at the front ("vda1:.../main/base/1"). Each file has its own row; a file with several names is shown by
//  one of them.
// Example: fst filetop 1
// Example: fst filetop --sort reads 1
// Example: fst filetop -W -c postgres -d 30
// Misses: Mapped files, io_uring and aio, and copies that share the blocks of the file (cp on btrfs and xfs). FILE is
//  known for at most 4096 files at a time; for others it is empty. On Linux 5.10 two files with the same inode number in two
//  subvolumes of btrfs share a row.
// Cost: Two probes and two map updates for each read or write.
// Others: bcc's counts what a program asked for instead of what it got: a file of 4 KB that is read with
//  a buffer of 1 MB is 2 MB there, each time.
// Instead: iotop, syscount

// A path of each row's file.
let @path = lruhash(4096);

macro wanted() { mine() && args.bytes && (getopt("all", false) || args.kind == "file") }
macro id() { (args.dev, args.inode, args.generation) }

fs:read, fs:write /wanted() && !has_key(@path, (pid, comm, id()))/ {
	@path[pid, comm, id()] = args.path;
}

fs:read /wanted()/ {
	if (!getopt("write", false)) {
		@reads[pid, comm, id()] = count();
		@read_bytes[pid, comm, id()] = sum(args.bytes);
	}
}

fs:write /wanted()/ {
	if (!getopt("read", false)) {
		@writes[pid, comm, id()] = count();
		@written_bytes[pid, comm, id()] = sum(args.bytes);
	}
}

report {
	table("PID %-7d COMM %-16s FILE_ID %.0s KB %8d READS %7d WRITES %7d R_KB %8d W_KB %8d FILE %s",
		(@read_bytes + @written_bytes) / 1KB, @reads, @writes, @read_bytes / 1KB, @written_bytes / 1KB, @path);
}
