#!/usr/bin/env fst
// tcptop: Which TCP connections carry most, and for whom?
//
// Topic: network
// Usage: tcptop [interval [count]]
// Common: task, time, top
// Reading: TX_KB were given to the connection, RX_KB taken from it.
// Example: fst tcptop 1
// Example: fst tcptop -c nginx -d 10
// Misses: What was sent and no program took yet. Data of TLS in the kernel and of MPTCP; what is
//  received by splice() or mapped (TCP_ZEROCOPY_RECEIVE), or by the kernel's own servers (NFS); calls
//  in progress when tracing starts.
// Cost: two probes for each call that sends or receives, some 200 ns.
// Instead: tcplife
// Also: tcpsubnet

net:send /mine()/ {
	@sent[pid, comm, args.local, args.lport, args.remote, args.rport] = sum(args.bytes);
	@received[pid, comm, args.local, args.lport, args.remote, args.rport] = sum(0);
}

net:receive /mine()/ {
	@sent[pid, comm, args.local, args.lport, args.remote, args.rport] = sum(0);
	@received[pid, comm, args.local, args.lport, args.remote, args.rport] = sum(args.bytes);
}

report {
	table("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d TX_KB %8d RX_KB %8d", @sent / 1KB, @received / 1KB);
}
