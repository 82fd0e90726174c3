#!/usr/bin/env fst
// pidpersec: How many processes and threads are made each second?
//
// Usage: pidpersec [-d SEC]
// Example: fst pidpersec
// Misses: Nothing that the scheduler makes; kernel threads count too.
// Cost: one counter for each new thread.

config = { print_maps_on_exit = false }

begin {
	printf("Tracing new processes... Hit Ctrl-C to end.\n");
}

tracepoint:sched:sched_process_fork {
	@ = count();
}

interval:s:1 {
	time("%H:%M:%S PIDs/sec: ");
	print(@);
	clear(@);
}
