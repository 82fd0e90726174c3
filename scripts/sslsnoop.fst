#!/usr/bin/env fst
// sslsnoop: How long do TLS handshakes, reads and writes take, call by call?
//
// Topic: network
// Usage: sslsnoop
// Common: task, time, unit
// Reading: FUNC is the function of the library, LAT how long the call took. The first read or write on a connection
//  performs the handshake unless another call did. RET is the result of the library: above 0 is success; otherwise the
//  call waits for the network, or failed.
// Example: fst sslsnoop -m
// Example: fst sslsnoop -c curl
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
ucall:libssl:SSL_write_ex,
ucall:libssl:SSL_shutdown /mine()/ {
	row("PID %-7d TID %-7d COMM %-16s LAT %10T RET %6d FUNC %s", pid, tid, comm, took, (int32)retval, func);
}
