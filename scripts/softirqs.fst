#!/usr/bin/env fst
// softirqs: How long do software interrupts keep the CPUs busy?
//
// Topic: CPUs
// Usage: softirqs [interval [count]]
// Common: time, unit, top
// Reading: TIME is the total for each kind of work (SOFTIRQ; net_rx: received packets, block: completed requests, sched,
//  timer, rcu), MAX the longest single run. Device interrupts that arrive meanwhile are part of it.
// Example: fst softirqs 1
// Misses: Work that drivers do in their own threads.
// Cost: Two probes per run.
// Words: idle, power

macro kind(vec) {
	vec == HI_SOFTIRQ ? "hi" : vec == TIMER_SOFTIRQ ? "timer" : vec == NET_TX_SOFTIRQ ? "net_tx" :
		vec == NET_RX_SOFTIRQ ? "net_rx" : vec == BLOCK_SOFTIRQ ? "block" : vec == IRQ_POLL_SOFTIRQ ? "irq_poll" :
		vec == TASKLET_SOFTIRQ ? "tasklet" : vec == SCHED_SOFTIRQ ? "sched" : vec == HRTIMER_SOFTIRQ ? "hrtimer" : "rcu"
}

tracepoint:irq:softirq_entry {
	@start[cpu] = nsecs;
}

tracepoint:irq:softirq_exit /@start[cpu]/ {
	$took = nsecs - @start[cpu];
	@ns[kind(args.vec)] = sum($took);
	@calls[kind(args.vec)] = count();
	@longest[kind(args.vec)] = max($took);
	delete(@start, cpu);
}

report {
	table("SOFTIRQ %-10s TIME %10T COUNT %9d MAX %9T", @ns, @calls, @longest);
}
