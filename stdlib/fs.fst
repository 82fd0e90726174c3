// fs: what programs do with files.
//
// Hooks: fs:open and fs:sync the system calls; the others the functions vfs_read, vfs_readv,
// vfs_write and vfs_writev, which are there and called on 5.10, 6.1, 6.12 and 7.2. Each runs
// in the thread that asked, at the end of the operation.
//
// I/O by io_uring and by the kernel itself (nfsd, swap) takes other ways, and mmap() none.

// fs:open: A program opened a file, or could not.
//
// The path is as the program gave it, relative ones too.
probe fs:open(
	file: string, // the path
	fd: int64,    // the descriptor, or -1
	errno: int64, // why not, or 0
	took: uint64, // ns
);

// fs:read: A program read from a file, pipe, socket or device.
//
// Reads of regular files only: /args.kind == "file"/. A read of a socket by recv() is none.
probe fs:read(
	file: string[64],   // last part of the file's name
	kind: string[8],    // file, dir, pipe, socket, device, other
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // number of the file
	fstype: string[16], // kind of file system
	offset: int64,      // where it began to read, 0 if the file has no places
	bytes: uint64,      // how many it got
	errno: int64,       // error number, or 0
	took: uint64,       // ns
) witness("tracepoint:syscalls:sys_exit_read", "this kernel reads by other functions than vfs_read: syscall:read sees each call");

// fs:write: A program wrote to a file, pipe, socket or device.
//
// What is written is most often in memory then, not yet on the disk.
probe fs:write(
	file: string[64],   // last part of the file's name
	kind: string[8],    // file, dir, pipe, socket, device, other
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // number of the file
	fstype: string[16], // kind of file system
	offset: int64,      // where it began to write, 0 if the file has no places
	bytes: uint64,      // how many it wrote
	errno: int64,       // error number, or 0
	took: uint64,       // ns
) witness("tracepoint:syscalls:sys_exit_write", "this kernel writes by other functions than vfs_write: syscall:write sees each call");

// fs:sync: A program had a file written to its disk: fsync() or fdatasync().
//
// sync(), syncfs() and msync(), and what O_SYNC does behind each write, are not among them.
probe fs:sync(
	file: string[64],   // last part of the file's name
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

syscall:open, syscall:openat, syscall:openat2 {
	fire fs:open(file = str(args.filename), fd = ret < 0 ? -1 : ret, errno = errno, took = took);
}

call:vfs_read, call:vfs_readv {
	$ret = (int64)retval;
	fire fs:read(file = name_of(args.file), kind = kind_of(args.file), dev = args.file->f_inode->i_sb->s_dev,
		inode = args.file->f_inode->i_ino, fstype = fstype_of(args.file), offset = offset_of(args.pos, $ret),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}

call:vfs_write, call:vfs_writev {
	$ret = (int64)retval;
	fire fs:write(file = name_of(args.file), kind = kind_of(args.file), dev = args.file->f_inode->i_sb->s_dev,
		inode = args.file->f_inode->i_ino, fstype = fstype_of(args.file), offset = offset_of(args.pos, $ret),
		bytes = $ret > 0 ? $ret : 0, errno = $ret < 0 ? -$ret : 0, took = took);
}

syscall:fsync, syscall:fdatasync {
	// The functions below may be inlined into each other; the table of descriptors stays.
	$file = curtask->files->fdt->fd[args.fd];
	fire fs:sync(file = name_of($file), dev = $file->f_inode->i_sb->s_dev, inode = $file->f_inode->i_ino,
		fstype = fstype_of($file), errno = errno, took = took);
}
