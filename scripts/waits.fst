#!/usr/bin/env fst
// waits: What does a process wait for?
//
// Topic: programs and processes
// Usage: waits [-sK] [interval [count]]
// Option: -s, --summary: show only WHY, not the call and the file
// Option: -K, --stack: show the kernel stack instead of the call and the file
// Common: task, time, unit, top
// Reading: TIME is the total of all threads, in COUNT waits, the longest of which took MAX. WHY is one of: CPU (the
//  thread could run, but others did, or its cgroup had used up its quota), disk, lock (futex, flock), sleep (a
//  requested pause), network, socket (Unix domain), pipe, terminal, queue (message queue), events (poll, epoll,
//  io_uring), child, signal, stopped (by a signal or a debugger, or its cgroup is frozen), page fault, kernel (memory, or
//  a lock in the kernel, such as that of a file to which another thread writes; offcputime -K shows where), other (such as
//  open() of a named pipe). CALL is the system call that waits, FILE its file. The rows of a thread add up to the elapsed
//  time. With -p, threads count from start to end even if they never wake up, or have a CPU all the time.
// Example: fst waits -p 1234 -d 10
// Example: fst waits -s -c postgres 1
// Example: fst waits -K -p 1234 -d 10 -f folded | flamegraph.pl --countname=us > waits.svg
// Misses: Without -p, waits in progress when tracing starts or ends, and those of idle kernel threads. Threads beyond
//  the first 4096 of the process (before Linux 5.17: 64, or 16 if fst runs in a PID namespace). Background work of
//  io_uring. The calls of 32-bit programs: their WHY is other.
// Cost: Map updates per context switch and wakeup, about a microsecond.
// Also: futexctn
// Words: hang, stuck, idle

macro short() { getopt("summary", false) }

macro add(@ns, @count, @longest, why, call, file, ns) {
	$call = short() ? -1 : call;
	$file = short() ? "" : file;
	@ns[pid, comm, why, syscall_name($call), $file] = sum(ns);
	@count[pid, comm, why, syscall_name($call), $file] = count();
	@longest[pid, comm, why, syscall_name($call), $file] = max(ns);
}

sched:off /mine() && args.why != "work" && took > args.queued/ {
	if (getopt("stack", false)) {
		@waited[comm, args.why, args.stack] = sum((took - args.queued) / unit());
	} else {
		add(@ns, @count, @longest, args.why, args.call, args.file, took - args.queued);
	}
}

sched:wait /mine() && !getopt("stack", false)/ {
	add(@ns, @count, @longest, "CPU", -1, "", took);
}

sched:run /mine() && !getopt("stack", false)/ {
	add(@ns, @count, @longest, "(runs)", -1, "", took);
}

report {
	if (getopt("stack", false)) {
		print(@waited);
	} else {
		table("PID %-7d COMM %-16s WHY %-10s CALL %-16s FILE %-20s TIME %10T COUNT %8d MAX %9T", @ns, @count, @longest);
	}
}
