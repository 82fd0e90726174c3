#!/usr/bin/env fst
// slabratetop: Which kinds of objects does the kernel allocate most, for whom?
//
// Topic: memory
// Usage: slabratetop [-b] [interval [count]]
// Option: -b, --by-comm: count for each command
// Common: task, time, top
// Reading: CACHE is the kind of object: dentry and ext4_inode_cache are files that are looked up, filp is open files.
//  BYTES were allocated, whether or not they have been freed since.
// Example: fst slabratetop 1
// Example: fst slabratetop -b -d 5
// Misses: Allocations by kmalloc (since Linux 6.1), of whole pages, and of many objects at once (network packets,
//  io_uring). Kinds of objects of about one size may be merged by the kernel: they have the CACHE of one of them, and
//  one row, unless it was booted with slab_nomerge.
// Cost: One probe per allocation: at a million per second, about 10 % of a CPU.

config = { missing_probes = "ignore" }

macro add(@objects, @bytes, cache) {
	$by = getopt("by-comm", false) ? comm : "*";
	@objects[$by, str(((struct kmem_cache *)cache)->name)] = count();
	@bytes[$by, str(((struct kmem_cache *)cache)->name)] = sum(((struct kmem_cache *)cache)->size * 1B);
}

// Since Linux 6.1 the event tells the cache.
macro tells() { exists(struct trace_event_raw_kmem_cache_alloc) }

rawtracepoint:kmem_cache_alloc /tells() && mine()/ {
	add(@objects, @bytes, arg2);
}

kprobe:kmem_cache_alloc, kprobe:kmem_cache_alloc_node /!tells() && mine()/ {
	add(@objects, @bytes, arg0);
}

report {
	table("COMM %-16s CACHE %-26s COUNT %10d BYTES %12d", @objects, @bytes);
}
