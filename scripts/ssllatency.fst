#!/usr/bin/env fst
// ssllatency: How long do TLS handshakes, reads and writes take, as distributions?
//
// Topic: network
// Usage: ssllatency [interval [count]]
// Common: task, time, unit, top, heat
// Reading: One histogram per function and outcome: [1K, 2K) means 1024 to 2047 of the unit. The table has the total
//  and the average of each. The OUTCOME "waits or fails" stands for calls that returned 0 or less; with non-blocking
//  sockets, most calls of a handshake do. What a call calls itself for its connection (SSL_connect() calls
//  SSL_do_handshake()) is part of it.
// Example: fst ssllatency -d 10
// Misses: Programs that do not use the OpenSSL library (Go, GnuTLS), are statically linked with it, or have a copy of their
//  own (containers, conda).
// Cost: One pair of probes per call, a microsecond or two.
// Instead: tcplife
// Words: HTTPS

// These call others of these functions for the same connection, which are part of them. (A connection through a connection,
// to a proxy, has calls of its own within those of the other.)
let @outermost = lruhash(8192);

uprobe:libssl:SSL_connect,
uprobe:libssl:SSL_accept,
uprobe:libssl:SSL_read_early_data,
uprobe:libssl:SSL_write_early_data /!has_key(@outermost, (tid, (uint64)arg0))/ {
	@outermost[tid, (uint64)arg0] = func;
}

macro add(@latency, @total, @calls) {
	$outcome = (int32)retval > 0 ? "done" : "waits or fails";
	@latency[func, $outcome] = hist(took / unit());
	@total[func, $outcome] = sum(took);
	@calls[func, $outcome] = count();
}

ucall:libssl:SSL_connect,
ucall:libssl:SSL_accept,
ucall:libssl:SSL_read_early_data,
ucall:libssl:SSL_write_early_data {
	if (@outermost[tid, (uint64)arg0] == func) {
		delete(@outermost, (tid, (uint64)arg0));
		if (mine()) {
			add(@latency, @total, @calls);
		}
	}
}

ucall:libssl:SSL_do_handshake,
ucall:libssl:SSL_read,
ucall:libssl:SSL_read_ex,
ucall:libssl:SSL_peek,
ucall:libssl:SSL_peek_ex,
ucall:libssl:SSL_write,
ucall:libssl:SSL_write_ex /mine() && !has_key(@outermost, (tid, (uint64)arg0))/ {
	add(@latency, @total, @calls);
}

// Since OpenSSL 3.0.
ucall:libssl:SSL_sendfile /comptime exists(uprobe:libssl:SSL_sendfile) && mine()/ {
	add(@latency, @total, @calls);
}

report {
	histogram(@latency);
	if (!is_heat()) {
		table("FUNC %-20s OUTCOME %-16s TOTAL %12T COUNT %10d AVG %10T", @total, @calls, @total / @calls);
	}
}
