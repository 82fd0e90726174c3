#!/usr/bin/env fst
// tcpretrans: Which TCP connections have to send data again?
//
// Topic: network
// Usage: tcpretrans
// Common: time
// Reading: Each line is one packet that was sent again. Some are normal on a network; many to one
//  address mean that packets get lost on the way there.
// Example: fst tcpretrans
// Misses: The process is not shown: timers of the kernel send again, whoever runs.
// Cost: one probe for each packet that is sent again.

tracepoint:tcp:tcp_retransmit_skb
{
	row("LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d STATE %s", local_addr(args.skaddr), args.sport,
		remote_addr(args.skaddr), args.dport, tcp_state(((struct sock *)args.skaddr)->__sk_common.skc_state));
}
