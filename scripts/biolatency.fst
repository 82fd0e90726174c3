#!/usr/bin/env fst
// biolatency: How long do block devices take to answer, as a distribution?
//
// Usage: biolatency [-QDFI] [--disk DISK] [interval [count]]
// Option: -Q, --queued: count from when the request was made, with its time in the queue
// Option: -D, --disks: one histogram for each disk
// Option: -F, --flags: one histogram for each kind of request
// Option: --disk DISK: only requests of this disk (vda, nvme0n1)
// Option: -I, --issue: take the start from an event of its own (for queues without statistics)
// Common: time, unit
// Reading: Each row is a range of times and how many requests were in it; [1K, 2K) are 1024 to
//  2047 of the unit in the title.
// Example: fst biolatency
// Example: fst biolatency -D 1 10
// Example: fst biolatency -QF -m
// Misses: Devices without request queues (md, dm, bcache, zram) have no requests of
//  their own; those of the disks below them are seen. A queue whose statistics are off
//  stamps no time on its requests: they are counted and said at the end; -I sees them.
// Cost: one probe for each finished request, no map of requests in flight (with -I: two
//  probes and a map).

macro disk_of(rq) {
	let $name: string = "";
	if (exists(struct request, rq_disk)) {
		$name = str(((struct request *)rq)->rq_disk->disk_name);
	} else {
		$name = str(((struct request *)rq)->q->disk->disk_name);
	}
	$name
}

macro wanted(rq) { getopt("disk", "") == "" || disk_of(rq) == getopt("disk", "") }

macro name_of_op(flags) {
	let $op = flags & 0xff;
	$op == REQ_OP_READ ? "Read" : $op == REQ_OP_WRITE ? "Write" : $op == REQ_OP_FLUSH ? "Flush" :
		$op == REQ_OP_DISCARD ? "Discard" : $op == REQ_OP_SECURE_ERASE ? "SecureErase" :
		$op == REQ_OP_WRITE_ZEROES ? "WriteZeroes" : "Other"
}

begin {
	printf("Tracing block device I/O... Hit Ctrl-C to end.\n");
}

rawtracepoint:block_rq_issue
/getopt("issue", false) && wanted(arg0)/
{
	@issued[arg0] = nsecs(monotonic);
}

// A request may be finished in parts: the last one has as many bytes as are left.
rawtracepoint:block_rq_complete
/arg2 >= ((struct request *)arg0)->__data_len && wanted(arg0)/
{
	$rq = (struct request *)arg0;
	if (arg2 == 0 && ($rq->cmd_flags & 0xff) == REQ_OP_WRITE) {
		// The end of a write with flushes around it, which are requests of their own: the
		// write itself, if it had data, was finished and counted before.
		return;
	}
	let $start: uint64 = 0;
	if (getopt("issue", false)) {
		$start = @issued[arg0];
		delete(@issued, arg0);
	} else if (getopt("queued", false)) {
		$start = $rq->start_time_ns;
	} else {
		$start = $rq->io_start_time_ns;
	}
	if ($start == 0) {
		@unstamped = count();
		return;
	}
	$took = (nsecs(monotonic) - $start) / unit();

	if (getopt("disks", false)) {
		@by_disk[disk_of(arg0)] = hist($took);
	} else if (getopt("flags", false)) {
		$f = $rq->cmd_flags;
		@by_flags[$f & (1 << __REQ_SYNC) ? "Sync" : "-", $f & (1 << __REQ_META) ? "Metadata" : "-",
			$f & (1 << __REQ_FUA) ? "ForcedUnitAccess" : "-", $f & (1 << __REQ_RAHEAD) ? "ReadAhead" : "-",
			$f & (1 << __REQ_BACKGROUND) ? "Background" : "-", name_of_op($f)] = hist($took);
	} else {
		@latency = hist($took);
	}
}

report {
	printf("%s : count distribution\n", unit_name());
	print(@latency);
	print(@by_disk);
	print(@by_flags);
}

end {
	if (@unstamped > 0) {
		printf("%d requests had no time stamp: %s\n", (uint64)@unstamped, getopt("issue", false) ?
			"they were issued before the probes came" : "their queue keeps no statistics; use -I");
	}
}
