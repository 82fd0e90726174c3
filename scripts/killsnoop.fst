#!/usr/bin/env fst
// killsnoop: Which signals are sent, by whom, to whom?
//
// Topic: programs and processes
// Usage: killsnoop [-x] [-s SIGNAL] [--target PID]
// Option: -x, --failed: only signals that could not be sent
// Option: -s, --signal SIGNAL: only this signal, by its number or name (SIGTERM, TERM, 15)
// Option: --target PID: only signals to this process, by its number as TPID shows it
// Common: task, time
// Reading: PID and COMM sent the signal SIG (0 only asks whether the other is there) to TPID (tkill: a
//  thread; a negative number is a group of processes); ERR is 0 or the error. TPID is the number that the sender
//  gave: within a PID namespace another one than outside. For pidfd_send_signal it is that of the process behind
//  the descriptor, or 0 if there is none.
// Example: fst killsnoop -s SIGKILL
// Example: fst killsnoop --target 1234
// Misses: Signals that the kernel sends (faults, terminals, timers, pipes), those of 32-bit programs, and calls that a
//  seccomp filter refuses (see syserr).
// Cost: One pair of probes for each signal sent.
// Also: sigsnoop

macro show(sig, target) {
	if ((getopt("signal", -1) == -1 || sig == getopt("signal", -1)) && (getopt("target", 0) == 0 || (int32)target == getopt("target", 0)) &&
		(ret < 0 || !getopt("failed", false))) {
		row("PID %-7d COMM %-16s SIG %-9s TPID %-7d ERR %s", pid, comm, (enum signal)sig, (int32)target, (enum errno)errno);
	}
}

// pid_behind(fd): the process that a pidfd, or a descriptor of its directory in /proc, stands for, as the sender calls it. Some
// numbers stand for the sender's own thread or process instead (since Linux 6.14).
macro pid_behind(fd) {
	let $n: int32 = 0;
	let $pid: struct pid * = 0;
	$task = (struct task_struct *)curtask;
	if (fd == -10000) {
		$pid = $task->thread_pid; // PIDFD_SELF_THREAD
	} else if (fd == -10001 || fd == -20000) {
		$pid = $task->group_leader->thread_pid; // PIDFD_SELF_THREAD_GROUP, which has had another number before
	} else {
		$file = (struct file *)file_of(curtask, fd);
		if ((uint64)$file != 0) {
			if (($file->f_inode->i_mode & 0xf000) == 0x4000) {
				$pid = container_of($file->f_inode, struct proc_inode, vfs_inode)->pid;
			} else if (exists(struct pid, ino)) {
				// They have a file system of their own since Linux 6.9.
				$pid = (struct pid *)$file->f_inode->i_private;
			} else {
				$pid = (struct pid *)$file->private_data;
			}
		}
	}
	if ((uint64)$pid != 0) {
		$level = $task->thread_pid->level;
		// Of a process outside of the sender's namespace there is no such number.
		if ($pid->level >= $level) {
			$n = ((struct upid *)((uint64)&$pid->numbers + $level * sizeof(struct upid)))->nr;
		}
	}
	$n
}

syscall:kill, syscall:tkill, syscall:rt_sigqueueinfo /mine()/ { show(args.sig, args.pid); }
syscall:tgkill, syscall:rt_tgsigqueueinfo /mine()/ { show(args.sig, args.tgid); }
syscall:pidfd_send_signal /mine()/ { show(args.sig, errno == EBADF ? 0 : pid_behind(args.pidfd)); }
