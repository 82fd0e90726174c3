// What threads say of themselves.

// task_state(task): 0 for a runnable thread, otherwise a TASK_ bit of the kernel.
macro task_state(task) {
	let $s: uint64 = 0;
	if (exists(struct task_struct, __state)) {
		$s = ((struct task_struct *)task)->__state;
	} else {
		$s = ((struct task_struct *)task)->state;
	}
	$s
}

// task_letter(task): its state as ps shows it: R runnable, S sleeping, D in uninterruptible sleep, I idle (a kernel
// thread), T stopped, Z zombie.
macro task_letter(task) { state_letter(task_state(task)) }

// state_letter(state): the same for TASK_ bits of the kernel.
macro state_letter(state) {
	let $letter: string[2] = "R";
	if (state & 0x400) {
		$letter = "I";
	} else if (state & 1) {
		$letter = "S";
	} else if (state & 0x9002) {
		// Also TASK_RTLOCK_WAIT and TASK_FROZEN.
		$letter = "D";
	} else if (state & 12) {
		$letter = "T";
	} else if (state & 0xf0) {
		$letter = "Z";
	}
	$letter
}

// state_off(task, preempted, seen): the state in which a thread leaves the CPU, 0 if it is still runnable. preempted and seen are
// arguments of rawtracepoint:sched_switch: a thread whose CPU is taken away on its way to sleep is runnable, and one that
// another CPU wakes before it has left (TASK_WAKING) is in the state that the kernel saw (seen, since Linux 5.18).
macro state_off(task, preempted, seen) {
	let $s: uint64 = 0;
	if (!preempted) {
		$s = task_state(task);
		if ($s == 0x200) {
			$s = seen;
		}
	}
	$s
}

// is_idle(): the current thread is a CPU's idle thread. (pid is 0, too, for threads that fst's PID namespace does not have.)
macro is_idle() { ((struct task_struct *)curtask)->pid == 0 }

// runnable(task): a thread that leaves the CPU is still runnable: it was preempted.
macro runnable(task) { task_state(task) == 0 }

// tgid_of(task): the process ID of a thread, as pid is that of the current one: in fst's PID namespace, 0 if it has none
// there.
macro tgid_of(task) {
	comptime (pidns == 0) ? (uint32)((struct task_struct *)task)->tgid : number_of(((struct task_struct *)task)->signal->pids[1])
}

// tid_of(task): its thread ID, as tid is that of the current one.
macro tid_of(task) {
	comptime (pidns == 0) ? (uint32)((struct task_struct *)task)->pid : number_of(((struct task_struct *)task)->thread_pid)
}

// number_of(pid): the number of a struct pid in fst's PID namespace. The kernel nests them 32 deep; before Linux 5.17
// it is looked for 4 deep.
macro number_of(pid) {
	let $n: uint32 = 0;
	$p = (struct pid *)pid;
	for ($i : 0..(comptime exists(struct folio) ? 33 : 5)) {
		if ((uint64)$p == 0 || $i > $p->level) {
			break;
		}
		// Declared with one element, on old kernels: there are as many as there are levels.
		$u = (struct upid *)((uint64)&$p->numbers + $i * sizeof(struct upid));
		if ($u->ns->ns.inum == pidns) {
			$n = $u->nr;
			break;
		}
	}
	$n
}

// rq_of(task): the struct rq, the run queue, of the CPU that a thread is on. (The struct cfs_rq of a thread is only
// that of its cgroup.)
macro rq_of(task) {
	let $rq: struct rq * = 0;
	if (exists(struct cfs_rq, rq)) {
		$rq = ((struct task_struct *)task)->se.cfs_rq->rq;
	} else {
		// A kernel without groups has one struct cfs_rq for each CPU.
		$rq = container_of(((struct task_struct *)task)->se.cfs_rq, struct rq, cfs);
	}
	$rq
}

// returns_twice(id, ret): this return from fork(), clone() and the like is that of the new process or thread, which gets 0,
// and not that of the caller.
macro returns_twice(id, ret) {
	let $made: bool = false;
	if (ret == 0) {
		if (native_syscall(id) != -1) {
			$made = is_syscall(id, "fork,vfork,clone,clone3");
		} else {
			// Those of 32-bit programs.
			$made = id == 2 || id == 120 || id == 190 || id == 435;
		}
	}
	$made
}

