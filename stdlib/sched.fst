// sched: threads waiting for a CPU, and what they wait for.
//
// Hooks, the same on 5.10, 6.1, 6.12 and 7.2: the raw tracepoints sched_switch, sched_wakeup
// and sched_wakeup_new. All probes run when the CPU goes from one thread to another: pid, tid
// and comm are those of the one that the event is about. The idle thread is left out.

// sched:wait: A thread gets a CPU after it had to wait for one.
//
// It waited since it was woken, or since another thread took its CPU away. The sum is what
// /proc/PID/schedstat has as its second number.
probe sched:wait(
	pid: uint32,      // its process
	tid: uint32,      // the thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its control group
	preempted: bool,  // true if another thread had taken its CPU away
	took: uint64,     // ns that it waited
);

// sched:run: A thread leaves the CPU after it ran.
//
// The sum is what /proc/PID/schedstat has as its first number.
probe sched:run(
	pid: uint32,      // its process
	tid: uint32,      // the thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its control group
	took: uint64,     // ns that it ran
);

// sched:off: A thread gets a CPU again after it had none.
//
// The time is that of a sleep and of the wait for a CPU behind it. Of the process that --pid
// asks for, sleeps that began before count from the start, and those that last on count at
// each report up to then.
probe sched:off(
	pid: uint32,      // its process
	tid: uint32,      // the thread
	comm: string[16], // its name
	uid: uint32,      // its user
	cgroup: uint64,   // its control group
	state: string[16], // how it left: preempted, sleeping, blocked (not even a signal wakes it), other
	why: string[12],  // CPU, disk, lock, sleep, network, socket, pipe, terminal, events, child, signal, page fault, kernel, work, other
	call: int64,      // number of the system call that it was in, or -1: syscall_name(args.call)
	file: string[32], // last part of the name of the file that it waited for
	took: uint64,     // ns without a CPU
	queued: uint64,   // ns of it that it only waited for a CPU
);

// Since when a thread waits for a CPU, and whether it was preempted.
let @waits = lruhash(65536);
// Since when it has none, and in which state it left.
let @left = lruhash(65536);
// Since when it has one.
let @runs = lruhash(65536);

macro uid_of(task) { task->cred->uid.val }

macro cgroup_of(task) { task->cgroups->dfl_cgrp->kn->id }

macro state_name(state) {
	state == 0 ? "preempted" : state & 1 ? "sleeping" : state & 2 ? "blocked" : "other"
}

// Sleeps of the process that --pid asks for which began before, and those that are not over at
// a report. Kernels without bpf_loop, before 5.17, can look at 64 threads.
macro most_threads() { comptime exists(struct folio) ? 4096 : 64 }

begin {
	if (comptime getopt("pid", 0, "only this process") != 0) {
		$leader = find_process(getopt("pid", 0));
		$task = (struct task_struct *)$leader;
		for ($i : 0..most_threads()) {
			if ((uint64)$task == 0) {
				break;
			}
			if (task_state($task) != 0) {
				@left[(uint64)$task->pid] = (nsecs, task_state($task));
			}
			$task = (struct task_struct *)next_thread($leader, $task);
		}
	}
}

report {
	if (comptime getopt("pid", 0) != 0) {
		$leader = find_process(getopt("pid", 0));
		$task = (struct task_struct *)$leader;
		for ($i : 0..most_threads()) {
			if ((uint64)$task == 0) {
				break;
			}
			if (task_state($task) != 0) {
				let $since = @left[(uint64)$task->pid];
				let $now = nsecs;
				if ($since.0) {
					let $call = syscall_of($task);
					let $file = file_of($task, fd_of($task, $call));
					fire sched:off(pid = $task->tgid, tid = $task->pid, comm = str($task->comm), uid = uid_of($task),
						cgroup = cgroup_of($task), state = state_name($since.1), why = waits_for($task, $since.1, $call), call = $call,
						file = $file ? file_name($file) : "", took = $now - $since.0, queued = 0);
				}
				@left[(uint64)$task->pid] = ($now, task_state($task));
			}
			$task = (struct task_struct *)next_thread($leader, $task);
		}
	}
}

rawtracepoint:sched_wakeup, rawtracepoint:sched_wakeup_new {
	@waits[(uint64)args.p->pid] = (nsecs, 0);
}

rawtracepoint:sched_switch {
	$prev = args.prev;
	$next = args.next;
	$now = nsecs;
	$key = (uint64)$prev->pid;
	if ($key != 0) {
		$as = args.preempt ? 0 : task_state($prev);
		if ($as == 0) {
			@waits[$key] = ($now, 1);
		}
		if (!($as & 0x80)) {
			// TASK_DEAD: it does not come back.
			@left[$key] = ($now, $as);
		}
		if (@runs[$key]) {
			fire sched:run(pid = $prev->tgid, tid = $prev->pid, comm = str($prev->comm), uid = uid_of($prev), cgroup = cgroup_of($prev),
				took = $now - @runs[$key]);
			delete(@runs, $key);
		}
	}
	$key = (uint64)$next->pid;
	if ($key != 0) {
		@runs[$key] = $now;
		let $queued = @waits[$key].0 ? $now - @waits[$key].0 : 0;
		if ($queued) {
			fire sched:wait(pid = $next->tgid, tid = $next->pid, comm = str($next->comm), uid = uid_of($next), cgroup = cgroup_of($next),
				preempted = @waits[$key].1 == 1, took = $queued);
		}
		if (@left[$key].0) {
			let $state = @left[$key].1;
			let $call = syscall_of($next);
			let $file = file_of($next, fd_of($next, $call));
			fire sched:off(pid = $next->tgid, tid = $next->pid, comm = str($next->comm), uid = uid_of($next), cgroup = cgroup_of($next),
				state = state_name($state), why = waits_for($next, $state, $call), call = $call, file = $file ? file_name($file) : "",
				took = $now - @left[$key].0, queued = $queued);
			delete(@left, $key);
		}
		delete(@waits, $key);
	}
}
