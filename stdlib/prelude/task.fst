// What threads say of themselves.

// task_state(task): 0 for a thread that wants to run, otherwise a TASK_ bit of the kernel.
macro task_state(task) {
	let $s: uint64 = 0;
	if (exists(struct task_struct, __state)) {
		$s = ((struct task_struct *)task)->__state;
	} else {
		$s = ((struct task_struct *)task)->state;
	}
	$s
}

// runnable(task): a thread that leaves the CPU wants to run on.
macro runnable(task) { task_state(task) == 0 }

// entry_regs(task): the registers that a thread came into the kernel with: they are at the end of its
// kernel stack of 16 KB. Kernels with support for FRED leave 16 bytes behind them.
macro entry_regs(task) {
	let $r: uint64 = (uint64)((struct task_struct *)task)->stack + 16KB - sizeof(struct pt_regs);
	(uint16)((struct pt_regs *)$r)->ss == 0x2b ? $r : $r - 16
}

// syscall_of(task): the number of the system call that a thread is in, or -1: SYSCALL leaves the
// instruction's address in rcx and the flags in r11, faults and interrupts do not.
macro syscall_of(task) {
	let $n: int64 = -1;
	if (exists(struct pt_regs, orig_ax)) {
		$regs = (struct pt_regs *)entry_regs(task);
		if ((uint16)$regs->ss == 0x2b && ($regs->cx == $regs->ip && $regs->r11 == $regs->flags || ($regs->ss >> 48 & 15) == 7)) {
			$n = $regs->orig_ax;
		}
	}
	$n
}

// fd_of(task, call): the file descriptor that a thread waits for in a system call, or -1.
macro fd_of(task, call) {
	call == __NR_read || call == __NR_write || call == __NR_pread64 || call == __NR_pwrite64 || call == __NR_readv ||
		call == __NR_writev || call == __NR_preadv || call == __NR_pwritev || call == __NR_preadv2 || call == __NR_pwritev2 ||
		call == __NR_fsync || call == __NR_fdatasync || call == __NR_syncfs || call == __NR_sync_file_range ||
		call == __NR_ftruncate || call == __NR_fallocate || call == __NR_copy_file_range || call == __NR_sendfile ||
		call == __NR_splice || call == __NR_getdents64 || call == __NR_ioctl || call == __NR_flock || call == __NR_fcntl ||
		call == __NR_accept || call == __NR_accept4 || call == __NR_connect || call == __NR_recvfrom || call == __NR_recvmsg ||
		call == __NR_recvmmsg || call == __NR_sendto || call == __NR_sendmsg || call == __NR_sendmmsg ||
		call == __NR_epoll_wait || call == __NR_epoll_pwait || call == __NR_epoll_pwait2 || call == __NR_io_uring_enter ?
		(int64)((struct pt_regs *)entry_regs(task))->di : -1
}

// file_of(task, fd): the struct file behind a file descriptor of a thread, or 0.
macro file_of(task, fd) {
	let $file: uint64 = 0;
	if (fd >= 0 && ((struct task_struct *)task)->files != 0) {
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

// waits_for(task, state, call): why a thread that left the CPU in this state, in this system call (or -1), has none.
// "kernel" is within the kernel, most often for a lock or memory; "work" are idle threads of the kernel.
macro waits_for(task, state, call) {
	let $why: string[12] = state & 2 ? "kernel" : "other";
	if (state == 0) {
		$why = "CPU";
	} else if (((struct task_struct *)task)->in_iowait) {
		$why = "disk";
	} else if (call == -1) {
		$why = ((struct task_struct *)task)->mm != 0 ? "page fault" : state == 2 ? "kernel" : "work";
	} else if (call == __NR_futex || call == __NR_flock || call == __NR_fcntl || call == __NR_semop || call == __NR_semtimedop ||
			call == __NR_futex_waitv || call == __NR_futex_wait) {
		$why = "lock";
	} else if (call == __NR_wait4 || call == __NR_waitid || call == __NR_vfork || call == __NR_clone || call == __NR_clone3) {
		$why = "child";
	} else if (call == __NR_nanosleep || call == __NR_clock_nanosleep) {
		$why = "sleep";
	} else if (call == __NR_pause || call == __NR_rt_sigsuspend || call == __NR_rt_sigtimedwait) {
		$why = "signal";
	} else if (call == __NR_poll || call == __NR_ppoll) {
		$why = ((struct pt_regs *)entry_regs(task))->si ? "events" : "sleep";
	} else if (call == __NR_select || call == __NR_pselect6) {
		$why = ((struct pt_regs *)entry_regs(task))->di ? "events" : "sleep";
	} else if (call == __NR_io_getevents) {
		$why = "disk";
	} else if (call == __NR_sync) {
		$why = "disk";
	} else {
		$file = file_of(task, fd_of(task, call));
		if ($file) {
			$why = kind_of($file);
		}
	}
	$why
}

// find_process(id): the first thread of a process, or 0. It looks at most at 32768 processes, or 1024 before
// Linux 5.17.
macro find_process(id) {
	$task = ((struct task_struct *)curtask)->group_leader;
	let $found: uint64 = 0;
	for ($i : 0..(comptime exists(struct folio) ? 32768 : 1024)) {
		if ($task->tgid == id) {
			$found = (uint64)$task;
			break;
		}
		$task = container_of($task->tasks.next, struct task_struct, tasks);
	}
	$found
}

// next_thread(leader, task): the thread behind this one of a process, or 0.
macro next_thread(leader, task) {
	$link = (uint64)((struct task_struct *)task)->thread_node.next;
	$link == (uint64)&((struct task_struct *)leader)->signal->thread_head ? 0 : (uint64)container_of($link, struct task_struct, thread_node)
}