// ends_thread(id): a system call that does not return, such as exit().
macro ends_thread(id) {
	native_syscall(id) != -1 ? is_syscall(id, "exit,exit_group") : id == 1 || id == 252
}

// entry_regs(task): the registers of a thread when it entered the kernel. They are at the end of its kernel stack of
// 16 KB; kernels with support for FRED leave 16 bytes behind them.
macro entry_regs(task) {
	let $r: uint64 = (uint64)((struct task_struct *)task)->stack + 16KB - sizeof(struct pt_regs);
	(uint16)((struct pt_regs *)$r)->ss == 0x2b ? $r : $r - 16
}

// is_compat(task): a thread is in a system call of a 32-bit program, which has other numbers: 5 is open there and fstat
// in 64-bit programs.
macro is_compat(task) {
	let $compat: bool = false;
	if (comptime exists(struct thread_info, status)) {
		// TS_COMPAT
		$compat = (((struct task_struct *)task)->thread_info.status & 2) != 0;
	}
	$compat
}

// native_syscall(id): the number of the running system call as syscall_name() knows it, or -1
// for a call of a 32-bit program.
macro native_syscall(id) { is_compat(curtask) ? -1 : (int64)id }

// syscall_of(task): the number of the system call that a thread is in, or -1, also for a call of a 32-bit program: SYSCALL
// leaves the instruction's address in rcx and the flags in r11, faults and interrupts do not.
macro syscall_of(task) {
	let $n: int64 = -1;
	if (exists(struct pt_regs, orig_ax) && !is_compat(task)) {
		$regs = (struct pt_regs *)entry_regs(task);
		if ((uint16)$regs->ss == 0x2b && ($regs->cx == $regs->ip && $regs->r11 == $regs->flags || ($regs->ss >> 48 & 15) == 7)) {
			$n = $regs->orig_ax;
		}
	}
	$n
}

// file_of(task, fd): the struct file behind a file descriptor of a thread, or 0.
macro file_of(task, fd) {
	let $file: uint64 = 0;
	if ((int64)fd >= 0 && ((struct task_struct *)task)->files != 0) {
		$table = ((struct task_struct *)task)->files->fdt;
		if (fd < (int64)$table->max_fds) {
			$file = (uint64)$table->fd[fd];
		}
	}
	$file
}

// kind_of(file): what a struct file is: disk, pipe, network, socket (within the machine), terminal (and other
// devices), events (eventfd, timerfd, epoll, inotify).
macro kind_of(file) {
	let $kind: string[12] = "events";
	$mode = ((struct file *)file)->f_inode->i_mode & 0xf000;
	if ($mode == 0x8000 || $mode == 0x4000 || $mode == 0x6000) {
		$kind = "disk";
	} else if ($mode == 0x1000) {
		$kind = "pipe";
	} else if ($mode == 0x2000) {
		$kind = "terminal";
	} else if ($mode == 0xc000) {
		$kind = is_inet(((struct socket *)((struct file *)file)->private_data)->sk) ? "network" : "socket";
	}
	$kind
}

// find_process(id): the main thread of a process, or 0. At most 32768 processes are searched, 1024 before Linux 5.17.
macro find_process(id) {
	$task = ((struct task_struct *)curtask)->group_leader;
	let $found: uint64 = 0;
	for ($i : 0..(comptime exists(struct folio) ? 32768 : 1024)) {
		if (tgid_of($task) == id) {
			$found = (uint64)$task;
			break;
		}
		$task = container_of($task->tasks.next, struct task_struct, tasks);
	}
	$found
}

// next_thread(leader, task): the next thread of the process, or 0.
macro next_thread(leader, task) {
	$link = (uint64)((struct task_struct *)task)->thread_node.next;
	$link == (uint64)&((struct task_struct *)leader)->signal->thread_head ? 0 : (uint64)container_of($link, struct task_struct, thread_node)
}
