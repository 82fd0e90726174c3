// Which file it is, and where.

// file_dev(inode): the device that a file is on, as stat() shows it. Each subvolume of btrfs has a device and inode
// numbers of its own; where the types of btrfs are not known (Linux 5.10), all have the device of the file system.
macro file_dev(inode) {
	let $dev: uint32 = ((struct inode *)inode)->i_sb->s_dev;
	if (exists(struct btrfs_inode, vfs_inode)) {
		if (((struct inode *)inode)->i_sb->s_magic == 0x9123683e) {
			$own = container_of(inode, struct btrfs_inode, vfs_inode)->root->anon_dev;
			$dev = $own ? $own : $dev;
		}
	}
	$dev
}

// file_id(inode): identifies a file: its device, its inode number, and the inode's generation, which
// differs from that of earlier files with the same number.
macro file_id(inode) {
	(file_dev(inode), ((struct inode *)inode)->i_ino, ((struct inode *)inode)->i_generation)
}

// file_path(dentry): the file system, as the kernel names it (mostly the disk), and the path of a file on it, for display:
// "vda1:/var/log/syslog". A longer path is cut to its last four components: "vda1:.../15/main/base/1". Names of directories
// are cut to 127 characters.
// Use file_id() to tell files apart.
macro file_path(dentry) {
	let $path: string[656] = "";
	let $at = (struct dentry *)dentry;
	if ($at->d_parent == $at) {
		$path = str($at->d_name.name, 256); // the root, or a file that is in no directory
	} else {
		$path = str_concat("/", str($at->d_name.name, 256));
		$at = $at->d_parent;
	}
	unroll (3) {
		if ($at->d_parent != $at) {
			$path = str_concat(str_concat("/", str($at->d_name.name, 128)), $path);
			$at = $at->d_parent;
		}
	}
	str_concat(str_concat(str($at->d_sb->s_id, 32), $at->d_parent != $at ? ":..." : ":"), $path)
}

// dentry_of(inode): a dentry of a file, if the kernel has one in memory, or 0.
macro dentry_of(inode) {
	let $entry: uint64 = (uint64)((struct inode *)inode)->i_dentry.first;
	if ($entry) {
		if (exists(struct dentry, d_u)) {
			$entry -= offsetof(struct dentry, d_u.d_alias);
		} else {
			$entry -= offsetof(struct dentry, d_alias);
		}
	}
	$entry
}

// inode_path(inode): file_path() of one name of the file. For a disk that is read as a whole it is "bdev:vda1"; if the
// kernel has no name in memory, the path is "?".
macro inode_path(inode) {
	let $shown: string[704] = "";
	let $name = (struct dentry *)dentry_of(inode);
	if (((struct inode *)inode)->i_sb->s_magic == 0x62646576) {
		let $disk = container_of(inode, struct bdev_inode, vfs_inode);
		if (exists(struct block_device, bd_device)) {
			$shown = str_concat("bdev:", str($disk->bdev.bd_device.kobj.name, 32));
		} else {
			$shown = str_concat("bdev:", str($disk->bdev.bd_part->__dev.kobj.name, 32));
		}
	} else if ((uint64)$name) {
		$shown = file_path($name);
	} else {
		$shown = str_concat(str(((struct inode *)inode)->i_sb->s_id, 32), ":?");
	}
	$shown
}
