// Which file it is, and where.

// file_dev(inode): the device that a file is on, as stat() shows it. Each subvolume of btrfs has one, and its own numbers of
// files; where the types of btrfs are not known (Linux 5.10) that of the whole file system stands for all.
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

// file_id(inode): what tells a file apart from all others: its device, its number, and what
// tells it apart from files that had that number before.
macro file_id(inode) {
	(file_dev(inode), ((struct inode *)inode)->i_ino, ((struct inode *)inode)->i_generation)
}

// file_path(dentry): where a file is, to show it: its file system as the kernel names it (the disk
// that it is on, most often), and its path there, as in "vda1:/var/log/syslog". Of a longer path
// these are the last four parts: "vda1:.../15/main/base/1". file_id() tells files apart.
macro file_path(dentry) {
	let $path: string[528] = "";
	let $at = (struct dentry *)dentry;
	if ($at->d_parent == $at) {
		$path = str($at->d_name.name, 128); // the root, or a file that is in no directory
	}
	unroll (4) {
		if ($at->d_parent != $at) {
			$path = str_concat(str_concat("/", str($at->d_name.name, 128)), $path);
			$at = $at->d_parent;
		}
	}
	str_concat(str_concat(str($at->d_sb->s_id, 32), $at->d_parent != $at ? ":..." : ":"), $path)
}

// dentry_of(inode): one name of a file that the kernel has in memory, or 0.
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

// inode_path(inode): the same as file_path() for one name of the file; the name of a disk that is
// read as a whole ("bdev:vda1"), or "?" instead of a path if the kernel has none in memory.
macro inode_path(inode) {
	let $shown: string[576] = "";
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
