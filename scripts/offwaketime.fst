#!/usr/bin/env fst
// offwaketime: Where do threads wait, and which code wakes them?
//
// Topic: CPUs
// Usage: offwaketime [interval [count]]
// Common: task, stack, time, unit
// Reading: The stack of the thread that waits and its name, then the stack of the one that woke it and its
//  name, and the time of the waits; the longest sum last.
// Example: fst offwaketime -K -c dd -d 5
// Misses: Interrupts wake in the name of whatever runs then. Waits that had begun before. User stacks of
//  programs without frame pointers need --dwarf.
// Cost: two stacks for each sleep: choose threads with -p or -c.

let @left = lruhash(65536);
// Pairs of stacks are many.
let @waited = percpuhash(16384);

tracepoint:sched:sched_switch /task_state(curtask) != 0 && !(task_state(curtask) & 0x80) && mine()/ {
	@left[tid] = nsecs;
	@stack[tid] = stacks();
}

rawtracepoint:sched_waking {
	$target = ((struct task_struct *)arg0)->pid;
	$since = @left[$target];
	if ($since) {
		@waited[@stack[$target], stacks()] = sum((nsecs - $since) / unit());
		delete(@left, $target);
		delete(@stack, $target);
	}
}

report {
	print(@waited);
}
