// proc: the life of processes: start, execution of programs, signals, exit.
//
// Hooks: the raw tracepoints sched_process_exec, task_newtask and signal_generate; for exits the
// function taskstats_exit, which knows whether a thread is the last of its process, or the raw tracepoint
// sched_process_exit, which knows it since Linux 6.16.

// proc:exec: A process executes a program.
//
// It runs in the process, which already has its new name: pid, comm and ppid describe it. Only
// successful calls are seen; for a program that does not exist, use syscall:execve and errno.
probe proc:exec(
	file: string,   // path of the program, as it was passed
	argc: uint64,   // number of arguments on the command line, the name included
	first: uint64,  // address in the process of its arguments, each terminated by a 0 byte
	length: uint64, // length of all arguments in bytes: buf(uptr(args.first), args.length)
);

// proc:fork: A process or a thread is created.
//
// It runs in the creator. Threads that the kernel creates for a process (io_uring) are included.
probe proc:fork(
	child: uint32,     // process ID of the new process (for a thread: the current one)
	child_tid: uint32, // thread ID of the new process or thread
	thread: bool,      // true for a thread of the current process
) witness("/proc/stat: processes %d", "processes were created nevertheless: tracepoint:task:task_newtask sees each");

// proc:exit: A process exits.
//
// It runs in the last thread of the process, once per process, not per thread.
probe proc:exit(
	status: uint8, // exit status
	signal: uint8, // signal that killed it, or 0
	took: uint64,  // lifetime in ns
);

// proc:signal: A signal is sent.
//
// It runs in the sender. Signals from the kernel (timers, exited children, faults) are sent by whichever
// thread is running. SIGCHLD is included.
probe proc:signal(
	signal: int32,       // signal number: (enum signal)args.signal
	to: uint32,          // receiving process
	to_comm: string[16], // its name
	ignored: bool,       // true if it had no effect: ignored, or already pending
);

rawtracepoint:sched_process_exec {
	$mm = args.p->mm;
	fire proc:exec(file = str(args.bprm->filename), argc = args.bprm->argc, first = $mm->arg_start,
		length = $mm->arg_end - $mm->arg_start);
}

rawtracepoint:task_newtask {
	fire proc:fork(child = tgid_of(args.task), child_tid = tid_of(args.task), thread = args.task->tgid == ((struct task_struct *)curtask)->tgid);
}

// Without either, several threads that end at the same time may each find that none is left.
macro is_last() {
	comptime exists(args.group_dead) ? args.group_dead != 0 : ((struct task_struct *)curtask)->signal->live.counter == 0
}

kprobe:taskstats_exit | rawtracepoint:sched_process_exit /is_last()/ {
	$leader = ((struct task_struct *)curtask)->group_leader;
	$code = $leader->exit_code;
	if ($leader->signal->flags & 4) {
		// SIGNAL_GROUP_EXIT
		$code = $leader->signal->group_exit_code;
	}
	fire proc:exit(status = ($code >> 8) & 0xff, signal = $code & 0x7f, took = nsecs(boot) - $leader->start_boottime);
}

rawtracepoint:signal_generate {
	fire proc:signal(signal = args.sig, to = tgid_of(args.task), to_comm = str(args.task->comm), ignored = args.result != 0);
}
