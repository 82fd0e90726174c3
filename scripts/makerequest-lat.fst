#!/usr/bin/env fst
// makerequest-lat: How long does it take to submit a request to a disk, as a distribution?
//
// Topic: disks
// Usage: makerequest-lat [-s] [interval [count]]
// Option: -s, --sync: only requests that a program waits for: reads, and writes for a sync
// Common: task, time, unit, disk, heat
// Reading: One histogram per disk. Submitting a request should take a few microseconds: more means that the queue is
//  full, or frozen (see blkfreeze). biolatency does not include this time.
// Example: fst makerequest-lat 1
// Example: fst makerequest-lat -s -m --disk vda
// Misses: On Linux 5.10, the time of a stacked disk (md, dm) includes the time at the disks below it.
// Cost: Three probes and a map update per I/O.
// Instead: biolatency

macro wanted(bio) {
	mine() && (!getopt("sync", false) || is_sync(((struct bio *)bio)->bi_opf)) && on_disk(bio_disk(bio))
}

// The disk is noted before: afterwards the I/O may be done, and its memory used for something else. On Linux 5.10 a
// stacked disk hands its I/O on within the call.
kprobe:__submit_bio | submit_bio_noacct /wanted(arg0)/ {
	@disk[tid, (uint64)arg0] = bio_disk(arg0);
}

call:__submit_bio | submit_bio_noacct /has_key(@disk, (tid, (uint64)arg0))/ {
	@latency[@disk[tid, (uint64)arg0]] = hist(took / unit());
	delete(@disk, (tid, (uint64)arg0));
}

report {
	histogram(@latency);
}
