#!/usr/bin/env fst
// runqlat: How long do threads that could run wait for a CPU?
//
// Usage: runqlat [-mP] [-p PID] [-d SEC] [interval [count]]
// Option: -m, --ms: in milliseconds
// Option: -P, --process: one histogram for each command
// Option: -p, --pid PID: only the thread with this id
// Example: fst runqlat 1 10
// Example: fst runqlat -P
// Misses: Threads that already waited when the probes came, and the first wait of a
//  thread that moves to the run queue without a wakeup event.
// Cost: one map update for each wakeup and one for each switch: visible on machines with
//  more than 100,000 switches a second.

config = { print_maps_on_exit = false }

let @queued = lruhash(65536);

macro unit() { getopt("ms", false) ? 1000000 : 1000 }

begin {
	printf("Tracing run queue latency... Hit Ctrl-C to end.\n");
}

tracepoint:sched:sched_wakeup, tracepoint:sched:sched_wakeup_new
/getopt("pid", 0) == 0 || args.pid == getopt("pid", 0)/
{
	@queued[args.pid] = nsecs;
}

tracepoint:sched:sched_switch
{
	// Still runnable (0) or preempted (the bit above all reported states).
	if ((args.prev_state == 0 || (args.prev_state & 0x100) != 0) && args.prev_pid != 0 &&
		(getopt("pid", 0) == 0 || args.prev_pid == getopt("pid", 0))) {
		@queued[args.prev_pid] = nsecs;
	}
	$since = @queued[args.next_pid];
	if ($since == 0) {
		return;
	}
	$wait = (nsecs - $since) / unit();
	if (getopt("process", false)) {
		@by_comm[str(args.next_comm)] = hist($wait);
	} else {
		@latency = hist($wait);
	}
	delete(@queued, args.next_pid);
}

macro report(@latency, @by_comm) {
	printf("%s : count distribution\n", getopt("ms", false) ? "msecs" : "usecs");
	print(@latency);
	print(@by_comm);
}

interval:s:1
/$1 > 0/
{
	@seconds++;
	if (@seconds >= $1) {
		@seconds = 0;
		time("%H:%M:%S\n");
		report(@latency, @by_comm);
		clear(@latency);
		clear(@by_comm);
		@reports++;
		if ($2 > 0 && @reports >= $2) {
			exit();
		}
	}
}

end {
	// With a count the last report is out already.
	if ($2 == 0 || @reports < $2) {
		report(@latency, @by_comm);
	}
}
