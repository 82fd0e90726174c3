// sched: scheduling of threads: waits for a CPU, time on a CPU, sleeps and their reasons.
//
// Hooks, the same on 5.10, 6.1, 6.12 and 7.2: the raw tracepoints sched_switch, sched_wakeup
// and sched_wakeup_new. All probes run at context switches: pid, tid
// and comm are those of the thread that the event is about. The idle thread is left out.

// sched:wait: A thread gets a CPU after waiting for one.
//
// The wait began when the thread was woken, preempted, or gave up the CPU. The sum is the
// second number in /proc/PID/schedstat. A thread whose cgroup has used up its quota (cpu.max) waits, too. For the
// process selected by -p, waits that began earlier count from the start of tracing, and waits in progress count at
// each report up to that moment.
probe sched:wait(
	pid: uint32,       // its process
	tid: uint32,       // the thread
	comm: string[16],  // its name
	uid: uint32,       // its user
	cgroup: uint64,    // its cgroup
	preempted: bool,   // true if it had been preempted
	yielded: bool,     // true if it had given up the CPU by sched_yield(), or was preempted while returning from that call
	in_progress: bool, // true at a report, for a thread that still waits
	took: uint64,      // ns waited
) witness("/proc/stat: ctxt %d", "context switches happened nevertheless: tracepoint:sched:sched_switch sees each");

// sched:run: A thread leaves the CPU after it ran.
//
// The sum is the first number in /proc/PID/schedstat. For the process selected by -p, threads that already ran count
// from the start of tracing, and those that still run count at each report up to that moment.
probe sched:run(
	pid: uint32,       // its process
	tid: uint32,       // the thread
	comm: string[16],  // its name
	uid: uint32,       // its user
	cgroup: uint64,    // its cgroup
	in_progress: bool, // true at a report, for a thread that still runs
	took: uint64,      // ns on the CPU
) witness("/proc/stat: ctxt %d", "context switches happened nevertheless: tracepoint:sched:sched_switch sees each");

// sched:off: A thread gets a CPU again after it was off the CPU.
//
// The time includes the sleep and the wait for a CPU after it. For the process selected by -p,
// sleeps that began earlier count from the start of tracing, and sleeps in progress count at
// each report up to that moment.
probe sched:off(
	pid: uint32,       // its process
	tid: uint32,       // the thread
	comm: string[16],  // its name
	uid: uint32,       // its user
	cgroup: uint64,    // its cgroup
	state: string[16], // state in which it left the CPU: preempted, sleeping, blocked (uninterruptible), other
	why: string[12],   // CPU, disk, lock, sleep, network, socket, pipe, terminal, queue, events, child, signal, stopped, page fault, kernel, work, other
	call: int64,       // number of its system call, or -1 (also for 32-bit programs): syscall_name(args.call)
	file: string[32],  // last component of the path of the file that it waited for
	stack,             // kernel stack where it waited; empty for waits that started before tracing did
	took: uint64,      // ns off the CPU
	queued: uint64,    // part of it spent waiting for a CPU, in ns
) witness("/proc/stat: ctxt %d", "context switches happened nevertheless: tracepoint:sched:sched_switch sees each");

// All maps have the threads' task_structs for keys: a thread that executes a program takes the id of its process.

// Since when a thread waits for a CPU, and why: 0 woken, 1 preempted, 2 by sched_yield(), 3 it waited before.
let @waits = lruhash(65536);
// Since when it has none, and in which state it left.
let @left = lruhash(65536);
// Where it waits. Only for those that --pid asks for, or for all.
let @where = lruhash(65536);
// Since when it has one.
let @runs = lruhash(65536);
// The system call that a signal, or a stop, interrupted: it goes on as restart_syscall.
let @interrupted = lruhash(65536);

macro uid_of(task) { task->cred->uid.val }

macro cgroup_of(task) { task->cgroups->dfl_cgrp->kn->id }

