#!/usr/bin/env fst
// tcpconnect: Which TCP connections are opened from here, how fast, and which fail?
//
// Topic: network
// Usage: tcpconnect [-x]
// Option: -x, --failed: only connections that were refused or gave up
// Common: task, time, unit
// Reading: LAT is the time from connect() to the answer; STATE is ESTABLISHED, or CLOSE for a
//  connection that failed.
// Example: fst tcpconnect
// Example: fst tcpconnect -x
// Misses: Connections that have no answer yet, and those that were begun before.
// Cost: one probe for each change of a connection's state; nothing for data.

config = { print_maps_on_exit = false }

tracepoint:sock:inet_sock_set_state
/args.newstate == TCP_SYN_SENT && args.protocol == IPPROTO_TCP && mine()/
{
	@began[args.skaddr] = (nsecs, pid, comm);
}

tracepoint:sock:inet_sock_set_state
/args.oldstate == TCP_SYN_SENT && @began[args.skaddr].0/
{
	$b = @began[args.skaddr];
	if (!getopt("failed", false) || args.newstate == TCP_CLOSE) {
		row("PID %-7d COMM %-16s SADDR %-15s SPORT %-5d DADDR %-15s DPORT %-5d LAT %8d STATE %s", $b.1, $b.2,
			local_addr(args.skaddr), local_port(args.skaddr), remote_addr(args.skaddr), remote_port(args.skaddr),
			(nsecs - $b.0) / unit(), tcp_state(args.newstate));
	}
	delete(@began, args.skaddr);
}

