#!/usr/bin/env fst
// workers: Which work runs in kernel workers (kworker), and how long does it wait and run?
//
// Topic: CPUs
// Usage: workers [interval [count]]
// Common: time, unit, top
// Reading: For each FUNCTION: the total and the longest time that its work took (TIME, MAX), the longest time that it
//  waited in its queue (WAIT-MAX), and how often it ran (COUNT). Writeback of files (wb_workfn), completion of requests
//  and work of drivers are among them.
// Example: fst workers -d 10
// Misses: Work that was queued before tracing started. Delayed work counts from when it became due.
// Cost: Three probes per piece of work, and a map of pending work.
// Also: wqlat
// Words: idle, power

// From here on it waits, also where a queue lets only so much of its work begin (workqueue_activate_work).
tracepoint:workqueue:workqueue_queue_work {
	@queued[args.work] = nsecs;
}

// Work may be freed by its own function, and its memory be other work before that has ended: a kworker does one at a time.
tracepoint:workqueue:workqueue_execute_start {
	@began[(uint64)curtask] = nsecs;
	if (@queued[args.work]) {
		@waited[ksym(args.function)] = max(nsecs - @queued[args.work]);
		delete(@queued, args.work);
	}
}

tracepoint:workqueue:workqueue_execute_end /@began[(uint64)curtask]/ {
	$took = nsecs - @began[(uint64)curtask];
	@time[ksym(args.function)] = sum($took);
	@count[ksym(args.function)] = count();
	@longest[ksym(args.function)] = max($took);
	delete(@began, (uint64)curtask);
}

report {
	table("FUNCTION %-32s TIME %10T COUNT %8d MAX %10T WAIT-MAX %10T", @time, @count, @longest, @waited);
}
