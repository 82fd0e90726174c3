#!/usr/bin/env fst
// tcpdrop: Which TCP packets does the kernel drop, and why?
//
// Topic: network
// Usage: tcpdrop [-K]
// Option: -K, --kernel: with the kernel's stack
// Common: time
// Reading: SADDR and SPORT are the source of the packet, DADDR and DPORT its destination. REASON is the kernel's enum skb_drop_reason; STATE is the
//  state of the packet's connection, or - if the kernel does not report the connection. QUEUE_PURGE, or NOT_SPECIFIED on
//  kernels that lack it, is a packet (also the end of the data, FIN) that no program had taken when its socket was
//  closed; NOT_SPECIFIED is also the FIN of a peer that closes later, which TIME_WAIT has acknowledged;
//  PACKET_SOCK_ERROR is a copy for a program that watches the network (tcpdump) but does not keep up.
// Example: fst tcpdrop -K
// Misses: Packets that are lost by network cards, IP fragments, and packets with IPv6 extension headers. SYN packets
//  that are rejected because a queue is full are not reported as dropped (see tcpsynbl). Before Linux 5.17 the kernel
//  reports no reason, and packets that are freed normally are shown too. STATE of received packets is known since
//  Linux 6.11.
// Cost: One probe per packet that the kernel drops.

// Of a request or TIME_WAIT, the kernel keeps less than a socket. Others may want a packet, too: programs that watch (tcpdump).
macro is_connection(sk) {
	$sock = (struct sock *)sk;
	is_inet($sock) && ($sock->__sk_common.skc_state == TCP_NEW_SYN_RECV || $sock->__sk_common.skc_state == TCP_TIME_WAIT ||
		($sock->sk_protocol == IPPROTO_TCP && $sock->sk_type == SOCK_STREAM))
}

// The packet itself says what it is; the socket does so while the packet is being made.
tracepoint:skb:kfree_skb {
	$skb = (struct sk_buff *)args.skbaddr;
	let $sk: uint64 = (uint64)$skb->sk;
	let $reason: int64 = -1;
	if (exists(enum skb_drop_reason)) {
		$reason = args.reason;
	}
	if (exists(args.rx_sk)) {
		if ($sk == 0) {
			$sk = (uint64)args.rx_sk;
		}
	}
	if ($sk != 0 && !is_connection($sk)) {
		$sk = 0;
	}
	let $from: inet = ntop(0);
	let $to: inet = ntop(0);
	let $sport: uint16 = 0;
	let $dport: uint16 = 0;
	let $is_tcp: bool = false;
	$ip = (uint64)$skb->head + $skb->network_header;
	let $tcp: uint64 = 0;
	if (args.protocol == 0x800 && ((struct iphdr *)$ip)->protocol == IPPROTO_TCP && (((struct iphdr *)$ip)->frag_off & bswap((uint16)0x1fff)) == 0) {
		$from = ntop(((struct iphdr *)$ip)->saddr);
		$to = ntop(((struct iphdr *)$ip)->daddr);
		$tcp = $ip + 4 * ((struct iphdr *)$ip)->ihl;
	} else if (args.protocol == 0x86dd && ((struct ipv6hdr *)$ip)->nexthdr == IPPROTO_TCP) {
		$from = ntop(((struct ipv6hdr *)$ip)->saddr.in6_u.u6_addr8);
		$to = ntop(((struct ipv6hdr *)$ip)->daddr.in6_u.u6_addr8);
		$tcp = $ip + sizeof(struct ipv6hdr);
	}
	if ($tcp != 0) {
		$is_tcp = true;
		$sport = bswap(((struct tcphdr *)$tcp)->source);
		$dport = bswap(((struct tcphdr *)$tcp)->dest);
	} else if (args.protocol == 0 && $sk != 0) {
		$is_tcp = true;
		$from = local_addr($sk);
		$to = remote_addr($sk);
		$sport = local_port($sk);
		$dport = remote_port($sk);
	}
	if ($is_tcp && $reason != 0) {
		row("SADDR %-15s SPORT %-5d DADDR %-15s DPORT %-5d STATE %-12s REASON %s", $from, $sport, $to, $dport,
			$sk ? tcp_state(((struct sock *)$sk)->__sk_common.skc_state) : "-",
			comptime exists(enum skb_drop_reason) ? (enum skb_drop_reason)$reason : "-");
		if (getopt("kernel", false)) {
			print(kstack);
		}
	}
}
