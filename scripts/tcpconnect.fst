#!/usr/bin/env fst
// tcpconnect: Which TCP connections are opened from here, how fast, and which fail?
//
// Topic: network
// Usage: tcpconnect [-x]
// Option: -x, --failed: only connections that were refused, timed out or were given up
// Common: task, time, unit
// Reading: LAT is the time from connect() to the answer; STATE is ESTABLISHED, or CLOSE for a connection that failed.
//  With TCP_FASTOPEN_CONNECT the SYN packet may be sent only with the first write: LAT still counts from connect().
//  SADDR and SPORT are the address and port of this end, DADDR and DPORT those of the server.
// Example: fst tcpconnect
// Example: fst tcpconnect -x
// Misses: Connections that have not been answered yet, and those opened before tracing started. Calls of connect() that
//  fail before they send anything: without a route (ENETUNREACH) or right (EPERM). Those for which there is no free
//  port (EADDRNOTAVAIL) are shown, with SPORT 0 unless the program chose the port.
// Cost: One probe per state change of a connection; nothing for data.
// Also: tcpconnlat, tcptracer
// Words: ports

net:connect /mine() && (args.failed || !getopt("failed", false))/ {
	row("PID %-7d COMM %-16s SADDR %-15s SPORT %-5d DADDR %-15s DPORT %-5d LAT %8T STATE %s", pid, comm,
		args.local, args.lport, args.remote, args.rport, took, args.failed ? "CLOSE" : "ESTABLISHED");
}
