#!/usr/bin/env fst
// sslsnoop: How long do TLS handshakes, reads and writes take, call by call?
//
// Topic: network
// Usage: sslsnoop
// Common: task, time, unit
// Reading: FUNC is the function of the library, LAT how long the call took. The first read or write on a connection
//  performs the handshake unless another call did. What a call calls itself for its connection (SSL_connect() calls
//  SSL_do_handshake()) is part of it. RET is the result of the library: above 0 is success; otherwise the call waits for the
//  network, or failed.
// Example: fst sslsnoop -m
// Example: fst sslsnoop -c curl
// Misses: Programs that do not use the OpenSSL library (Go, GnuTLS), are statically linked with it, or have a copy of their
//  own (containers, conda).
// Cost: One pair of probes per call, a microsecond or two.
// Instead: tcplife
// Words: HTTPS

config = { print_maps_on_exit = false }

// These call others of these functions for the same connection, which are part of them. (A connection through a connection,
// to a proxy, has calls of its own within those of the other.)
let @outermost = lruhash(8192);

uprobe:libssl:SSL_connect,
uprobe:libssl:SSL_accept,
uprobe:libssl:SSL_read_early_data,
uprobe:libssl:SSL_write_early_data /!has_key(@outermost, (tid, (uint64)arg0))/ {
	@outermost[tid, (uint64)arg0] = func;
}

macro show() {
	row("PID %-7d TID %-7d COMM %-16s LAT %10T RET %6d FUNC %s", pid, tid, comm, took, (int32)retval, func);
}

ucall:libssl:SSL_connect,
ucall:libssl:SSL_accept,
ucall:libssl:SSL_read_early_data,
ucall:libssl:SSL_write_early_data {
	if (@outermost[tid, (uint64)arg0] == func) {
		delete(@outermost, (tid, (uint64)arg0));
		if (mine()) {
			show();
		}
	}
}

ucall:libssl:SSL_do_handshake,
ucall:libssl:SSL_read,
ucall:libssl:SSL_read_ex,
ucall:libssl:SSL_peek,
ucall:libssl:SSL_peek_ex,
ucall:libssl:SSL_write,
ucall:libssl:SSL_write_ex,
ucall:libssl:SSL_shutdown /mine() && !has_key(@outermost, (tid, (uint64)arg0))/ {
	show();
}

// Since OpenSSL 3.0.
ucall:libssl:SSL_sendfile /comptime exists(uprobe:libssl:SSL_sendfile) && mine()/ {
	show();
}