macro state_name(state) {
	state == 0 ? "preempted" : state & 1 ? "sleeping" : state & 2 ? "blocked" : "other"
}

// Why a thread sleeps in a system call, and those that work on a file, which says why.
let @why = hash(64);
let @on_file = hash(64);

begin {
	@why[__NR_futex] = "lock";
	@why[__NR_futex_wait] = "lock";
	@why[__NR_futex_waitv] = "lock";
	@why[__NR_flock] = "lock";
	@why[__NR_fcntl] = "lock";
	@why[__NR_semop] = "lock";
	@why[__NR_semtimedop] = "lock";
	@why[__NR_msgrcv] = "queue";
	@why[__NR_msgsnd] = "queue";
	@why[__NR_mq_timedreceive] = "queue";
	@why[__NR_mq_timedsend] = "queue";
	@why[__NR_wait4] = "child";
	@why[__NR_waitid] = "child";
	@why[__NR_vfork] = "child";
	@why[__NR_clone] = "child";
	@why[__NR_clone3] = "child";
	@why[__NR_nanosleep] = "sleep";
	@why[__NR_clock_nanosleep] = "sleep";
	@why[__NR_pause] = "signal";
	@why[__NR_rt_sigsuspend] = "signal";
	@why[__NR_rt_sigtimedwait] = "signal";
	@why[__NR_poll] = "events";
	@why[__NR_ppoll] = "events";
	@why[__NR_select] = "events";
	@why[__NR_pselect6] = "events";
	@why[__NR_io_getevents] = "disk";
	@why[__NR_io_pgetevents] = "disk";
	@why[__NR_sync] = "disk";
}

begin {
	@on_file[__NR_read] = 1;
	@on_file[__NR_write] = 1;
	@on_file[__NR_pread64] = 1;
	@on_file[__NR_pwrite64] = 1;
	@on_file[__NR_readv] = 1;
	@on_file[__NR_writev] = 1;
	@on_file[__NR_preadv] = 1;
	@on_file[__NR_pwritev] = 1;
	@on_file[__NR_preadv2] = 1;
	@on_file[__NR_pwritev2] = 1;
	@on_file[__NR_fsync] = 1;
	@on_file[__NR_fdatasync] = 1;
	@on_file[__NR_syncfs] = 1;
	@on_file[__NR_sync_file_range] = 1;
	@on_file[__NR_ftruncate] = 1;
	@on_file[__NR_fallocate] = 1;
	@on_file[__NR_copy_file_range] = 1;
	@on_file[__NR_sendfile] = 1;
	@on_file[__NR_splice] = 1;
	@on_file[__NR_vmsplice] = 1;
	@on_file[__NR_tee] = 1;
	@on_file[__NR_getdents64] = 1;
	@on_file[__NR_ioctl] = 1;
	@on_file[__NR_flock] = 1;
	@on_file[__NR_fcntl] = 1;
	@on_file[__NR_accept] = 1;
	@on_file[__NR_accept4] = 1;
	@on_file[__NR_connect] = 1;
	@on_file[__NR_recvfrom] = 1;
	@on_file[__NR_recvmsg] = 1;
	@on_file[__NR_recvmmsg] = 1;
	@on_file[__NR_sendto] = 1;
	@on_file[__NR_sendmsg] = 1;
	@on_file[__NR_sendmmsg] = 1;
	@on_file[__NR_epoll_wait] = 1;
	@on_file[__NR_epoll_pwait] = 1;
	@on_file[__NR_epoll_pwait2] = 1;
	@on_file[__NR_io_uring_enter] = 1;
}

macro regs_of(task) { (struct pt_regs *)entry_regs(task) }

