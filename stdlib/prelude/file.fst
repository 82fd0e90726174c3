// What files, pages and disks say of themselves.

// file_name(file): the last component of the path of an open file.
macro file_name(file) { str(((struct file *)file)->f_path.dentry->d_name.name) }

// is_regular(file): it is a regular file: no pipe, socket or device.
macro is_regular(file) { (((struct file *)file)->f_inode->i_mode & 0xf000) == 0x8000 }

// was_created(file): this open created the file (FMODE_CREATED), or one without a name (O_TMPFILE).
macro was_created(file) {
	(((struct file *)file)->f_mode & 0x100000) != 0 || (((struct file *)file)->f_flags & 0x400000) != 0
}

// is_path(file): it was opened with O_PATH (FMODE_PATH) and can be neither read nor written.
macro is_path(file) { (((struct file *)file)->f_mode & 0x4000) != 0 }

// is_backing(file): a stacked file system (overlayfs) opened it on behalf of a file that a program has open
// (FMODE_NOACCOUNT).
macro is_backing(file) { (((struct file *)file)->f_mode & 0x20000000) != 0 }

// pages_of(folio): the number of pages in a folio (in a compound page on 5.10, which has no folios).
macro pages_of(folio) {
	let $n: uint64 = 1;
	if ((*(uint64 *)folio >> PG_head) & 1) {
		if (exists(struct folio, _nr_pages)) {
			$n = ((struct folio *)folio)->_nr_pages;
		} else if (exists(struct folio, _folio_nr_pages)) {
			$n = ((struct folio *)folio)->_folio_nr_pages;
		} else {
			$n = ((struct page *)folio + 1)->compound_nr;
		}
	}
	$n
}

// mapping_of(folio): the pages of the same file in memory, a struct address_space (of a page on 5.10).
macro mapping_of(folio) {
	let $m: struct address_space * = 0;
	if (exists(struct folio)) {
		$m = ((struct folio *)folio)->mapping;
	} else {
		$m = ((struct page *)folio)->mapping;
	}
	$m
}

// bio_disk(bio): the name of the disk that a bio is sent to.
macro bio_disk(bio) {
	comptime exists(struct bio, bi_disk) ? str(((struct bio *)bio)->bi_disk->disk_name) :
		str(((struct bio *)bio)->bi_bdev->bd_disk->disk_name)
}

// on_disk(name): the user asked for this disk (--disk), or for all.
macro on_disk(name) { getopt("disk", "", "only this disk") == "" || name == getopt("disk", "") }

// on_disk(name, stacked): the same for probes that also see stacked disks (md, dm). Without --disk those are left
// out: their I/O is seen again on the disks below them.
macro on_disk(name, stacked) {
	comptime (getopt("disk", "") == "") ? !stacked : name == getopt("disk", "")
}

// queue_disk(q): the name of the disk of a request queue.
macro queue_disk(q) {
	comptime exists(struct request_queue, disk) ? str(((struct request_queue *)q)->disk->disk_name) :
		str(((struct request_queue *)q)->kobj.parent->name)
}

// is_sync(opf): the flags of a request that a program waits for: a read, or a write of a sync.
macro is_sync(opf) {
	(opf & 0xff) == REQ_OP_READ || (opf & ((1 << __REQ_SYNC) | (1 << __REQ_FUA) | (1 << __REQ_PREFLUSH))) != 0
}
