// proc: what processes do: begin, run a program, signal each other, end.
//
// Hooks: the raw tracepoints sched_process_exec, task_newtask and signal_generate; where processes
// end, the function taskstats_exit, which knows whether a thread is the last one, or the raw tracepoint
// sched_process_exit, which does so since Linux 6.16.

// proc:exec: A process runs a program.
//
// It runs in the process, which has its new name already: pid, comm, ppid tell of it. Only
// what succeeded is seen; a program that is not there is syscall:execve with an errno.
probe proc:exec(
	file: string,   // the program, as it was named
	argc: uint64,   // how many words the command line has
	first: uint64,  // address in the process of its words, each ended by a 0 byte
	length: uint64, // and how many bytes they take: buf(uptr(args.first), args.length)
);

// proc:fork: A process or a thread begins.
//
// It runs in the one that makes it. Threads that the kernel makes for a process (of io_uring) are among them.
probe proc:fork(
	child: uint32,     // its process id (of a new thread: the present one)
	child_tid: uint32, // its thread id
	thread: bool,      // true if it is a thread of the present process
) witness("/proc/stat: processes %d", "processes began all the same: tracepoint:task:task_newtask sees each");

// proc:exit: A process ends.
//
// It runs in its last thread, once for each process, not for each thread.
probe proc:exit(
	status: uint8, // what it gave to exit()
	signal: uint8, // the signal that ended it, or 0
	took: uint64,  // ns that it lived
);

// proc:signal: A signal is sent.
//
// It runs in the one that sends it; those of the kernel (timers, children that ended, faults)
// come from whatever runs then. The shell's SIGCHLD are among them.
probe proc:signal(
	signal: int32,       // its number: (enum signal)args.signal
	to: uint32,          // process that gets it
	to_comm: string[16], // its name
	ignored: bool,       // true if it had no effect: ignored, or the same one is waiting
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
