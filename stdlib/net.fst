// net: TCP connections.
//
// Hooks, the same on 5.10, 6.1, 6.12 and 7.2: the raw tracepoints inet_sock_set_state and
// tcp_retransmit_skb, and the functions inet_csk_accept, tcp_sendmsg and tcp_recvmsg.
// Addresses are IPv4 or IPv6.

// net:connect: A TCP connection that this machine asked for is there, or was refused.
//
// pid and comm are of the thread that asked. Connections that were being made when the probes
// came are left out.
probe net:connect(
	local: inet,      // address of this machine
	lport: uint16,    // its port
	remote: inet,     // address of the other
	rport: uint16,    // its port
	failed: bool,     // true if it was refused or not answered
	took: uint64,     // ns from the question to the answer
	pid: uint32,      // process that asked
	comm: string[16], // its name
);

// net:accept: A program took a TCP connection that another machine asked for.
//
// It runs in the thread that took it.
probe net:accept(
	local: inet,      // address of this machine
	lport: uint16,    // its port
	remote: inet,     // address of the other
	rport: uint16,    // its port
);

// net:close: A TCP connection has ended.
//
// pid and comm are of the thread that opened or accepted it; 0 and "" if that was before the
// probes came.
probe net:close(
	local: inet,      // address of this machine
	lport: uint16,    // its port
	remote: inet,     // address of the other
	rport: uint16,    // its port
	sent: uint64,     // bytes that the other has got
	received: uint64, // bytes of payload that came
	took: uint64,     // ns from its beginning; 0 if that is not known
	pid: uint32,      // process that opened it
	comm: string[16], // its name
);

// net:retransmit: A packet of a TCP connection is sent again.
//
// pid and comm are as in net:close.
probe net:retransmit(
	local: inet,      // address of this machine
	lport: uint16,    // its port
	remote: inet,     // address of the other
	rport: uint16,    // its port
	pid: uint32,      // process that opened it
	comm: string[16], // its name
);

// net:send: A program gave data to a TCP connection.
//
// It runs in that thread, when the data is in the connection's buffer.
probe net:send(
	local: inet,      // address of this machine
	lport: uint16,    // its port
	remote: inet,     // address of the other
	rport: uint16,    // its port
	bytes: uint64,    // how many; 0 after an error
	errno: int64,     // error number, or 0
	took: uint64,     // ns
);

// net:receive: A program took data from a TCP connection.
//
// It runs in that thread; the time is that of waiting, too.
probe net:receive(
	local: inet,      // address of this machine
	lport: uint16,    // its port
	remote: inet,     // address of the other
	rport: uint16,    // its port
	bytes: uint64,    // how many; 0 at the end and after an error
	errno: int64,     // error number, or 0
	took: uint64,     // ns
);

macro local_of(sk) {
	let $a = ntop(sk->__sk_common.skc_rcv_saddr);
	if (sk->__sk_common.skc_family == AF_INET6) {
		$a = ntop(sk->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr8);
	}
	$a
}

macro remote_of(sk) {
	let $a = ntop(sk->__sk_common.skc_daddr);
	if (sk->__sk_common.skc_family == AF_INET6) {
		$a = ntop(sk->__sk_common.skc_v6_daddr.in6_u.u6_addr8);
	}
	$a
}

// skc_num is gone when the connection closes.
macro lport_of(sk) { bswap((uint16)((struct inet_sock *)sk)->inet_sport) }

macro rport_of(sk) { bswap((uint16)sk->__sk_common.skc_dport) }

macro sent_by(sk) { ((struct tcp_sock *)sk)->bytes_sent - ((struct tcp_sock *)sk)->bytes_retrans }

// The end of the other's data (FIN) counts as a byte, and sets SOCK_DONE.
macro received_by(sk) {
	((struct tcp_sock *)sk)->bytes_received - ((sk->__sk_common.skc_flags >> SOCK_DONE) & 1)
}

// Who opened a connection, and when.
let @owner = lruhash(65536);
let @asked = lruhash(65536);

// States: 1 established, 2 asked (SYN_SENT), 3 being asked (SYN_RECV), 7 closed.
rawtracepoint:inet_sock_set_state /((struct sock *)args.sk)->sk_protocol == 6/ {
	$sk = (struct sock *)args.sk;
	$key = (uint64)$sk;
	if (args.newstate == 2) {
		// in the thread that asks
		@owner[$key] = (pid, comm, nsecs);
		@asked[$key] = nsecs;
	}
	if (args.oldstate == 2 && @asked[$key] != 0) {
		fire net:connect(local = local_of($sk), lport = lport_of($sk), remote = remote_of($sk), rport = rport_of($sk),
			failed = args.newstate != 1, took = nsecs - @asked[$key], pid = @owner[$key].0, comm = @owner[$key].1);
		delete(@asked, $key);
	}
	if (args.newstate == 7) {
		// Sockets that never were connected, and those that listen, close too.
		if (args.oldstate != 2 && args.oldstate != 3 && args.oldstate != 7 && args.oldstate != 10) {
			fire net:close(local = local_of($sk), lport = lport_of($sk), remote = remote_of($sk), rport = rport_of($sk),
				sent = sent_by($sk), received = received_by($sk),
				took = @owner[$key].2 ? nsecs - @owner[$key].2 : 0, pid = @owner[$key].0, comm = @owner[$key].1);
		}
		delete(@owner, $key);
	}
}

call:inet_csk_accept /retval != 0/ {
	$sk = (struct sock *)retval;
	@owner[(uint64)$sk] = (pid, comm, nsecs);
	fire net:accept(local = local_of($sk), lport = lport_of($sk), remote = remote_of($sk), rport = rport_of($sk));
}

rawtracepoint:tcp_retransmit_skb {
	$sk = (struct sock *)args.sk;
	fire net:retransmit(local = local_of($sk), lport = lport_of($sk), remote = remote_of($sk), rport = rport_of($sk),
		pid = @owner[(uint64)$sk].0, comm = @owner[(uint64)$sk].1);
}

call:tcp_sendmsg {
	$sk = args.sk;
	$ret = (int64)retval;
	fire net:send(local = local_of($sk), lport = lport_of($sk), remote = remote_of($sk), rport = rport_of($sk),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}

call:tcp_recvmsg {
	$sk = args.sk;
	$ret = (int64)retval;
	fire net:receive(local = local_of($sk), lport = lport_of($sk), remote = remote_of($sk), rport = rport_of($sk),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}
