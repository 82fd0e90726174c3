#!/usr/bin/env fst
// tcplife: Which TCP connections end, how long did they last, how much did they carry?
//
// Topic: network
// Usage: tcplife
// Common: task, time
// Reading: TX_KB were sent and confirmed, RX_KB received; MS is the connection's age. Each
//  connection within the machine has two lines, one for each end.
// Example: fst tcplife
// Example: fst tcplife -c curl
// Misses: Connections that were open before (their ends are not shown). Who they belong to is
//  known of the end that connects, and guessed of the other.
// Cost: one probe for each change of a connection's state; nothing for data.

config = { print_maps_on_exit = false }

tracepoint:sock:inet_sock_set_state
/args.newstate < TCP_FIN_WAIT1 && args.protocol == IPPROTO_TCP && !@birth[args.skaddr]/
{
	@birth[args.skaddr] = nsecs;
}

tracepoint:sock:inet_sock_set_state
/args.newstate == TCP_SYN_SENT || args.newstate == TCP_LAST_ACK/
{
	@owner[args.skaddr] = (pid, comm, mine());
}

tracepoint:sock:inet_sock_set_state
/args.newstate == TCP_CLOSE && @birth[args.skaddr]/
{
	$tcp = (struct tcp_sock *)args.skaddr;
	$known = @owner[args.skaddr].1 != "";
	$owner = @owner[args.skaddr];
	if ($known ? $owner.2 : mine()) {
		row("PID %-7d COMM %-16s LADDR %-15s LPORT %-5d RADDR %-15s RPORT %-5d TX_KB %6d RX_KB %6d MS %d",
			$known ? $owner.0 : pid, $known ? $owner.1 : comm, local_addr(args.skaddr), args.sport,
			remote_addr(args.skaddr), args.dport, $tcp->bytes_acked / 1KB, $tcp->bytes_received / 1KB,
			(nsecs - @birth[args.skaddr]) / 1ms);
	}
	delete(@birth, args.skaddr);
	delete(@owner, args.skaddr);
}