// is_stopped(task, state): by a signal, a debugger, or because its cgroup is frozen.
macro is_stopped(task, state) {
	let $stopped: bool = (state & 0x800c) != 0; // also TASK_FROZEN
	if (!exists(struct maple_tree)) {
		// PF_FROZEN: before Linux 6.1 it is in uninterruptible sleep.
		$stopped = $stopped || (task->flags & 0x10000) != 0;
	}
	if (exists(struct task_struct, frozen)) {
		// Those that wait for a child of vfork() are marked so, too; no signal ends their sleep.
		$stopped = $stopped || state & 1 && task->frozen;
	}
	$stopped
}

// call_off(task, state): the system call that a thread sleeps in, or -1.
macro call_off(@interrupted, task, state) {
	let $call: int64 = is_stopped(task, state) ? -1 : syscall_of(task);
	if ($call == __NR_restart_syscall && has_key(@interrupted, (uint64)task)) {
		$call = @interrupted[(uint64)task];
	}
	$call
}

// file_for(task, call): the struct file that a system call is for, or 0. One of the files of splice() is a pipe: with data for
// the other file, or with no room for what comes from there, it waits for that file.
macro file_for(@on_file, task, call) {
	let $file: uint64 = @on_file[call] ? file_of(task, (int64)regs_of(task)->di) : 0;
	if (call == __NR_splice && $file) {
		let $other: uint64 = file_of(task, (int64)regs_of(task)->dx);
		let $from: bool = kind_of($file) == "pipe";
		$pipe = (struct pipe_inode_info *)((struct file *)($from ? $file : $other))->private_data;
		if ($from ? $pipe->head != $pipe->tail : $pipe->head - $pipe->tail >= $pipe->max_usage) {
			$file = $other;
		}
	}
	$file
}

// waits_for_inode(task, file): it waits for the lock of the file's inode, which others hold while they write, and not for the
// disk. The first 64 that wait for it are searched; a kernel with PREEMPT_RT has no such list.
macro waits_for_inode(task, file) {
	let $waits = false;
	if (comptime exists(struct rwsem_waiter)) {
		$lock = &((struct file *)file)->f_inode->i_rwsem;
		let $head: uint64 = 0;
		let $first: uint64 = 0;
		if (comptime exists(struct rw_semaphore, first_waiter)) {
			$first = (uint64)$lock->first_waiter; // since Linux 7.1
		} else {
			$head = (uint64)&$lock->wait_list;
			$first = (uint64)$lock->wait_list.next;
		}
		$waiter = (struct rwsem_waiter *)$first;
		for ($i : 0..64) {
			if ((uint64)$waiter == $head) {
				break;
			}
			if ((uint64)$waiter->task == (uint64)task) {
				$waits = true;
				break;
			}
			$waiter = (struct rwsem_waiter *)$waiter->list.next;
			if ((uint64)$waiter == $first) {
				break;
			}
		}
	}
	$waits
}

// why_off(task, state, call, file): why a thread that left the CPU in this state has none.
macro why_off(@why, task, state, call, file) {
	let $why: string[12] = state & 2 ? "kernel" : "other";
	if (state == 0) {
		$why = "CPU";
	} else if (is_stopped(task, state)) {
		$why = "stopped";
	} else if (task->in_iowait && call != __NR_io_uring_enter) {
		// Some kernels mark those so that wait for a ring of io_uring, whatever it is that they wait for.
		$why = "disk";
	} else if (call == -1 && is_compat(task)) {
		$why = "other";
	} else if (call == -1) {
		$why = task->mm != 0 ? "page fault" : state == 2 ? "kernel" : "work";
	} else if (call == __NR_poll && regs_of(task)->si == 0 || call == __NR_ppoll && regs_of(task)->si == 0 || call == __NR_select && regs_of(task)->di == 0 || call == __NR_pselect6 && regs_of(task)->di == 0) {
		// They wait for no file, but for the time.
		$why = "sleep";
	} else if (has_key(@why, call)) {
		$why = @why[call];
	} else if (file) {
		$why = kind_of(file);
		if ($why == "disk" && state & 2 && waits_for_inode(task, file)) {
			$why = "kernel";
		}
	}
	$why
}

