#!/usr/bin/env fst
// mountsnoop: What is mounted and unmounted, by whom?
//
// Topic: files
// Usage: mountsnoop
// Common: task, time
// Reading: ERR is 0 or the error. move_mount is the last step of a mount that uses the newer system calls; if an
//  earlier step fails, that step is shown. A successful fsconfig changes the options of a mounted file system. CALL is
//  the system call, SOURCE what is mounted (a disk, for example), TYPE the file system, and TARGET the directory.
// Example: fst mountsnoop
// Misses: Mounts that the kernel makes itself, such as automounts, calls of 32-bit programs, and calls that a seccomp
//  filter refuses, as in containers (see syserr).
// Cost: None until something is mounted.

macro show(source, target, type) {
	row("PID %-7d COMM %-16s CALL %-10s ERR %-12s TYPE %-10s SOURCE %-24s TARGET %s", pid, comm, func, (enum errno)errno, type, source, target);
}

syscall:mount /mine()/ { show(str(args.dev_name), str(args.dir_name), str(args.type)); }
syscall:umount /mine()/ { show("", str(args.name), ""); }

// The newer calls: what is mounted is known by descriptors, of the file system that is made and of the mount.
// (Without a name, a program asks whether the kernel has the call.)
syscall:fsopen /mine() && ret < 0 && (uint64)args._fs_name/ { show("", "", str(args._fs_name)); }

// FSCONFIG_CMD_CREATE, _RECONFIGURE and _CREATE_EXCL
syscall:fsconfig /mine() && ((args.cmd == 6 || args.cmd == 8) && ret < 0 || args.cmd == 7)/ {
	let $source: string[128] = "";
	let $type: string[16] = "";
	$file = (struct file *)file_of(curtask, args.fd);
	if ((uint64)$file) {
		$context = (struct fs_context *)$file->private_data;
		$type = str($context->fs_type->name);
		$source = $context->source ? str($context->source) : "";
	}
	show($source, "", $type);
}

syscall:move_mount /mine()/ {
	let $source: string[128] = str(args.from_pathname);
	let $type: string[16] = "";
	if ($source == "") {
		$file = (struct file *)file_of(curtask, args.from_dfd);
		if ((uint64)$file) {
			$source = str(container_of($file->f_path.mnt, struct mount, mnt)->mnt_devname);
			$type = str($file->f_path.mnt->mnt_sb->s_type->name);
		}
	}
	show($source, str(args.to_pathname), $type);
}
