#!/usr/bin/env fst
// filelife: Which files live only a short time?
//
// Topic: files
// Usage: filelife [--max MS]
// Option: --max MS: only files that lived at most so many milliseconds (default: 1000)
// Common: task, time
// Reading: FILE was made MS milliseconds before it was removed; PID removed it.
// Example: fst filelife
// Example: fst filelife --max 10000 -c make
// Misses: Files that were made before the probes came, and renamed over instead of removed.
// Cost: one probe for each open and each removal, and a map entry for each new file.
// Others: bcc's does not start on Linux 5.10 and shows nothing on 7.2.
// Instead: opensnoop

config = { print_maps_on_exit = false }

let @birth = lruhash(65536);

kprobe:vfs_open /was_created(args.file)/ {
	@birth[(uint64)args.path->dentry] = nsecs;
}

call:vfs_unlink /@birth[(uint64)args.dentry]/ {
	$ms = (nsecs - @birth[(uint64)args.dentry]) / 1ms;
	if (retval == 0 && mine() && $ms <= getopt("max", 1000)) {
		row("PID %-7d COMM %-16s AGE(ms) %8d FILE %s", pid, comm, $ms, str(args.dentry->d_name.name));
	}
	delete(@birth, (uint64)args.dentry);
}
