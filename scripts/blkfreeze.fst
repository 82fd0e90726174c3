#!/usr/bin/env fst
// blkfreeze: Who freezes the queues of disks, so that all I/O has to wait?
//
// Topic: disks
// Usage: blkfreeze [-k]
// Option: -k, --kstack: with the kernel's stack
// Common: task, time, unit, disk
// Reading: While COMM changes a setting of DISK (its scheduler, the number of requests), new requests
//  wait. WAIT is how long it took until those before were done; the freeze lasts a little longer.
// Example: fst blkfreeze
// Example: fst blkfreeze -k
// Misses: Freezes that do not wait (of queues nobody else uses yet).
// Cost: nothing as long as nobody changes settings.
// Instead: biolatency

call:blk_mq_freeze_queue_wait
/mine() && on_disk(queue_disk(args.q))/
{
	row("PID %-7d COMM %-16s DISK %-12s WAIT %9T", pid, comm, queue_disk(args.q), took);
	if (getopt("kstack", false)) {
		print(kstack);
	}
}
