#!/usr/bin/env fst
// opensnoop: Which files are opened, by whom, with which result?
//
// Topic: files
// Usage: opensnoop [-xF] [-n NAME]
// Option: -x, --failed: only opens that failed
// Option: -n, --name NAME: only threads whose name has this in it
// Option: -F, --full: whole paths of the files that could be opened
// Common: task, time
// Reading: FD is -1 and ERR the error for an open that failed (ENOENT: there is no such file).
// Example: fst opensnoop -x
// Example: fst opensnoop -c cat
// Example: fst opensnoop -F -n sql
// Misses: Files opened by execve(), through io_uring or by the kernel itself. Without -F names are as the program gave
//  them, relative ones too; those of opens that failed, or had O_PATH, are so always. What open_by_handle_at() opened
//  was given no name: without -F it is shown by the last part of one.
// Cost: one pair of probes for each open, about 1 us.

config = { print_maps_on_exit = false }

macro wanted() { mine() && (getopt("name", "") == "" || strcontains(comm, getopt("name", ""))) }
macro full() { getopt("full", false) }

// Whole paths of files that are being opened: programs can ask for them here, and not at the end of the call. Opens with
// O_PATH do not come here.
let @path = lruhash(4096);

fentry:security_file_open /comptime full() && wanted() && !is_backing(args.file)/ {
	@path[(uint64)args.file] = path(&args.file.f_path);
}

macro show(given, @path) {
	let $path: string = "";
	if (comptime full()) {
		$file = file_of(curtask, ret);
		if ($file && !is_path($file)) {
			$path = @path[$file];
			delete(@path, $file);
		}
	}
	row("PID %-7d COMM %-16s FD %4d ERR %-12s PATH %s", pid, comm, ret < 0 ? -1 : ret, (enum errno)errno,
		$path == "" ? given : $path);
}

macro shown() { wanted() && (!getopt("failed", false) || ret < 0) }

syscall:open, syscall:openat, syscall:openat2 /shown()/ { show(str(args.filename), @path); }
syscall:creat /shown()/ { show(str(args.pathname), @path); }

syscall:open_by_handle_at /shown()/ {
	show(ret < 0 ? "" : file_name(file_of(curtask, ret)), @path);
}
