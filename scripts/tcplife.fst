#!/usr/bin/env fst
// tcplife: Which TCP connections end, how long did they last, how much did they carry?
//
// Topic: network
// Usage: tcplife
// Common: task, time
// Reading: TX_KB is the data that the other end has acknowledged, RX_KB what came, read or not; neither
//  counts what was lost with a reset. MS is the connection's age since connect() or, at the other end,
//  since it was established. Each connection within the machine has two lines, one for each end. PID
//  opened or accepted it, also if another process closes it.
// Example: fst tcplife
// Example: fst tcplife -c curl
// Misses: Connections that were open before have PID 0 and no age. Those that nobody accepts, or
//  io_uring or a 32-bit program does, have PID 0, too.
// Cost: one probe for each change of a connection's state; nothing for data.

net:close /mine()/ {
	row("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d TX_KB %6d RX_KB %6d MS %d", pid, comm,
		args.local, args.lport, args.remote, args.rport, args.sent / 1KB, args.received / 1KB, took / 1ms);
}
