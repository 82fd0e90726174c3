#!/usr/bin/env fst
// capable: Which capabilities do processes use, and do they have them?
//
// Topic: programs and processes
// Usage: capable [-x]
// Option: -x, --failed: only checks that failed
// Common: task, time, where
// Reading: ERR is 0 if the process has the capability CAP, EPERM if not: most operations then fail
//  with "Operation not permitted". A program does not need a capability that never appears for it.
//  The result of some checks does not matter (memory limits, for example). A few are not of the running process,
//  which PID and COMM show, but of another one (ptrace), or of the one that opened a file.
// Example: fst capable -x
// Example: fst capable -c nginx
// Example: fst capable -x -K
// Misses: Before Linux 6.14, checks within the functions that change capabilities (capset()), which the compiler may
//  have inlined. Every other check is a line.
// Cost: One probe per check: thousands per second on a busy machine.
// Words: permission denied, privileges, root, sudo

enum capability {
	CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_FSETID, CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP,
	CAP_LINUX_IMMUTABLE, CAP_NET_BIND_SERVICE, CAP_NET_BROADCAST, CAP_NET_ADMIN, CAP_NET_RAW, CAP_IPC_LOCK, CAP_IPC_OWNER,
	CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_CHROOT, CAP_SYS_PTRACE, CAP_SYS_PACCT, CAP_SYS_ADMIN, CAP_SYS_BOOT, CAP_SYS_NICE,
	CAP_SYS_RESOURCE, CAP_SYS_TIME, CAP_SYS_TTY_CONFIG, CAP_MKNOD, CAP_LEASE, CAP_AUDIT_WRITE, CAP_AUDIT_CONTROL, CAP_SETFCAP,
	CAP_MAC_OVERRIDE, CAP_MAC_ADMIN, CAP_SYSLOG, CAP_WAKE_ALARM, CAP_BLOCK_SUSPEND, CAP_AUDIT_READ, CAP_PERFMON, CAP_BPF,
	CAP_CHECKPOINT_RESTORE,
};

// The tracepoint is there since Linux 6.14.
tracepoint:capability:cap_capable | call:cap_capable /mine()/ {
	$ret = comptime exists(tracepoint:capability:cap_capable) ? (int32)args.ret : (int32)retval;
	if ($ret != 0 || !getopt("failed", false)) {
		row("UID %-6d PID %-7d COMM %-16s CAP %-22s ERR %s", uid, pid, comm, (enum capability)args.cap, (enum errno)(0 - $ret));
		where();
	}
}
