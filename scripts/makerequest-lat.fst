#!/usr/bin/env fst
// makerequest-lat: How long do threads wait to hand a request to a disk, as a distribution?
//
// Topic: disks
// Usage: makerequest-lat [-s] [interval [count]]
// Option: -s, --sync: only requests that a program waits for: reads, and writes for a sync
// Common: task, time, unit, disk, heat
// Reading: One histogram for each disk. It should be some microseconds: more means that the queue is
//  full, or frozen (see blkfreeze). biolatency does not show this time.
// Example: fst makerequest-lat 1
// Example: fst makerequest-lat -s -m --disk vda
// Misses: On Linux 5.10, where time is lost between stacked devices (md over disks).
// Cost: two probes and a map update for each piece of I/O.
// Instead: biolatency

macro wanted(bio) {
	mine() && (!getopt("sync", false) || is_sync(((struct bio *)bio)->bi_opf)) && on_disk(bio_disk(bio))
}

// The disk is noted before: afterwards the I/O may be done, and its memory used for something else.
kprobe:__submit_bio | submit_bio_noacct /wanted(arg0)/ {
	@began[tid] = (nsecs, bio_disk(arg0));
}

kretprobe:__submit_bio | submit_bio_noacct /@began[tid].0/ {
	@latency[@began[tid].1] = hist((nsecs - @began[tid].0) / unit());
	delete(@began, tid);
}

report {
	histogram(@latency);
}
