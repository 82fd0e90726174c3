#!/usr/bin/env fst
// syserr: Which system calls fail, with which error?
//
// Usage: syserr [-c COMM] [-p PID] [-b] [-x] [-d SEC]
// Option: -c, --comm COMM: only this command
// Option: -p, --pid PID: only this process
// Option: -b, --by-comm: count for each command
// Option: -x, --each: print each failed call as it happens
// Example: fst syserr -c ps
// Example: fst syserr -b -d 10
// Misses: Calls that a signal stopped have the kernel's own numbers (512 to 516): whether
//  they fail or begin anew is settled later. Calls of 32-bit programs are named as if they were native.
// Cost: one probe for each system call of the machine, some ten ns for one that succeeds.

config = { print_maps_on_exit = false }

macro wanted() {
	(getopt("pid", 0) == 0 || pid == getopt("pid", 0)) &&
		(getopt("comm", "") == "" || comm == getopt("comm", ""))
}

begin {
	if (getopt("each", false)) {
		printf("%-8s %-16s %-7s %-20s %s\n", "TIME", "COMM", "PID", "SYSCALL", "ERROR");
	} else {
		printf("Counting failed system calls... Hit Ctrl-C to end.\n");
	}
}

tracepoint:raw_syscalls:sys_exit
/args.ret < 0 && args.ret >= -4095 && args.id >= 0 && wanted()/
{
	$errno = 0 - args.ret;
	if (getopt("each", false)) {
		printf("%-8s %-16s %-7d %-20s %s\n", strftime("%H:%M:%S", nsecs), comm, pid,
			syscall_name(args.id), strerror($errno));
	} else if (getopt("by-comm", false)) {
		@by_comm[comm, syscall_name(args.id), strerror($errno)] = count();
	} else {
		@errors[syscall_name(args.id), strerror($errno)] = count();
	}
}

end {
	print(@errors);
	print(@by_comm);
}
