#!/usr/bin/env fst
// waits: What does a process wait for?
//
// Topic: programs and processes
// Usage: waits [-sK] [interval [count]]
// Option: -s, --summary: only why, not in which call and for which file
// Option: -K, --stack: where in the kernel they wait, too, instead of the call and the file
// Common: task, time, unit, top
// Reading: TIME is that of all threads together, in COUNT pieces, the longest of which is MAX. WHY: CPU
//  (it could run, others did), disk, lock (futex, flock), sleep (of its own will), network, socket
//  (within the machine), pipe, terminal, queue (of messages), events (poll, epoll), child, signal, stopped
//  (by a signal or a debugger, or its cgroup is frozen), page fault (memory that is not there yet),
//  kernel (a lock within it, or memory; offcputime -K says where). CALL is the system call that waits, FILE
//  its file. The rows of a thread add up to the time on the clock. With -p threads count from the start to
//  the end even if they never wake up.
// Example: fst waits -p 1234 -d 10
// Example: fst waits -s -c postgres 1
// Example: fst waits -K -p 1234 -d 10 -f folded | flamegraph.pl --countname=us > waits.svg
// Misses: Without -p, waits in progress when tracing starts or ends, and those of idle threads of
//  the kernel. More than 4096 threads of the process (64 before Linux 5.17). What io_uring
//  does in the background. Which calls 32-bit programs wait in: their WHY is other.
// Cost: map updates for each switch and each wakeup, about a microsecond.
// Also: futexctn

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
