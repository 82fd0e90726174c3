#!/usr/bin/env fst
// wakeuptime: Who wakes the threads that wait, and how long did they wait?
//
// Topic: CPUs
// Usage: wakeuptime [interval [count]]
// Common: task, time, unit, top
// Reading: TARGET slept for TIME until WAKER woke it: TARGET was waiting for WAKER. Options select the target. TIME is
//  the sum of COUNT sleeps, the longest of which took MAX.
// Example: fst wakeuptime -c postgres -d 10
// Example: fst wakeuptime -p 1234 1
// Misses: Wakeups by interrupts (disks, timers, the network) are shown under the thread that was interrupted:
//  "swapper/0" is an idle CPU. Waits that started before tracing did.
// Cost: Two map updates per sleep, and a lookup per context switch.
// Words: idle, power, wakeups

let @left = lruhash(65536);

rawtracepoint:sched_switch {
	$prev = (struct task_struct *)arg1;
	if (!arg0 && task_state($prev) != 0 && !(task_state($prev) & 0x80) && mine($prev)) {
		@left[(uint64)$prev] = nsecs;
	}
	// Another CPU woke it before it had left.
	delete(@left, (uint64)arg2);
}

rawtracepoint:sched_waking {
	$target = (struct task_struct *)arg0;
	$since = @left[(uint64)$target];
	if ($since) {
		$slept = nsecs - $since;
		@ns[tgid_of($target), str($target->comm), comm] = sum($slept);
		@count[tgid_of($target), str($target->comm), comm] = count();
		@longest[tgid_of($target), str($target->comm), comm] = max($slept);
		delete(@left, (uint64)$target);
	}
}

report {
	table("PID %-7d TARGET %-16s WAKER %-16s TIME %12T COUNT %8d MAX %10T", @ns, @count, @longest);
}
