// net: TCP connections.
//
// Hooks, the same on 5.10, 6.1, 6.12 and 7.2: the raw tracepoints inet_sock_set_state,
// tcp_retransmit_skb and tcp_retransmit_synack, the functions inet_csk_accept and security_sock_graft, and for
// net:send and net:receive the functions tcp_sendmsg, tcp_sendpage (before Linux 6.5), tcp_recvmsg and
// tcp_splice_read. A kernel without kprobes has the system calls accept and accept4 instead of
// inet_csk_accept: there, connections that are accepted through io_uring, by 32-bit programs or by calls
// that were in progress when tracing started have no process. Addresses are IPv4 or IPv6. The owners of 65,536
// connections are kept.

// net:connect: An outgoing TCP connection was established or failed.
//
// pid and comm are those of the thread that called connect(). Connections in progress when tracing
// started are left out, and calls that fail for want of a route (ENETUNREACH). One for which there is no free port
// (EADDRNOTAVAIL) has failed; lport is 0 unless the program chose the port.
probe net:connect(
	local: inet,      // local address
	lport: uint16,    // its port
	remote: inet,     // remote address
	rport: uint16,    // its port
	failed: bool,     // true if it was refused, timed out or was given up
	took: uint64,     // ns from connect() to the answer
	pid: uint32,      // process that called connect()
	tid: uint32,      // the thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its cgroup
) witness("/proc/net/snmp: Tcp: * * * * %d", "no answer has arrived yet: tracepoint:sock:inet_sock_set_state sees the attempts");

// net:accept: A program accepted a TCP connection.
//
// It runs in the accepting thread, which may be one of io_uring's.
probe net:accept(
	local: inet,     // local address
	lport: uint16,   // its port
	remote: inet,    // remote address
	rport: uint16,   // its port
	waiting: uint32, // other connections waiting to be accepted
	limit: uint32,   // maximum number of waiting connections
);

// net:close: A TCP connection has ended.
//
// pid and comm are those of the thread that opened or accepted it; 0 and "" if that was before
// tracing started.
probe net:close(
	local: inet,      // local address
	lport: uint16,    // its port
	remote: inet,     // remote address
	rport: uint16,    // its port
	sent: uint64,     // bytes of payload that the peer acknowledged
	received: uint64, // bytes of payload received, read or not
	took: uint64,     // ns since connect() or, on the accepting side, since it could be accepted; 0 if unknown
	pid: uint32,      // process that opened it
	tid: uint32,      // the thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its cgroup
);

// net:retransmit: A packet of a TCP connection is retransmitted.
//
// pid and comm are as in net:close. The segments are those of /proc/net/snmp (RetransSegs), minus those that
// could not be passed to the network.
probe net:retransmit(
	local: inet,       // local address
	lport: uint16,     // its port
	remote: inet,      // remote address
	rport: uint16,     // its port
	state: string[16], // state of the connection: ESTABLISHED, SYN_SENT, NEW_SYN_RECV (a SYN-ACK), ...
	segments: uint32,  // TCP segments in it: the network card splits large packets
	pid: uint32,       // process that opened it
	tid: uint32,       // the thread
	comm: string[16],  // its name
	uid: uint32,       // its user
	cgroup: uint64,    // its cgroup
) witness("/proc/net/snmp: Tcp: * * * * * * * * * * * %d", "segments that could not be passed to the network are not included");

// net:send: A program wrote data to a TCP connection.
//
// It runs in that thread, when the data is in the socket's buffer.
probe net:send(
	local: inet,   // local address
	lport: uint16, // its port
	remote: inet,  // remote address
	rport: uint16, // its port
	bytes: uint64, // number of bytes; 0 after an error
	errno: int64,  // error number, or 0
	took: uint64,  // ns
);

