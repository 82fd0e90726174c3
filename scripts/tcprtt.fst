#!/usr/bin/env fst
// tcprtt: How long are the round-trip times of TCP connections?
//
// Topic: network
// Usage: tcprtt [-r] [interval [count]]
// Option: -r, --remote: one histogram for each remote address
// Common: time, unit, heat
// Reading: The kernel's smoothed round-trip time of the connection at each received packet: [1K, 2K) means 1024 to
//  2047 of the unit.
// Example: fst tcprtt -r -d 10
// Example: fst tcprtt -m 1
// Misses: Packets of connections that are being opened or closed.
// Cost: One probe per received packet, about 100 ns.

rawtracepoint:tcp_probe {
	$sk = (struct sock *)args.sk;
	$rtt = (((struct tcp_sock *)$sk)->srtt_us >> 3) * 1us / unit();
	if (comptime getopt("remote", false)) {
		$remote = remote_addr($sk);
		@rtt[$remote] = hist($rtt);
	} else {
		@rtt[unit_name()] = hist($rtt);
	}
}

report {
	histogram(@rtt);
}
