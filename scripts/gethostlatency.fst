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
//  library of their own), and those that use gethostbyname_r() and the like.
// Cost: One pair of probes per lookup.
// Words: DNS

ucall:libc:getaddrinfo, ucall:libc:gethostbyname, ucall:libc:gethostbyname2 /mine()/ {
	row("PID %-7d COMM %-16s LAT %10T HOST %s", pid, comm, took, arg0 ? str(arg0) : "");
}