// has_cpu(task): it runs on a CPU now.
macro has_cpu(task) {
	let $has: bool = true;
	if (exists(struct task_struct, on_cpu)) {
		$has = task->on_cpu != 0;
	} else {
		// A kernel for one CPU: the running thread is this one.
		$has = (uint64)task == (uint64)curtask;
	}
	$has
}

// What threads of the process that --pid asks for did before, and what is not over at a report. Kernels without
// bpf_loop, before 5.17, can look at 64 threads, or 16 whose numbers take a loop each: their verifier follows each turn.
macro most_threads() { comptime exists(struct folio) ? 4096 : comptime pidns == 0 ? 64 : 16 }

// since(now, at): the time from at to now, both taken by the clock; another CPU may have taken at a moment later.
macro since(now, at) { at && now > at ? now - at : 0 }

// Nothing is lost and nothing counts twice: the events are seen already, and what they have told of a thread is newer. The clock
// is read first, so that what comes in between is later. @found has what was found in @runs: on_cpu changes a little behind the
// event of a switch, so a thread on its way to or from a CPU is put right at its next one.
self:attached {
	if (comptime getopt("pid", 0, "only this process") != 0) {
		$leader = find_process(getopt("pid", 0));
		$task = (struct task_struct *)$leader;
		for ($i : 0..most_threads()) {
			if ((uint64)$task == 0) {
				break;
			}
			let $key = (uint64)$task;
			let $now = nsecs;
			let $state = task_state($task);
			if (has_cpu($task)) {
				if (!has_key(@runs, $key)) {
					@found[$key] = $now;
					@runs[$key] = $now;
				}
			} else if (!($state & 0x80)) {
				if (!has_key(@left, $key)) {
					@left[$key] = ($now, $state);
				}
				if ($state == 0 && !has_key(@waits, $key)) {
					@waits[$key] = ($now, 3);
				}
			}
			$task = (struct task_struct *)next_thread($leader, $task);
		}
	}
}

// A thread runs, or has left its CPU, whichever is the later. What is counted up to now is taken out of the map first: the
// thread may be switched meanwhile, and that it was in the map tells whose it is to count.
report {
	if (comptime getopt("pid", 0) != 0) {
		let $pid = (uint32)getopt("pid", 0);
		$leader = find_process($pid);
		$task = (struct task_struct *)$leader;
		for ($i : 0..most_threads()) {
			if ((uint64)$task == 0) {
				break;
			}
			let $key = (uint64)$task;
			let $ran = @runs[$key];
			let $left = @left[$key];
			let $now = nsecs;
			if ($ran > $left.0) {
				if (delete(@runs, $key)) {
					fire sched:run(pid = $pid, tid = tid_of($task), comm = str($task->comm), uid = uid_of($task),
						cgroup = cgroup_of($task), in_progress = true, took = since($now, $ran));
					@runs[$key] = $now;
					if (@left[$key].0 > $ran) {
						delete(@runs, $key);
					}
				}
			} else {
				let $wait = @waits[$key];
				let $queued = since($now, $wait.0);
				if ($queued && delete(@waits, $key)) {
					fire sched:wait(pid = $pid, tid = tid_of($task), comm = str($task->comm), uid = uid_of($task),
						cgroup = cgroup_of($task), preempted = $wait.1 == 1, yielded = $wait.1 == 2, in_progress = true, took = $queued);
					@waits[$key] = ($now, $wait.1);
				}
				if (delete(@left, $key)) {
					let $call = call_off(@interrupted, $task, $left.1);
					let $file = file_for(@on_file, $task, $call);
					fire sched:off(pid = $pid, tid = tid_of($task), comm = str($task->comm), uid = uid_of($task),
						cgroup = cgroup_of($task), state = state_name($left.1), why = why_off(@why, $task, $left.1, $call, $file), call = $call,
						file = $file ? file_name($file) : "", stack = @where[$key], took = since($now, $left.0), queued = $queued);
					@left[$key] = ($now, $left.1);
					if (@runs[$key] > $left.0) {
						delete(@left, $key);
					}
				}
			}
			$task = (struct task_struct *)next_thread($leader, $task);
		}
	}
}

