#!/usr/bin/env fst
// tcpdrop: Which TCP packets does the kernel throw away, and why?
//
// Topic: network
// Usage: tcpdrop [-K]
// Option: -K, --kernel: with the kernel's stack
// Common: time
// Reading: REASON is the kernel's own, of enum skb_drop_reason; STATE is the connection's.
// Example: fst tcpdrop -K
// Misses: Packets that do not belong to a connection, and those lost by network cards.
//  Before Linux 5.17 the kernel tells no reason, and what it frees in peace is shown, too.
// Cost: one probe for each packet that the kernel frees without use.

tracepoint:skb:kfree_skb {
	$sk = ((struct sk_buff *)args.skbaddr)->sk;
	let $reason: int64 = -1;
	if (exists(enum skb_drop_reason)) {
		$reason = args.reason;
	}
	if ($sk != 0 && is_inet($sk) && $sk->sk_protocol == IPPROTO_TCP && $reason != 0 && $reason != 2) {
		row("SADDR %-15s SPORT %-5d DADDR %-15s DPORT %-5d STATE %-12s REASON %s", local_addr($sk), local_port($sk),
			remote_addr($sk), remote_port($sk), tcp_state($sk->__sk_common.skc_state),
			comptime exists(enum skb_drop_reason) ? (enum skb_drop_reason)$reason : "-");
		if (getopt("kernel", false)) {
			print(kstack);
		}
	}
}
