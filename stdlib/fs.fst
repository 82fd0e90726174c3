// fs: what programs do with files.
//
// Hooks: fs:open and fs:sync the system calls; the others the functions vfs_read, vfs_readv,
// vfs_write and vfs_writev, which exist and are called on 5.10, 6.1, 6.12 and 7.2; and for
// sendfile(), splice() and copy_file_range() do_splice_read (do_splice_to up to 6.1),
// iter_file_splice_write and, to sockets, splice_to_socket (generic_splice_sendpage up to 6.1),
// once for each chunk that they move. Each runs in the calling thread, at the end of the operation.
//
// I/O through io_uring and by the kernel itself (nfsd, swap) uses other functions; mmap() and copies that share
// blocks (reflinks on btrfs, xfs) use none; what is spliced to /dev/null or another pipe is not written. They are not
// seen. Nor are calls that fail before any of these functions (a descriptor that is not open, a negative offset), and
// opens and syncs of 32-bit programs. copy_file_range() on overlayfs is a read and a write of the files below.

// fs:open: A program opened a file, or could not.
//
// The path is as the program passed it, possibly relative. open_by_handle_at() takes no path: file is then
// the last component of the file's path.
probe fs:open(
	file: string, // the path
	fd: int64,    // the descriptor, or -1
	errno: int64, // error number, or 0
	took: uint64, // ns
);

// fs:read: A program read from a file, pipe, socket or device.
//
// For regular files only, use /args.kind == "file"/. recv() on a socket is not included.
probe fs:read(
	file: string[256],  // last component of the file's path
	kind: string[8],    // file, dir, pipe, socket, device, other
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // number of the file
	fstype: string[16], // kind of file system
	offset: int64,      // where it began to read, 0 if the file has no places
	bytes: uint64,      // how many it got
	errno: int64,       // error number, or 0
	took: uint64,       // ns
	generation: uint32, // how often the file system has given that number to a file
	path,               // its path, to show it: see file_path()
) witness("tracepoint:syscalls:sys_exit_read", "this kernel reads by other functions than vfs_read: syscall:read sees each call");

// fs:write: A program wrote to a file, pipe, socket or device.
//
// What is written is most often in memory then, not yet on the disk. What is written by splice()
// to a file of overlayfs is written to the file below.
probe fs:write(
	file: string[256],  // last component of the file's path
	kind: string[8],    // file, dir, pipe, socket, device, other
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // number of the file
	fstype: string[16], // kind of file system
	offset: int64,      // where it began to write, 0 if the file has no places
	bytes: uint64,      // how many it wrote
	errno: int64,       // error number, or 0
	took: uint64,       // ns
	generation: uint32, // how often the file system has given that number to a file
	path,               // its path, to show it: see file_path()
) witness("tracepoint:syscalls:sys_exit_write", "this kernel writes by other functions than vfs_write: syscall:write sees each call");

// fs:sync: A program had a file written to its disk: fsync() or fdatasync().
//
// sync(), syncfs() and msync(), and what O_SYNC does behind each write, are not among them, nor
// are calls with a descriptor that is not open.
probe fs:sync(
	file: string[256],  // last component of the file's path
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // number of the file
	fstype: string[16], // kind of file system
	errno: int64,       // error number, or 0
	took: uint64,       // ns
);

macro name_of(file) { str(file->f_path.dentry->d_name.name) }

macro kind_of(file) {
	let $type = file->f_inode->i_mode & 0xf000;
	$type == 0x8000 ? "file" : $type == 0x4000 ? "dir" : $type == 0x1000 ? "pipe" : $type == 0xc000 ? "socket" :
		$type == 0x2000 || $type == 0x6000 ? "device" : "other"
}

macro fstype_of(file) { str(file->f_inode->i_sb->s_type->name) }

// The position has moved on by what was transferred.
macro offset_of(pos, ret) {
	let $at: int64 = 0;
	if (pos != 0) {
		$at = *pos;
		if (ret > 0) {
			$at = $at - ret;
		}
	}
	$at
}

macro opened(name) {
	fire fs:open(file = name, fd = ret < 0 ? -1 : ret, errno = errno, took = took);
}

syscall:open, syscall:openat, syscall:openat2 { opened(str(args.filename)); }
syscall:creat { opened(str(args.pathname)); }
syscall:open_by_handle_at { opened(ret < 0 ? "" : name_of((struct file *)file_of(curtask, ret))); }

macro was_read(f, pos) {
	$ret = (int64)retval;
	fire fs:read(file = name_of(f), kind = kind_of(f), dev = file_dev(f->f_inode), inode = f->f_inode->i_ino,
		fstype = fstype_of(f), offset = offset_of(pos, $ret), bytes = $ret > 0 ? $ret : 0,
		errno = $ret < 0 ? -$ret : 0, took = took, generation = f->f_inode->i_generation,
		path = file_path(f->f_path.dentry));
}

macro was_written(f, pos) {
	$ret = (int64)retval;
	fire fs:write(file = name_of(f), kind = kind_of(f), dev = file_dev(f->f_inode), inode = f->f_inode->i_ino,
		fstype = fstype_of(f), offset = offset_of(pos, $ret), bytes = $ret > 0 ? $ret : 0,
		errno = $ret < 0 ? -$ret : 0, took = took, generation = f->f_inode->i_generation,
		path = file_path(f->f_path.dentry));
}

call:vfs_read, call:vfs_readv { was_read(args.file, args.pos); }
call:vfs_write, call:vfs_writev { was_written(args.file, args.pos); }

// A stacked file system reads the file below by the same function, within its own call. What copy_file_range() reads is
// only the file below.
let @splicing = lruhash(16384);

kprobe:do_splice_read | kprobe:do_splice_to /comptime (exists(kprobe:do_splice_read) || exists(kprobe:do_splice_to)) && !is_backing(args.in)/ {
	@splicing[tid] = true;
}

call:do_splice_read | do_splice_to /!is_backing(args.in) || !@splicing[tid]/ {
	if (!is_backing(args.in)) {
		delete(@splicing, tid);
	}
	was_read(args.in, args.ppos);
}

call:iter_file_splice_write, call:splice_to_socket | generic_splice_sendpage {
	was_written(args.out, args.ppos);
}

syscall:fsync, syscall:fdatasync /errno != 9/ {
	// EBADF: there is no such file. The functions below may be inlined into each other; the table of descriptors stays.
	$file = (struct file *)file_of(curtask, args.fd);
	fire fs:sync(file = name_of($file), dev = file_dev($file->f_inode), inode = $file->f_inode->i_ino,
		fstype = fstype_of($file), errno = errno, took = took);
}
