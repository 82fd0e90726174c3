#!/usr/bin/env fst
// tcpaccept: Which TCP connections are accepted here, and do they wait to be?
//
// Topic: network
// Usage: tcpaccept
// Common: task, time
// Reading: BL other connections were waiting to be accepted, of at most MAX; when BL reaches MAX, new clients are
//  turned away. LADDR and LPORT are the address and port of this end, RADDR and RPORT those of the other.
// Example: fst tcpaccept
// Misses: Connections that no program accepts. On a kernel without kprobes, also those accepted through io_uring, by
//  32-bit programs, or by calls that were in progress when tracing started.
// Cost: Three probes per accepted connection.

net:accept /mine()/ {
	row("PID %-7d COMM %-16s RADDR %-15s RPORT %-5d LADDR %-15s LPORT %-5d BL %4d MAX %4d", pid, comm,
		args.remote, args.rport, args.local, args.lport, args.waiting, args.limit);
}
