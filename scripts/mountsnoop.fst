#!/usr/bin/env fst
// mountsnoop: What is mounted and unmounted, by whom?
//
// Topic: files
// Usage: mountsnoop
// Common: task, time
// Reading: ERR is 0 or the error. CALL is the system call, SOURCE what is mounted (a disk, for example), TYPE the file
//  system, and TARGET the directory. move_mount is the last step of a mount that uses the newer system calls; if an
//  earlier step fails, that step is shown. A successful fsconfig changes the options of a mounted file system,
//  mount_setattr and open_tree_attr those of a mount: read-only, or whether mounts below it are shared.
// Example: fst mountsnoop
// Misses: Mounts that the kernel makes itself, such as automounts, pivot_root(), calls of 32-bit programs, and calls
//  that a seccomp filter refuses, as in containers (see syserr).
// Cost: None until something is mounted.

macro show(source, target, type) {
	row("PID %-7d COMM %-16s CALL %-13s ERR %-12s TYPE %-10s SOURCE %-24s TARGET %s", pid, comm, func, (enum errno)errno, type, source, target);
}

// What is left out by the program is none.
macro text(pointer) { (uint64)pointer ? str(pointer) : "" }

syscall:mount /mine()/ { show(text(args.dev_name), text(args.dir_name), text(args.type)); }
syscall:umount /mine()/ { show("", text(args.name), ""); }

// The newer calls: what is mounted is known by descriptors, of the file system that is made and of the mount.
// (Without a name or a path, a program asks whether the kernel has the call.)
syscall:fsopen /mine() && ret < 0 && (uint64)args._fs_name/ { show("", "", str(args._fs_name)); }
syscall:fspick /mine() && ret < 0 && (uint64)args.path/ { show("", str(args.path), ""); }
syscall:open_tree /mine() && ret < 0 && (uint64)args.filename/ { show(str(args.filename), "", ""); }

macro show_made(fd) {
	let $source: string[128] = "";
	let $type: string[16] = "";
	$file = (struct file *)file_of(curtask, fd);
	if ((uint64)$file && file_name($file) == "[fscontext]") {
		$context = (struct fs_context *)$file->private_data;
		$type = str($context->fs_type->name);
		$source = $context->source ? str($context->source) : "";
	}
	show($source, "", $type);
}

// 7: FSCONFIG_CMD_RECONFIGURE
syscall:fsconfig /mine() && (ret < 0 || args.cmd == 7)/ { show_made(args.fd); }
syscall:fsmount /mine() && ret < 0/ { show_made(args.fs_fd); }

// The mount is named by its path, or is that of a descriptor.
macro show_mount(fd, from, target) {
	let $source: string[128] = from;
	let $type: string[16] = "";
	if ($source == "") {
		$file = (struct file *)file_of(curtask, fd);
		if ((uint64)$file) {
			$source = str(container_of($file->f_path.mnt, struct mount, mnt)->mnt_devname);
			$type = str($file->f_path.mnt->mnt_sb->s_type->name);
		}
	}
	show($source, target, $type);
}

syscall:move_mount /mine()/ {
	show_mount(args.from_dfd, text(args.from_pathname), text(args.to_pathname));
}

// A mount that has no place yet is being made.
macro has_place(fd, path) {
	let $has: bool = true;
	if (str(path) == "") {
		$file = (struct file *)file_of(curtask, fd);
		if ((uint64)$file) {
			$mount = container_of($file->f_path.mnt, struct mount, mnt);
			$has = (uint64)$mount->mnt_parent != (uint64)$mount;
		}
	}
	$has
}

syscall:open_tree_attr /comptime exists(tracepoint:syscalls:sys_enter_open_tree_attr) && mine() && (uint64)args.filename/ {
	if (ret < 0) {
		show(str(args.filename), "", "");
	} else if (!(args.flags & 1) && (uint64)args.uattr && has_place(args.dfd, args.filename)) {
		show_mount(ret, "", str(args.filename)); // not of a clone (OPEN_TREE_CLONE): of the mount itself
	}
}

syscall:mount_setattr /comptime exists(tracepoint:syscalls:sys_enter_mount_setattr) && mine() && (uint64)args.path/ {
	if (ret < 0 || has_place(args.dfd, args.path)) {
		show_mount(args.dfd, "", text(args.path));
	}
}
