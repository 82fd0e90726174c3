#!/usr/bin/env fst
// hardirqs: How much CPU time do device interrupts take?
//
// Topic: CPUs
// Usage: hardirqs [interval [count]]
// Common: time, unit, top
// Reading: TIME is the total of all calls of the interrupt's handler, MAX the longest call. COUNT is the number of calls; HARDIRQ is the name of the device or driver.
// Example: fst hardirqs 1
// Misses: Interrupts of the CPUs themselves (timers, calls between CPUs), which have no handler. What a driver does in
//  the thread of its interrupt (irq/NUMBER-NAME): see cpudist -P.
// Cost: Two probes per interrupt.
// Words: idle, power, wakeups

tracepoint:irq:irq_handler_entry {
	@start[cpu] = nsecs;
	@name[cpu] = str(args.name);
}

tracepoint:irq:irq_handler_exit /@start[cpu]/ {
	$took = nsecs - @start[cpu];
	@ns[@name[cpu]] = sum($took);
	@calls[@name[cpu]] = count();
	@longest[@name[cpu]] = max($took);
	delete(@start, cpu);
}

report {
	table("HARDIRQ %-26s TIME %10T COUNT %9d MAX %9T", @ns, @calls, @longest);
}
