#!/usr/bin/env fst
// blkfreeze: Who freezes request queues, so that all I/O to a disk has to wait?
//
// Topic: disks
// Usage: blkfreeze [--min US] [--who]
// Option: --min US: only waits of at least US microseconds
// Option: --who: also show which file of /sys/block/DISK/queue was written, and the value
// Common: task, time, unit, disk, where
// Reading: While COMM changes a setting of DISK (its scheduler, the number of requests), new requests are blocked.
//  With --who, FILE is the setting in /sys/block/DISK/queue and VALUE what was written to it. WAIT is the time until
//  the pending requests completed; the freeze lasts a little longer.
// Example: fst blkfreeze
// Example: fst blkfreeze --who
// Example: fst blkfreeze -K
// Misses: Freezes that do not wait: of queues that are not in use yet.
// Cost: None until a setting is changed.
// Instead: biolatency

call:blk_mq_freeze_queue_wait /mine() && on_disk(queue_disk(args.q)) && took >= getopt("min", 0) * 1us/ {
	if (comptime getopt("who", false)) {
		$regs = (struct pt_regs *)entry_regs(curtask);
		$file = syscall_of(curtask) == __NR_write ? file_of(curtask, $regs->di) : 0;
		row("PID %-7d COMM %-16s DISK %-12s WAIT %9T FILE %-20s VALUE %r", pid, comm, queue_disk(args.q), took, $file ? file_name($file) : "-",
			buf(uptr($regs->si), $file ? $regs->dx : 1));
	} else {
		row("PID %-7d COMM %-16s DISK %-12s WAIT %9T", pid, comm, queue_disk(args.q), took);
	}
	where();
}
