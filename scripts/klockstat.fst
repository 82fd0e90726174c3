#!/usr/bin/env fst
// klockstat: Which locks of the kernel do threads wait for, and how long?
//
// Topic: CPUs
// Usage: klockstat [-s] [interval [count]]
// Option: -s, --stacks: also show where in the kernel
// Common: task, time, unit, top
// Reading: TIME is how long threads waited for locks held by others, in COUNT waits, the longest of which took MAX.
//  KIND is the kind of lock: mutex and rwsem (read, write) put the thread to sleep, percpu is a lock of a whole file
//  system or of cgroups, spin keeps the CPU busy. LOCK is a name if the lock is a global variable of the kernel.
// Example: fst klockstat -d 10
// Example: fst klockstat -s -c dd -d 10
// Misses: Uncontended locks, and waits that started before tracing did. Spin locks for which the kernel has no
//  tracepoint: of those that wait for one, the first is not seen, only those behind it. On a kernel without kprobes, the
//  time for which a writer (rwsem write) keeps its CPU busy before it sleeps.
// Cost: Two probes per wait; nothing for uncontended locks.
// Instead: offcputime, waits
// Words: contention

macro kind(flags) {
	flags & 32 ? "mutex" : flags & 8 ? "rt mutex" : flags & 16 ? "percpu" : flags & 1 ? "spin" : flags & 2 ? "rwsem read" : flags & 4 ? "rwsem write" : "other"
}

macro waited(@ns, @count, @longest, @stacks, flags, lock, took) {
	@ns[comm, kind(flags), ksym(lock)] = sum(took);
	@count[comm, kind(flags), ksym(lock)] = count();
	@longest[comm, kind(flags), ksym(lock)] = max(took);
	if (getopt("stacks", false)) {
		@stacks[kstack, comm] = sum(took / unit());
	}
}

// The tracepoint tells of writers only once they no longer spin.
macro writers() { comptime exists(kprobe:rwsem_down_write_slowpath) }

call:rwsem_down_write_slowpath /writers() && mine()/ {
	waited(@ns, @count, @longest, @stacks, 4, args.sem, took);
}

// The idle threads of all CPUs have one number, 0: interrupts may wait in their names. A mutex begins anew each time that it goes from
// spinning to sleeping, is woken in vain or begins to spin again.
tracepoint:lock:contention_begin /mine() && !(writers() && args.flags == 4) && !(args.flags & 32 && @began[curtask, args.lock_addr].0)/ {
	@began[curtask, args.lock_addr] = (nsecs, args.flags);
}

tracepoint:lock:contention_end /@began[curtask, args.lock_addr].0/ {
	$b = @began[curtask, args.lock_addr];
	$took = nsecs - $b.0;
	waited(@ns, @count, @longest, @stacks, $b.1, args.lock_addr, $took);
	delete(@began, (curtask, args.lock_addr));
}

report {
	print(@stacks);
	table("COMM %-16s KIND %-12s LOCK %-28s TIME %10T COUNT %8d MAX %10T", @ns, @count, @longest);
}
