#!/usr/bin/env fst
// makerequest-slower: Which threads wait long to submit a request to a disk?
//
// Topic: disks
// Usage: makerequest-slower [-s] [--min US] [--stage]
// Option: -s, --sync: only requests that a program waits for: reads, and writes for a sync
// Option: --min US: at least US microseconds (default: 1000)
// Option: --stage: also show where the time went: a frozen queue, waiting for a slot, the rest
// Common: task, time, unit, disk, where
// Reading: LAT is the time to submit one I/O. It should be a few microseconds: more means that the queue is full, or
//  frozen (see blkfreeze). biolatency does not include this time. SYNC is sync if a program waits for the request. With
//  --stage, FROZEN is the part of LAT during which the queue was frozen, TAG the part spent waiting for a slot in a
//  full queue; the rest is work of the kernel.
// Example: fst makerequest-slower
// Example: fst makerequest-slower -s --min 100 --disk vda
// Example: fst makerequest-slower --stage -K
// Misses: On Linux 5.10, the time of a stacked disk (md, dm) includes the time at the disks below it.
// Cost: Three probes per I/O.
// Instead: biosnoop

config = { print_maps_on_exit = false }

macro stages() { getopt("stage", false) }

macro wanted(bio) {
	mine() && (!getopt("sync", false) || is_sync(((struct bio *)bio)->bi_opf)) && on_disk(bio_disk(bio))
}

// The disk is noted before: afterwards the I/O may be done, and its memory used for something else. On Linux 5.10 a
// stacked disk hands its I/O on within the call.
kprobe:__submit_bio | submit_bio_noacct /wanted(arg0)/ {
	@began[tid, (uint64)arg0] = (bio_disk(arg0), is_sync(((struct bio *)arg0)->bi_opf));
	if (comptime stages()) {
		// One deeper in the stack is within the outer one. Another is a new one, also if the end of the last was not seen.
		let $deeper = @outer[tid].1 - reg("sp");
		if (!@outer[tid].0 || $deeper <= 0 || $deeper > 16384) {
			@outer[tid] = ((uint64)arg0, reg("sp"));
			delete(@frozen, tid);
			delete(@tag, tid);
		}
	}
}

call:__bio_queue_enter | blk_queue_enter /comptime stages() && @outer[tid].0/ {
	@frozen[tid] += took;
}

call:blk_mq_get_tag /comptime stages() && @outer[tid].0/ {
	@tag[tid] += took;
}

call:__submit_bio | submit_bio_noacct /has_key(@began, (tid, (uint64)arg0))/ {
	$b = @began[tid, (uint64)arg0];
	if (took >= getopt("min", 1000) * 1us) {
		if (comptime stages()) {
			$waited = @outer[tid].0 == (uint64)arg0;
			row("PID %-7d COMM %-16s LAT %9T FROZEN %9T TAG %9T DISK %-12s SYNC %s", pid, comm, took, $waited ? @frozen[tid] : 0,
				$waited ? @tag[tid] : 0, $b.0, $b.1 ? "sync" : "async");
		} else {
			row("PID %-7d COMM %-16s LAT %9T DISK %-12s SYNC %s", pid, comm, took, $b.0, $b.1 ? "sync" : "async");
		}
		where();
	}
	delete(@began, (tid, (uint64)arg0));
	if (comptime stages()) {
		if (@outer[tid].0 == (uint64)arg0) {
			delete(@outer, tid);
			delete(@frozen, tid);
			delete(@tag, tid);
		}
	}
}
