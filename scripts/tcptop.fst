#!/usr/bin/env fst
// tcptop: Which TCP connections carry the most data, and for which programs?
//
// Topic: network
// Usage: tcptop [interval [count]]
// Common: task, time, top
// Reading: TX_KB is the data that threads of this name wrote to the connection, RX_KB the data that they read from it,
//  KB both. LADDR and LPORT are the address and port of this end, RADDR and RPORT those of the other.
// Example: fst tcptop 1
// Example: fst tcptop -c nginx -d 10
// Misses: Received data that no program has read yet. Data of kernel TLS and of MPTCP; data received by
//  mapped memory (TCP_ZEROCOPY_RECEIVE) or servers in the kernel (NFS); calls in progress when tracing started.
// Cost: Two probes per call that sends or receives, about 200 ns.
// Instead: tcplife
// Also: tcpsubnet
// Words: bandwidth, ports

let @sent = percpuhash(16384);
let @received = percpuhash(16384);

net:send /mine()/ {
	@sent[pid, comm, args.local, args.lport, args.remote, args.rport] = sum(args.bytes);
}

net:receive /mine()/ {
	@received[pid, comm, args.local, args.lport, args.remote, args.rport] = sum(args.bytes);
}

report {
	table("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d KB %8d TX_KB %8d RX_KB %8d",
		(@sent + @received) / 1KB, @sent / 1KB, @received / 1KB);
}
