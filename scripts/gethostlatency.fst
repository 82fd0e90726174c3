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

// Some of these call others of them: the C library of GNU those that end in _r, that of musl gethostbyname2(), too.
let @outermost = lruhash(8192);

uprobe:libc:gethostbyname,
uprobe:libc:gethostbyname2,
uprobe:libc:gethostbyname_r,
uprobe:libc:gethostbyname2_r /!has_key(@outermost, tid)/ {
	@outermost[tid] = func;
}

macro show() {
	row("PID %-7d COMM %-16s LAT %10T HOST %s", pid, comm, took, arg0 ? str(arg0) : "");
}

ucall:libc:getaddrinfo /mine()/ { show(); }

ucall:libc:gethostbyname,
ucall:libc:gethostbyname2,
ucall:libc:gethostbyname_r,
ucall:libc:gethostbyname2_r /@outermost[tid] == func/ {
	delete(@outermost, tid);
	if (mine()) {
		show();
	}
}
