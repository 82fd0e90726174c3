#!/usr/bin/env fst
// undump: What do programs read from the sockets within the machine?
//
// Topic: network
// Usage: undump
// Common: task, time
// Reading: SIZE bytes came from a Unix domain socket, the first of which are DATA. Bytes that are no text are
//  shown as \xNN.
// Example: fst undump -c dbus-daemon
// Misses: More than 1 KB of a message, and all but the first buffer of recvmsg.
// Cost: one pair of probes for each call that reads, of files too: about 200 ns.

macro is_unix(fd) {
	$file = file_of(curtask, fd);
	$file && kind_of($file) == "socket"
}

syscall:read, syscall:recvfrom
/ret > 0 && mine() && is_unix(args.fd)/
{
	row("PID %-7d COMM %-16s SIZE %8d DATA %r", pid, comm, ret, buf(uptr(arg1), ret));
}

syscall:recvmsg
/ret > 0 && mine() && is_unix(args.fd)/
{
	row("PID %-7d COMM %-16s SIZE %8d DATA %r", pid, comm, ret, buf(uptr(args.msg->msg_iov->iov_base), ret));
}
