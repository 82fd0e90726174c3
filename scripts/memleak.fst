#!/usr/bin/env fst
// memleak: Where does a program allocate memory that it does not free?
//
// Topic: memory
// Usage: memleak [interval [count]]
// Option: --dwarf: stacks of programs without frame pointers, too, by their unwind tables
// Option: --top N: at most N stacks (default: 10; 0: all)
// Common: task, time
// Reading: For each stack that allocates memory: how many of its bytes have not been freed since tracing started
//  (with an interval: since the last report; the number is negative if older memory was freed). A stack whose number
//  keeps growing is a leak. What a process had not freed when it ended still counts.
// Example: fst memleak -p 1234 -d 60
// Example: fst memleak -p 1234 10
// Misses: Memory that does not come from this system's C library (mmap, Go, other allocators, statically linked programs,
//  containers with a C library of their own), and what is allocated while 262,144 blocks are in use (a warning tells).
//  User stacks of programs without frame pointers need --dwarf.
// Cost: Two probes and a stack trace per allocation, a few microseconds: select one program with -p.
// Words: malloc, heap, memory

let @size = hash(262144);

macro caller() { comptime getopt("dwarf", false) ? dw_ustack : ustack }

// Memory at this address is free, or given anew.
fn forget($address) {
	$old = @size[pid, (uint64)$address];
	if ($old.0) {
		@bytes[$old.1, $old.2] = sum(0 - (int64)$old.0);
		delete(@size, (pid, (uint64)$address));
	}
}

// Functions that allocate call each other: the outermost, which returns last, is the one that counts.
fn keep($address, $bytes) {
	forget($address);
	@size[pid, (uint64)$address] = ((uint64)$bytes, caller(), comm);
	// That this memory was freed would not be known if there was no room for it.
	if (has_key(@size, (pid, (uint64)$address))) {
		@bytes[caller(), comm] = sum((int64)$bytes);
	}
}

ucall:libc:malloc, ucall:libc:valloc /retval && mine()/ { keep(retval, arg0 * 1B); }

ucall:libc:pvalloc /comptime exists(uprobe:libc:pvalloc) && retval && mine()/ {
	keep(retval, arg0 * 1B);
}

ucall:libc:calloc /retval && mine()/ { keep(retval, arg0 * arg1 * 1B); }

ucall:libc:memalign, ucall:libc:aligned_alloc /retval && mine()/ { keep(retval, arg1 * 1B); }

ucall:libc:posix_memalign /(int32)retval == 0 && mine()/ { keep(*(uint64 *)uptr(arg0), arg2 * 1B); }

// What realloc got is free as soon as it may give it to others; if it fails it is not.
uprobe:libc:realloc /@size[pid, arg0].0/ {
	@moving[tid] = @size[pid, arg0];
	forget(arg0);
}

ucall:libc:realloc {
	if (retval && mine()) {
		keep(retval, arg1 * 1B);
	} else if (!retval && arg1 && @moving[tid].0) {
		@size[pid, arg0] = @moving[tid];
		if (has_key(@size, (pid, arg0))) {
			@bytes[@moving[tid].1, @moving[tid].2] = sum((int64)@moving[tid].0);
		}
	}
	delete(@moving, tid);
}

uprobe:libc:free /@size[pid, arg0].0/ { forget(arg0); }

report {
	print(@bytes, getopt("top", 10));
}
