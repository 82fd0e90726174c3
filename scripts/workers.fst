#!/usr/bin/env fst
// workers: Which work does the kernel run in its workers (kworker), and how long does it wait and run?
//
// Topic: CPUs
// Usage: workers [interval [count]]
// Common: time, unit, top
// Reading: For each function: how long its work took, all together, and at most; how long it waited in its
//  queue at most, and how often. Writing back files (wb_workfn), ends of requests and the work of drivers are here.
// Example: fst workers -d 10
// Misses: Work that was queued before. Delayed work counts from when its time had come.
// Cost: three probes for each piece of work, and a map of what waits.
// Also: wqlat

// From here on it waits, also where a queue lets only so much of its work begin (workqueue_activate_work).
tracepoint:workqueue:workqueue_queue_work {
	@queued[args.work] = nsecs;
}

tracepoint:workqueue:workqueue_execute_start {
	@began[args.work] = nsecs;
	if (@queued[args.work]) {
		@waited[ksym(args.function)] = max(nsecs - @queued[args.work]);
		delete(@queued, args.work);
	}
}

tracepoint:workqueue:workqueue_execute_end /@began[args.work]/ {
	$took = nsecs - @began[args.work];
	@time[ksym(args.function)] = sum($took);
	@count[ksym(args.function)] = count();
	@longest[ksym(args.function)] = max($took);
	delete(@began, args.work);
}

report {
	table("FUNCTION %-32s TIME %10T COUNT %8d MAX %10T WAIT-MAX %10T", @time, @count, @longest, @waited);
}
