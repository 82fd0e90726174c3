// What sockets say of themselves.

// local_addr(sk): the address of an IPv4 or IPv6 socket.
macro local_addr(sk) {
	((struct sock *)sk)->__sk_common.skc_family == AF_INET ? ntop(((struct sock *)sk)->__sk_common.skc_rcv_saddr) :
		ntop(((struct sock *)sk)->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8)
}

// remote_addr(sk): the address that an IPv4 or IPv6 socket is connected to.
macro remote_addr(sk) {
	((struct sock *)sk)->__sk_common.skc_family == AF_INET ? ntop(((struct sock *)sk)->__sk_common.skc_daddr) :
		ntop(((struct sock *)sk)->__sk_common.skc_v6_daddr.in6_u.u6_addr8)
}

// local_port(sk), remote_port(sk): their ports.
macro local_port(sk) { ((struct sock *)sk)->__sk_common.skc_num }
macro remote_port(sk) { bswap(((struct sock *)sk)->__sk_common.skc_dport) }

// is_inet(sk): true for an IPv4 or IPv6 socket.
macro is_inet(sk) {
	((struct sock *)sk)->__sk_common.skc_family == AF_INET || ((struct sock *)sk)->__sk_common.skc_family == AF_INET6
}

// socket_of(fd): the socket of a file descriptor of the current process.
macro socket_of(fd) {
	((struct socket *)((struct task_struct *)curtask)->files->fdt->fd[fd]->private_data)->sk
}

// tcp_of(sk): the TCP socket of a socket of MPTCP, which is what programs see of one or more connections: the first one, or
// the one that listens. Other sockets are what they are.
macro tcp_of(sk) {
	let $tcp: uint64 = (uint64)sk;
	if (exists(struct mptcp_sock, first)) {
		if (is_inet(sk) && ((struct sock *)sk)->sk_protocol == IPPROTO_MPTCP && (uint64)((struct mptcp_sock *)sk)->first != 0) {
			$tcp = (uint64)((struct mptcp_sock *)sk)->first;
		}
	}
	(struct sock *)$tcp
}

// tcp_state(n): the name of a state of TCP.
macro tcp_state(n) {
	n == TCP_ESTABLISHED ? "ESTABLISHED" : n == TCP_SYN_SENT ? "SYN_SENT" : n == TCP_SYN_RECV ? "SYN_RECV" :
		n == TCP_FIN_WAIT1 ? "FIN_WAIT1" : n == TCP_FIN_WAIT2 ? "FIN_WAIT2" : n == TCP_TIME_WAIT ? "TIME_WAIT" :
		n == TCP_CLOSE ? "CLOSE" : n == TCP_CLOSE_WAIT ? "CLOSE_WAIT" : n == TCP_LAST_ACK ? "LAST_ACK" :
		n == TCP_LISTEN ? "LISTEN" : n == TCP_CLOSING ? "CLOSING" : "NEW_SYN_RECV"
}
