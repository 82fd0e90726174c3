#!/usr/bin/env fst
// tcpstates: Through which states do TCP connections go, and how long do they stay there?
//
// Topic: network
// Usage: tcpstates
// Common: time, unit
// Reading: LAT is how long the connection was in state OLD. If many connections stay in CLOSE_WAIT for long, their
//  program does not close them. SPORT is 0 in the row where a socket becomes
//  SYN_SENT, unless the program has bound it: the kernel chooses the port later. NEW is the state that it enters. SADDR
//  and SPORT are the address and port of this end, DADDR and DPORT those of the other.
// Example: fst tcpstates
// Misses: The duration of the first state that is shown of a connection (0). States after FIN_WAIT2 and TIME_WAIT,
//  which no longer belong to the connection's socket.
// Cost: One probe per state change of a connection; nothing for data.

config = { print_maps_on_exit = false }

let @since = hash(65536);

// close() after shutdown() enters the state again in which the connection is.
tracepoint:sock:inet_sock_set_state /args.protocol == IPPROTO_TCP && args.oldstate != args.newstate/ {
	row("SADDR %-15s SPORT %-5d DADDR %-15s DPORT %-5d OLD %-12s NEW %-12s LAT %9T", local_addr(args.skaddr), args.sport,
		remote_addr(args.skaddr), args.dport, tcp_state(args.oldstate), tcp_state(args.newstate),
		@since[args.skaddr] ? (nsecs - @since[args.skaddr]) : 0);
	if (args.newstate == TCP_CLOSE) {
		delete(@since, args.skaddr);
	} else {
		@since[args.skaddr] = nsecs;
	}
}