// Before the wakeups, for clauses are attached in this order: a thread that is woken, runs and sleeps again while only wakeups are
// seen would wait for a CPU until it is woken once more.
rawtracepoint:sched_switch {
	$prev = args.prev;
	$next = args.next;
	$now = nsecs;
	$key = (uint64)$prev;
	if ($prev->pid != 0) {
		$as = state_off($prev, args.preempt, comptime exists(args.prev_state) ? args.prev_state : 0x200);
		if ($as == 0) {
			@waits[$key] = ($now, !args.preempt && syscall_of($prev) == __NR_sched_yield ? 2 : 1);
		} else {
			delete(@waits, $key); // of a wakeup while it ran
		}
		if (!($as & 0x80)) {
			// TASK_DEAD: it does not come back.
			@left[$key] = ($now, $as);
			if (comptime (getopt("pid", 0) == 0) || tgid_of($prev) == getopt("pid", 0)) {
				@where[$key] = kstack;
			}
		}
		if (@runs[$key]) {
			let $ran = @runs[$key];
			if (delete(@runs, $key)) {
				fire sched:run(pid = tgid_of($prev), tid = tid_of($prev), comm = str($prev->comm), uid = uid_of($prev), cgroup = cgroup_of($prev),
					in_progress = false, took = since($now, $ran));
			}
		}
	}
	$key = (uint64)$next;
	if ($next->pid != 0) {
		if (comptime getopt("pid", 0) != 0) {
			// It was on its way from a CPU when tracing began: one that was woken since had gone to sleep.
			let $ran = @runs[$key];
			if ($ran && $ran == @found[$key]) {
				let $woken = @waits[$key].0 != 0;
				@left[$key] = ($ran, $woken ? 1 : 0);
				if (!$woken) {
					@waits[$key] = ($ran, 3);
				}
			}
		}
		@runs[$key] = $now;
		let $queued: uint64 = 0;
		if (@waits[$key].0) {
			let $wait = @waits[$key];
			if (delete(@waits, $key)) {
				$queued = since($now, $wait.0);
				fire sched:wait(pid = tgid_of($next), tid = tid_of($next), comm = str($next->comm), uid = uid_of($next), cgroup = cgroup_of($next),
					preempted = $wait.1 == 1, yielded = $wait.1 == 2, in_progress = false, took = $queued);
			}
		}
		if (@left[$key].0) {
			let $left = @left[$key];
			if (delete(@left, $key)) {
				let $call = call_off(@interrupted, $next, $left.1);
				// What makes a call begin anew waits for the thread when that is woken.
				if ($call != -1 && ($next->pending.signal.sig[0] || $next->signal->shared_pending.signal.sig[0] || $next->jobctl)) {
					@interrupted[$key] = $call;
				}
				let $file = file_for(@on_file, $next, $call);
				fire sched:off(pid = tgid_of($next), tid = tid_of($next), comm = str($next->comm), uid = uid_of($next), cgroup = cgroup_of($next),
					state = state_name($left.1), why = why_off(@why, $next, $left.1, $call, $file), call = $call, file = $file ? file_name($file) : "", stack = @where[$key],
					took = since($now, $left.0), queued = $queued);
			}
		}
	}
}

rawtracepoint:sched_wakeup, rawtracepoint:sched_wakeup_new {
	// One that was preempted on its way to sleep waits already.
	$wait = @waits[(uint64)args.p];
	if (!$wait.0 || $wait.1 == 3) {
		@waits[(uint64)args.p] = (nsecs, 0);
	}
}