// net:receive: A program read data from a TCP connection.
//
// It runs in that thread; the time includes waiting. Peeking (MSG_PEEK) is not included.
probe net:receive(
	local: inet,   // local address
	lport: uint16, // its port
	remote: inet,  // remote address
	rport: uint16, // its port
	bytes: uint64, // number of bytes; 0 at the end and after an error
	errno: int64,  // error number, or 0
	took: uint64,  // ns
);

// skc_num is gone when the connection closes.
macro lport_of(sk) { bswap((uint16)((struct inet_sock *)sk)->inet_sport) }

// A socket that was accepted has the interface of its first packet as the one for multicast, which nobody sets for TCP.
macro was_accepted(sk) {
	(((struct sock *)sk)->__sk_common.skc_family == AF_INET ? ((struct inet_sock *)sk)->mc_index :
		((struct inet_sock *)sk)->pinet6->mcast_oif) != 0
}

// The kernel counts the SYN of the side that connects, and a FIN, which was sent unless the state was ESTABLISHED (1) or
// CLOSE_WAIT (8).
macro sent_by(sk, state) {
	$tcp = (struct tcp_sock *)sk;
	$ends = (was_accepted(sk) ? 0 : 1) + (state != 1 && state != 8 && $tcp->snd_una == $tcp->write_seq ? 1 : 0);
	$tcp->bytes_acked > $ends ? $tcp->bytes_acked - $ends : 0
}

// The end of the other's data (FIN) counts as a byte, and sets SOCK_DONE.
macro received_by(sk) {
	((struct tcp_sock *)sk)->bytes_received - ((sk->__sk_common.skc_flags >> SOCK_DONE) & 1)
}

// Who opened a connection, when it began, and when it was asked for if there is no answer yet.
let @owner = lruhash(65536);
let @began = lruhash(65536);
let @asked = lruhash(65536);

// What a thread accepted last.
let @accepted = lruhash(65536);

macro is_tcp(sk) { is_inet(sk) && ((struct sock *)sk)->sk_protocol == IPPROTO_TCP }

// States: 1 established, 2 asked (SYN_SENT), 3 being asked (SYN_RECV), 7 closed. A socket that is connected to itself goes through
// 2 and 3.
rawtracepoint:inet_sock_set_state /((struct sock *)args.sk)->sk_protocol == 6/ {
	$sk = (struct sock *)args.sk;
	$key = (uint64)$sk;
	if (args.newstate == 2) {
		// in the thread that asks
		@owner[$key] = (pid, comm, tid, uid, cgroup);
		@began[$key] = nsecs;
		@asked[$key] = nsecs;
	}
	if (args.oldstate == 10 && args.newstate == 3) {
		// One that was reset before it was accepted got its owner after its end: the memory may be that of another one now.
		delete(@owner, $key);
		delete(@asked, $key);
		@began[$key] = nsecs;
	}
	// From another state, an event was skipped, which is reported: it is not known when the answer came.
	if ((args.oldstate == 2 || args.oldstate == 3) && args.newstate != 3 && @asked[$key] != 0) {
		fire net:connect(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
			failed = args.newstate != 1, took = nsecs - @asked[$key], pid = @owner[$key].0, tid = @owner[$key].2, comm = @owner[$key].1,
			uid = @owner[$key].3, cgroup = @owner[$key].4);
		delete(@asked, $key);
	}
	if (args.newstate == 7) {
		// Sockets that never were connected, and those that listen, close too. By fast open, a program can accept one in state 3.
		if (args.oldstate != 2 && args.oldstate != 7 && args.oldstate != 10 &&
			(args.oldstate != 3 || was_accepted($sk) && @owner[$key].0 != 0)) {
			fire net:close(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
				sent = sent_by($sk, args.oldstate), received = received_by($sk),
				took = @began[$key] ? nsecs - @began[$key] : 0, pid = @owner[$key].0, tid = @owner[$key].2, comm = @owner[$key].1,
				uid = @owner[$key].3, cgroup = @owner[$key].4);
		}
		delete(@owner, $key);
		delete(@began, $key);
	}
}

