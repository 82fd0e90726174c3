#!/usr/bin/env fst
// tcpsynbl: How full are the queues of TCP connections that wait to be accepted?
//
// Topic: network
// Usage: tcpsynbl [interval [count]]
// Common: time
// Reading: For each maximum length of a queue (the number passed to listen()): how many connections were in the queue
//  when another one arrived. At the limit, the new connection took the last place; above it, the connection was
//  rejected, and is counted again each time it tries again.
// Example: fst tcpsynbl -d 10
// Misses: Connections that arrived before tracing started. While a queue is full the kernel drops SYN packets of new
//  clients, which are not shown (nstat: TcpExtListenOverflows).
// Cost: One probe per incoming connection.
// Instead: tcpaccept

// IPv4 connections to an IPv6 socket pass both functions.
kprobe:tcp_v4_syn_recv_sock /((struct sock *)arg0)->__sk_common.skc_family == AF_INET/ {
	$listener = (struct sock *)arg0;
	@backlog[$listener->sk_max_ack_backlog] = hist($listener->sk_ack_backlog);
}

kprobe:tcp_v6_syn_recv_sock {
	$listener = (struct sock *)arg0;
	@backlog[$listener->sk_max_ack_backlog] = hist($listener->sk_ack_backlog);
}

report {
	print(@backlog);
}
