#!/usr/bin/env fst
// tcpsynbl: How full are the queues of TCP connections that wait to be accepted?
//
// Topic: network
// Usage: tcpsynbl [interval [count]]
// Common: time
// Reading: For each length that a queue may have (the number given to listen()), how many were in it when
//  another connection came. Values at the limit took the last place; those above it were turned away.
// Example: fst tcpsynbl -d 10
// Misses: Connections that came before. While a queue is full the kernel drops the SYN packets of new
//  clients, which are not shown (nstat: TcpExtListenOverflows).
// Cost: one probe per incoming connection.
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
