// What files, pages and disks say of themselves.

// file_name(file): the last part of an open file's name.
macro file_name(file) { str(((struct file *)file)->f_path.dentry->d_name.name) }

// is_regular(file): neither a pipe, nor a socket, nor a device.
macro is_regular(file) { (((struct file *)file)->f_inode->i_mode & 0xf000) == 0x8000 }

// was_created(file): this open made the file (FMODE_CREATED), or one that has no name (O_TMPFILE).
macro was_created(file) {
	(((struct file *)file)->f_mode & 0x100000) != 0 || (((struct file *)file)->f_flags & 0x400000) != 0
}

// is_path(file): it was opened as a place only, with O_PATH (FMODE_PATH).
macro is_path(file) { (((struct file *)file)->f_mode & 0x4000) != 0 }

// is_backing(file): a stacked file system (overlayfs) opened it for itself, behind one that a program has open
// (FMODE_NOACCOUNT).
macro is_backing(file) { (((struct file *)file)->f_mode & 0x20000000) != 0 }

// pages_of(folio): its number of pages (of a page on 5.10, which has no folios).
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

// bio_disk(bio): the name of the disk that it goes to.
macro bio_disk(bio) {
	comptime exists(struct bio, bi_disk) ? str(((struct bio *)bio)->bi_disk->disk_name) :
		str(((struct bio *)bio)->bi_bdev->bd_disk->disk_name)
}

// on_disk(name): the disk is the one that the user asked for (--disk).
macro on_disk(name) { getopt("disk", "", "only this disk") == "" || name == getopt("disk", "") }

// on_disk(name, stacked): the same for probes that see stacked disks, too (md, dm): without
// --disk only the disks below them, where what they do is seen again.
macro on_disk(name, stacked) {
	comptime (getopt("disk", "") == "") ? !stacked : name == getopt("disk", "")
}

// queue_disk(q): the name of the disk of a request queue.
macro queue_disk(q) {
	comptime exists(struct request_queue, disk) ? str(((struct request_queue *)q)->disk->disk_name) :
		str(((struct request_queue *)q)->kobj.parent->name)
}

// is_sync(opf): a program waits for a request with these flags: a read, or a write for a sync.
macro is_sync(opf) {
	(opf & 0xff) == REQ_OP_READ || (opf & ((1 << __REQ_SYNC) | (1 << __REQ_FUA) | (1 << __REQ_PREFLUSH))) != 0
}