// For MPTCP, both are the sockets of TCP.
call:inet_csk_accept /comptime exists(kprobe:inet_csk_accept) && retval != 0 && is_tcp(retval)/ {
	$sk = (struct sock *)retval;
	@owner[(uint64)$sk] = (pid, comm, tid, uid, cgroup);
	@accepted[tid] = (uint64)$sk;
	fire net:accept(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
		waiting = args.sk->sk_ack_backlog, limit = args.sk->sk_max_ack_backlog);
}

// The next function that gets the socket: for a thread that already waited in accept() when tracing started, whose call has no
// return. The listening socket is that of the system call, the first argument. io_uring does not wait in the call.
fentry:security_sock_graft | kprobe:security_sock_graft /comptime exists(kprobe:security_sock_graft) && is_inet(args.sk)/ {
	$sk = tcp_of(args.sk);
	if (is_tcp($sk) && @accepted[tid] != (uint64)$sk) {
		@owner[(uint64)$sk] = (pid, comm, tid, uid, cgroup);
		$call = syscall_of(curtask);
		if ($call == __NR_accept || $call == __NR_accept4) {
			$listener = tcp_of(socket_of((int32)((struct pt_regs *)entry_regs(curtask))->di));
			fire net:accept(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
				waiting = $listener->sk_ack_backlog, limit = $listener->sk_max_ack_backlog);
		}
	}
}

syscall:accept, syscall:accept4 /comptime !exists(kprobe:inet_csk_accept) && ret >= 0/ {
	$sk = tcp_of(socket_of(ret));
	if (is_tcp($sk)) {
		$listener = tcp_of(socket_of(args.fd));
		@owner[(uint64)$sk] = (pid, comm, tid, uid, cgroup);
		fire net:accept(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
			waiting = $listener->sk_ack_backlog, limit = $listener->sk_max_ack_backlog);
	}
}

rawtracepoint:tcp_retransmit_skb {
	let $failed: int32 = 0;
	if (exists(args.err)) {
		$failed = args.err;
	}
	if ($failed == 0) {
		$sk = (struct sock *)args.sk;
		$key = (uint64)$sk;
		fire net:retransmit(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
			state = tcp_state($sk->__sk_common.skc_state), segments = ((struct tcp_skb_cb *)args.skb->cb)->tcp_gso_segs,
			pid = @owner[$key].0, tid = @owner[$key].2, comm = @owner[$key].1, uid = @owner[$key].3, cgroup = @owner[$key].4);
	}
}

// A connection request (struct request_sock) begins like a socket.
rawtracepoint:tcp_retransmit_synack {
	$request = (struct sock *)args.req;
	fire net:retransmit(local = local_addr($request), lport = local_port($request), remote = remote_addr($request), rport = remote_port($request),
		state = "NEW_SYN_RECV", segments = 1, pid = 0, tid = 0, comm = "", uid = 0, cgroup = 0);
}

call:tcp_sendmsg {
	$sk = args.sk;
	$ret = (int64)retval;
	fire net:send(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}

// sendfile() and splice() call tcp_sendmsg from Linux 6.5 on.
call:tcp_sendpage /comptime exists(kprobe:tcp_sendpage)/ {
	$sk = args.sk;
	$ret = (int64)retval;
	fire net:send(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}

// Of flags, MSG_PEEK looks only, and MSG_ERRQUEUE (0x2000) asks for errors and time stamps.
call:tcp_recvmsg /!(args.flags & (MSG_PEEK | 0x2000))/ {
	$sk = args.sk;
	$ret = (int64)retval;
	fire net:receive(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}

// splice() from a connection.
call:tcp_splice_read {
	$sk = args.sock->sk;
	$ret = (int64)retval;
	fire net:receive(local = local_addr($sk), lport = lport_of($sk), remote = remote_addr($sk), rport = remote_port($sk),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}
