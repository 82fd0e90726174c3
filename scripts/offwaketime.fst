#!/usr/bin/env fst
// offwaketime: Where do threads wait, and which code wakes them?
//
// Topic: CPUs
// Usage: offwaketime [interval [count]]
// Common: task, stack, time, unit
// Reading: The stack and name of the thread that waited, then the stack and name of the thread that woke it, and the
//  total time of these waits; the longest total comes last.
// Example: fst offwaketime -K -c dd -d 5
// Misses: Wakeups by interrupts are shown under the thread that was interrupted. Waits that started before tracing
//  did. User stacks of programs without frame pointers need --dwarf.
// Cost: Two stack traces per sleep, and a lookup per context switch: select threads with -p or -c.

let @left = lruhash(65536);
// Pairs of stacks are many.
let @waited = percpuhash(16384);

// The event marks threads whose CPU was taken away, also on their way to sleep (TASK_REPORT_MAX).
macro preempted() { args.prev_state & 0x100 }

tracepoint:sched:sched_switch /task_state(curtask) != 0 && !(task_state(curtask) & 0x80) && !preempted() && mine()/ {
	@left[(uint64)curtask] = nsecs;
	@stack[(uint64)curtask] = stacks();
}

// Another CPU woke it before it had left.
rawtracepoint:sched_switch {
	delete(@left, (uint64)arg2);
}

rawtracepoint:sched_waking {
	$target = (uint64)arg0;
	$since = @left[$target];
	if ($since) {
		$waiter = @stack[$target];
		$waker = stacks();
		@waited[$waiter, $waker] = sum((nsecs - $since) / unit());
		delete(@left, $target);
		delete(@stack, $target);
	}
}

report {
	print(@waited);
}
