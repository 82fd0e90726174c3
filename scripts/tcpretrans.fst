#!/usr/bin/env fst
// tcpretrans: Which TCP connections retransmit data?
//
// Topic: network
// Usage: tcpretrans
// Common: task, time
// Reading: Each line is one retransmitted packet, SEGS the number of TCP segments in it: their sum is RetransSegs of
//  nstat. A few are normal on a network; many to one address mean that packets are lost on the way. PID opened or
//  accepted the connection. For a retransmitted answer to a connection request (SYN-ACK), STATE is NEW_SYN_RECV and PID
//  is 0. LADDR and LPORT are the address and port of this end, RADDR and RPORT those of the other.
// Example: fst tcpretrans
// Misses: Connections opened before tracing started have PID 0, because retransmissions run in timers. Segments that
//  could not be passed to the network, which RetransSegs counts.
// Cost: One probe per state change of a connection and one per retransmitted packet.

net:retransmit /mine()/ {
	row("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d SEGS %4d STATE %s", pid, comm,
		args.local, args.lport, args.remote, args.rport, args.segments, args.state);
}
