#!/usr/bin/env fst
// tcpconnect: Which TCP connections are opened from here, how fast, and which fail?
//
// Topic: network
// Usage: tcpconnect [-x]
// Option: -x, --failed: only connections that were refused or gave up
// Common: task, time, unit
// Reading: LAT is the time from connect() to the answer; STATE is ESTABLISHED, or CLOSE for a
//  connection that failed. With TCP_FASTOPEN_CONNECT the question may go out with the first write only:
//  LAT counts from connect() all the same.
// Example: fst tcpconnect
// Example: fst tcpconnect -x
// Misses: Connections that have no answer yet, and those opened before tracing started.
// Cost: one probe for each change of a connection's state; nothing for data.
// Also: tcpconnlat, tcptracer

net:connect /mine() && (args.failed || !getopt("failed", false))/ {
	row("PID %-7d COMM %-16s SADDR %-15s SPORT %-5d DADDR %-15s DPORT %-5d LAT %8T STATE %s", pid, comm,
		args.local, args.lport, args.remote, args.rport, took, args.failed ? "CLOSE" : "ESTABLISHED");
}
