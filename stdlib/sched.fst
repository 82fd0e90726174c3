// sched: threads waiting for a CPU, and what they wait for.
//
// Hooks, the same on 5.10, 6.1, 6.12 and 7.2: the raw tracepoints sched_switch, sched_wakeup
// and sched_wakeup_new. All probes run when a thread gets a CPU, in the thread that had it
// before: pid, tid and comm are those of the one that gets it. The idle thread is left out.

// sched:wait: A thread gets a CPU after it had to wait for one.
//
// It waited since it was woken, or since another thread took its CPU away. The sum is what
// /proc/PID/schedstat has as its second number.
probe sched:wait(
	pid: uint32,      // its process
	tid: uint32,      // the thread
	comm: string[16], // its name
	preempted: bool,  // true if another thread had taken its CPU away
	took: uint64,     // ns that it waited
);

// sched:off: A thread gets a CPU again after it had none.
//
// The time is that of a sleep and of the wait for a CPU behind it.
probe sched:off(
	pid: uint32,      // its process
	tid: uint32,      // the thread
	comm: string[16], // its name
	state: string[16], // why: preempted, sleeping, blocked (most often by a disk), other
	took: uint64,     // ns without a CPU
);

macro state_of(task) {
	let $s: uint64 = 0;
	if (exists(struct task_struct, __state)) {
		$s = task->__state;
	} else {
		$s = task->state;
	}
	$s
}

// Since when a thread waits for a CPU, and whether it was preempted.
let @waits = lruhash(65536);
// Since when it has none, and in which state it left.
let @left = lruhash(65536);

rawtracepoint:sched_wakeup, rawtracepoint:sched_wakeup_new {
	@waits[(uint64)args.p->pid] = (nsecs, 0);
}

rawtracepoint:sched_switch {
	$prev = args.prev;
	$next = args.next;
	$now = nsecs;
	if ($prev->pid != 0) {
		if (args.preempt || state_of($prev) == 0) {
			@waits[(uint64)$prev->pid] = ($now, 1);
		}
		@left[(uint64)$prev->pid] = ($now, args.preempt ? 0 : state_of($prev));
	}
	$key = (uint64)$next->pid;
	if ($key != 0) {
		if (@waits[$key].0) {
			fire sched:wait(pid = $next->tgid, tid = $next->pid, comm = str($next->comm), preempted = @waits[$key].1 == 1,
				took = $now - @waits[$key].0);
			delete(@waits, $key);
		}
		if (@left[$key].0) {
			$state = @left[$key].1;
			fire sched:off(pid = $next->tgid, tid = $next->pid, comm = str($next->comm),
				state = $state == 0 ? "preempted" : $state & 1 ? "sleeping" : $state & 2 ? "blocked" : "other",
				took = $now - @left[$key].0);
			delete(@left, $key);
		}
	}
}
