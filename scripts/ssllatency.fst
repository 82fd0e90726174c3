#!/usr/bin/env fst
// ssllatency: How long do TLS handshakes, reads and writes take, as distributions?
//
// Topic: network
// Usage: ssllatency [interval [count]]
// Common: task, time, unit, top, heat
// Reading: One histogram per function and outcome: [1K, 2K) means 1024 to 2047 of the unit. The table has the total
//  and the average of each. The OUTCOME "waits or fails" stands for calls that returned 0 or less; with non-blocking
//  sockets, most calls of a handshake do.
// Example: fst ssllatency -d 10
// Misses: Programs that do not use the OpenSSL library (Go, GnuTLS), or are statically linked with it.
// Cost: One pair of probes per call, a microsecond or two.
// Instead: tcplife
// Words: HTTPS

ucall:libssl:SSL_do_handshake,
ucall:libssl:SSL_connect,
ucall:libssl:SSL_accept,
ucall:libssl:SSL_read,
ucall:libssl:SSL_read_ex,
ucall:libssl:SSL_write,
ucall:libssl:SSL_write_ex /mine()/ {
	$outcome = (int32)retval > 0 ? "done" : "waits or fails";
	@latency[func, $outcome] = hist(took / unit());
	@total[func, $outcome] = sum(took);
	@calls[func, $outcome] = count();
}

report {
	histogram(@latency);
	if (!is_heat()) {
		table("FUNC %-20s OUTCOME %-16s TOTAL %12T COUNT %10d AVG %10T", @total, @calls, @total / @calls);
	}
}
