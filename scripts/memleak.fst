#!/usr/bin/env fst
// memleak: From where does a program allocate memory that it does not free?
//
// Topic: memory
// Usage: memleak [interval [count]]
// Option: --dwarf: stacks of programs without frame pointers, too, by their unwind tables
// Common: task, time
// Reading: For each stack that allocates, how many bytes of its memory were not freed since tracing began (with an
//  interval: since the last report; below 0, older memory was freed). What grows again and again is a leak.
// Example: fst memleak -p 1234 -d 60
// Example: fst memleak -p 1234 10
// Misses: Memory that is not from the C library's malloc (mmap, Go, other allocators). Stacks of programs
//  without frame pointers need --dwarf.
// Cost: two probes and a stack for each allocation, some microseconds: choose one program with -p.

let @size = hash(262144);

macro caller() { comptime getopt("dwarf", false) ? dw_ustack : ustack }

ucall:libc:malloc /retval && mine()/ {
	@size[pid, (uint64)retval] = (arg0, caller());
	@bytes[caller(), comm] = sum((int64)arg0);
}

ucall:libc:calloc /retval && mine()/ {
	@size[pid, (uint64)retval] = (arg0 * arg1, caller());
	@bytes[caller(), comm] = sum((int64)(arg0 * arg1));
}

// What realloc gives is new, what it got is free.
ucall:libc:realloc /retval && mine()/ {
	if (@size[pid, arg0].0) {
		@bytes[@size[pid, arg0].1, comm] = sum(0 - (int64)@size[pid, arg0].0);
		delete(@size, (pid, arg0));
	}
	@size[pid, (uint64)retval] = (arg1, caller());
	@bytes[caller(), comm] = sum((int64)arg1);
}

uprobe:libc:free /@size[pid, arg0].0/ {
	@bytes[@size[pid, arg0].1, comm] = sum(0 - (int64)@size[pid, arg0].0);
	delete(@size, (pid, arg0));
}

report {
	print(@bytes, 10);
}
