#!/usr/bin/env fst
// undump: What do programs read from Unix domain sockets?
//
// Topic: network
// Usage: undump
// Common: task, time
// Reading: SIZE bytes were read from a Unix domain socket; DATA are the first of them. Bytes that are not text are
//  shown as \xNN. Peeking at data (MSG_PEEK) is not shown.
// Example: fst undump -c dbus-daemon
// Misses: Data beyond the first 1 KB of a message, all but the first buffer of readv and recvmsg, and what recvmmsg,
//  io_uring, splice and 32-bit programs read.
// Cost: One pair of probes per call that reads, files included: about 200 ns.

macro is_unix(fd) {
	$file = file_of(curtask, fd);
	$file && kind_of($file) == "socket" && socket_of(fd)->__sk_common.skc_family == AF_UNIX
}

// A message may be longer than its buffer: with MSG_TRUNC the result is its own length.
macro show(at, room) {
	$room = room;
	row("PID %-7d COMM %-16s SIZE %8d DATA %r", pid, comm, ret, buf(uptr(at), ret < $room ? ret : $room));
}

macro show(first) {
	$first = first;
	show($first.iov_base, $first.iov_len);
}

syscall:read /ret > 0 && mine() && is_unix(args.fd)/ { show(args.buf, args.count); }

syscall:recvfrom /ret > 0 && !(args.flags & MSG_PEEK) && mine() && is_unix(args.fd)/ {
	show(args.ubuf, args.size);
}

syscall:readv /ret > 0 && mine() && is_unix(args.fd)/ { show(*args.vec); }

syscall:recvmsg /ret > 0 && !(args.flags & MSG_PEEK) && mine() && is_unix(args.fd)/ {
	show(*args.msg->msg_iov);
}
