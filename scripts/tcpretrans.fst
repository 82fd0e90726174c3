#!/usr/bin/env fst
// tcpretrans: Which TCP connections have to send data again?
//
// Topic: network
// Usage: tcpretrans
// Common: task, time
// Reading: Each line is one packet that was sent again, SEGS the TCP segments in it: their sum is that of
//  RetransSegs in nstat. Some are normal on a network; many to one address mean that packets get lost on
//  the way there. PID opened or accepted the connection; STATE is NEW_SYN_RECV, and PID 0, for the answer
//  to a client that asks for a connection.
// Example: fst tcpretrans
// Misses: Connections that were open before have PID 0: timers of the kernel send again, whoever runs.
//  Segments that could not be handed to the network, which RetransSegs counts.
// Cost: one probe for each change of a connection's state and each packet that is sent again.

net:retransmit /mine()/ {
	row("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d SEGS %4d STATE %s", pid, comm,
		args.local, args.lport, args.remote, args.rport, args.segments, args.state);
}
