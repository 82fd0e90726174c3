#!/usr/bin/env fst
// tcpsynbl: How full are the queues of TCP connections that wait to be accepted?
//
// Topic: network
// Usage: tcpsynbl [interval [count]]
// Common: time
// Reading: For each length that a queue may have (the number given to listen()), how many were in it when
//  another connection came. Values at the limit: clients are turned away.
// Example: fst tcpsynbl -d 10
// Misses: Connections that came before.
// Cost: one probe for each connection that comes.
// Instead: tcpaccept

kprobe:tcp_v4_syn_recv_sock, kprobe:tcp_v6_syn_recv_sock {
	$listener = (struct sock *)arg0;
	@backlog[$listener->sk_max_ack_backlog] = hist($listener->sk_ack_backlog);
}

report {
	print(@backlog);
}
