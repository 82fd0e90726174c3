#!/usr/bin/env fst
// opensnoop: Which files are opened, by whom, with which result?
//
// Topic: files
// Usage: opensnoop [-xF] [-n NAME]
// Option: -x, --failed: only opens that failed
// Option: -n, --name NAME: only threads whose name contains NAME
// Option: -F, --full: full paths of the files that were opened
// Common: task, time
// Reading: If an open failed, FD is -1 and ERR is the error (ENOENT: no such file).
// Example: fst opensnoop -x
// Example: fst opensnoop -c cat
// Example: fst opensnoop -F -n sql
// Misses: Files opened by execve(), through io_uring, by 32-bit programs or by the kernel itself, and calls that a
//  seccomp filter refuses (see syserr). Without -F, paths are shown as the program passed them, including relative ones;
//  so are paths of failed opens, of opens with O_PATH and of files whose full path has more than 1023 characters, always.
//  open_by_handle_at() takes no path: without -F, only the last part of the file's path is shown.
// Cost: One pair of probes per open, about 1 us.
// Words: missing, permission denied

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
