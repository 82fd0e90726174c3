#!/usr/bin/env fst
// offcputime: Where do threads wait, and for how long?
//
// Topic: CPUs
// Usage: offcputime [--min US] [--max US] [--state STATE] [interval [count]]
// Option: --min US: only waits of at least US microseconds
// Option: --max US: only waits of at most US microseconds
// Option: --state R|S|D|T|I: only waits in this state: R runnable, S sleeping, D uninterruptible (disk, lock), T stopped, I idle
// Common: task, stack, time, unit, heat
// Reading: The time that threads spent off the CPU, for each stack and command: innermost
//  function first, the longest sum last. --heat also shows how long single waits took, in each interval; on the page of
//  -f html, times that are selected in the heat map have their own flame graph.
// Example: fst offcputime -K -d 5
// Example: fst offcputime -p 1234 --min 1000
// Example: fst offcputime -K --state D -d 5
// Example: fst offcputime -d 10 -f folded | flamegraph.pl --countname=us > off.svg
// Example: fst offcputime -c postgres --heat -d 60
// Misses: Waits in progress when tracing starts or ends. User stacks
//  of programs without frame pointers need --dwarf.
// Cost: A stack trace and a map update per context switch of the selected threads: select them with -p or -c on a
//  busy machine.

macro in_state(state) { getopt("state", "") == "" || state_letter(state) == getopt("state", "") }

macro wanted(ns) {
	ns >= getopt("min", 0) * 1us && (getopt("max", 0) == 0 || ns <= getopt("max", 0) * 1us)
}

let @left = lruhash(65536);

rawtracepoint:sched_switch {
	$state = state_off(args.prev, args.preempt, comptime exists(args.prev_state) ? args.prev_state : 0x200);
	// A thread that ends (TASK_DEAD) does not come back.
	if (!is_idle() && !($state & 0x80) && mine() && in_state($state)) {
		@left[(uint64)curtask] = nsecs;
		@stack[(uint64)curtask] = stacks();
	}
	$next = (uint64)args.next;
	$t = @left[$next];
	if ($t != 0) {
		$took = nsecs - $t;
		if (wanted($took)) {
			@off[@stack[$next]] = sum($took / unit());
			if (is_heat()) {
				@waits = hist($took / unit());
			}
		}
		delete(@left, $next);
		delete(@stack, $next);
	}
}

report {
	if (is_heat()) {
		histogram(@waits);
	}
	print(@off);
}
