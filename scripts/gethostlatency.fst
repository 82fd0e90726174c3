#!/usr/bin/env fst
// gethostlatency: How long do host name lookups take?
//
// Topic: network
// Usage: gethostlatency
// Common: task, time, unit
// Reading: LAT is the duration of the lookup of HOST as the program sees it: files, caches and name
//  servers together.
// Example: fst gethostlatency -m
// Misses: Programs that do not use this system's C library for it (Go, statically linked ones, containers with a C
//  library of their own). Names of addresses (gethostbyaddr(), getnameinfo()).
// Cost: One or two pairs of probes per lookup.
// Words: DNS

config = { print_maps_on_exit = false }

// Some of these call others of them. A program may leave one by longjmp(), from the handler of an alarm: what it calls then is no
// deeper in the stack.
let @outermost = lruhash(8192);

uprobe:libc:getaddrinfo,
uprobe:libc:gethostbyname,
uprobe:libc:gethostbyname2,
uprobe:libc:gethostbyname_r,
uprobe:libc:gethostbyname2_r /!has_key(@outermost, tid) || reg("sp") > @outermost[tid].1/ {
	@outermost[tid] = (func, reg("sp"));
}

ucall:libc:getaddrinfo,
ucall:libc:gethostbyname,
ucall:libc:gethostbyname2,
ucall:libc:gethostbyname_r,
ucall:libc:gethostbyname2_r /@outermost[tid].0 == func/ {
	delete(@outermost, tid);
	if (mine()) {
		row("PID %-7d COMM %-16s LAT %10T HOST %s", pid, comm, took, arg0 ? str(arg0) : "");
	}
}
