#!/usr/bin/env fst
// fsdist: How long do the operations of a file system take, as a distribution?
//
// Topic: files
// Usage: fsdist FILESYSTEM [interval [count]]
// Common: task, time, unit, heat
// Reading: One histogram for reads, writes, opens and fsyncs each, in microseconds, or what -m and -n
//  say. FILESYSTEM is ext4, xfs, btrfs, nfs or f2fs. Two hills in one histogram are memory and disk.
// Example: fst fsdist ext4
// Example: fst fsdist ext4 -c fio 1 10
// Misses: Mapped files, and asynchronous I/O that has not ended when the call returns.
// Cost: two probes for each operation.
// Instead: biolatency
// Also: ext4dist, xfsdist, btrfsdist, nfsdist, zfsdist

call:$1_file_read_iter | $1_file_read /mine() && retval != -529/ {
	@latency["read"] = hist(took / unit());
}

call:$1_file_write_iter | $1_file_write /mine() && retval != -529/ {
	@latency["write"] = hist(took / unit());
}

call:$1_file_open /mine()/ { @latency["open"] = hist(took / unit()); }
call:$1_sync_file | $1_file_fsync /mine()/ { @latency["fsync"] = hist(took / unit()); }

report {
	histogram(@latency);
}
