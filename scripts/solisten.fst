#!/usr/bin/env fst
// solisten: Which programs begin to listen for connections, where, and which can't?
//
// Topic: network
// Usage: solisten
// Common: task, time
// Reading: ERR is 0, or the error (EADDRINUSE: another program listens there). BACKLOG is how many
//  connections may wait to be accepted.
// Example: fst solisten
// Misses: Programs that listened before, and sockets within the machine (undump).
// Cost: nothing as long as nobody begins to listen.
// Also: bindsnoop

syscall:bind /mine() && errno/ {
	let $sk = socket_of(args.fd);
	if (is_inet($sk)) {
		$to = (struct sockaddr_in *)uptr(args.umyaddr);
		row("PID %-7d COMM %-16s CALL %-6s ERR %-13s ADDRESS %-24s PORT %-5d BACKLOG %d", pid, comm, "bind", (enum errno)errno,
			"", bswap($to->sin_port), 0);
	}
}

syscall:listen /mine()/ {
	let $sk = socket_of(args.fd);
	if (is_inet($sk)) {
		row("PID %-7d COMM %-16s CALL %-6s ERR %-13s ADDRESS %-24s PORT %-5d BACKLOG %d", pid, comm, "listen", (enum errno)errno,
			local_addr($sk), local_port($sk), args.backlog);
	}
}
