#!/usr/bin/env fst
// tcplife: Which TCP connections ended, how long did they last, how much data did they carry?
//
// Topic: network
// Usage: tcplife
// Common: task, time
// Reading: TX_KB is the data that the peer has acknowledged, RX_KB the data received, read or not; neither counts data
//  lost in a reset. MS is the age of the connection since connect() or, on the accepting side, since it could be
//  accepted. A connection within the machine has two lines, one for each end. PID opened or accepted the connection,
//  even if another process closes it. LADDR and LPORT are the address and port of this end, RADDR and RPORT those of
//  the other.
// Example: fst tcplife
// Example: fst tcplife -c curl
// Misses: Connections opened before tracing started have PID 0 and no age. Connections that end before a program
//  accepts them have PID 0 too; so have, on a kernel without kprobes, those accepted through io_uring, by a 32-bit
//  program, or by a call that was in progress when tracing started, and the oldest ones when more than 65,536 are open.
// Cost: One probe per state change of a connection; nothing for data.
// Words: ports

net:close /mine()/ {
	row("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d TX_KB %6d RX_KB %6d MS %d", pid, comm,
		args.local, args.lport, args.remote, args.rport, args.sent / 1KB, args.received / 1KB, took / 1ms);
}
