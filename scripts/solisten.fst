#!/usr/bin/env fst
// solisten: Which programs start to listen for connections, on which addresses, and which fail to?
//
// Topic: network
// Usage: solisten
// Common: task, time
// Reading: ERR is 0 or the error (EADDRINUSE: another program listens there). BACKLOG is how many connections may wait
//  to be accepted, as limited by the kernel (net.core.somaxconn), or the requested value if the call failed. CALL is
//  listen, or bind if that already failed; ADDRESS and PORT are what the program asked for.
// Example: fst solisten
// Misses: Programs that were already listening, and Unix domain sockets (see undump). 32-bit programs, and
//  calls through io_uring (from Linux 6.11 on).
// Cost: Nothing until a program starts to listen.
// Also: bindsnoop
// Words: ports

// EBADF and ENOTSOCK: there is no socket to look at.
syscall:bind /mine() && errno && errno != EBADF && errno != ENOTSOCK/ {
	let $sk = socket_of(args.fd);
	if (is_inet($sk) && $sk->sk_type == SOCK_STREAM) {
		$to = (struct sockaddr_in *)uptr(args.umyaddr);
		row("PID %-7d COMM %-16s CALL %-6s ERR %-13s ADDRESS %-24s PORT %-5d BACKLOG %d", pid, comm, "bind", (enum errno)errno,
			$to->sin_family == AF_INET ? ntop($to->sin_addr.s_addr) : ntop(((struct sockaddr_in6 *)$to)->sin6_addr.in6_u.u6_addr8),
			bswap($to->sin_port), 0);
	}
}

syscall:listen /mine() && errno != EBADF && errno != ENOTSOCK/ {
	let $sk = socket_of(args.fd);
	if (is_inet($sk) && $sk->sk_type == SOCK_STREAM) {
		row("PID %-7d COMM %-16s CALL %-6s ERR %-13s ADDRESS %-24s PORT %-5d BACKLOG %d", pid, comm, "listen", (enum errno)errno,
			local_addr($sk), local_port($sk), errno ? args.backlog : (int32)tcp_of($sk)->sk_max_ack_backlog);
	}
}
