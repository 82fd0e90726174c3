#!/usr/bin/env fst
// mdflush: Who makes software RAID flush its disks?
//
// Topic: disks
// Usage: mdflush
// Common: task, time
// Reading: Each line is one request of COMM to DEVICE to bring all that was written before to the
//  disks, which all of its disks have to do.
// Example: fst mdflush
// Misses: Arrays of the device mapper. The module md_mod must be loaded before.
// Cost: one probe for each flush.
// Instead: syncsnoop

kprobe:md_flush_request
/mine()/
{
	row("PID %-7d COMM %-16s DEVICE %s", pid, comm, bio_disk(arg1));
}
