// page: pages of files in memory (the page cache).
//
// All numbers are pages of 4 KB, also where the kernel keeps several in one folio. Only the index of
// pages of hugetlbfs counts huge pages before Linux 6.7.
//
// Hooks: the raw tracepoints mm_filemap_add_to_page_cache, mm_filemap_delete_from_page_cache
// and writeback_dirty_folio (writeback_dirty_page on 5.10); folio_mark_accessed
// (mark_page_accessed on 5.10); for what is read ahead page_cache_ra_unbounded,
// page_cache_ra_order (6.1 and later) and force_page_cache_ra, which call each other; for
// page:used by mmap() filemap_fault, set_pte_range (do_set_pte on 6.1, alloc_set_pte on 5.10) and
// do_set_pmd (6.1 and later), for pages that are moved folio_migrate_flags (migrate_page_states on 5.10),
// for those that are merged into a huge page folio_isolate_lru and the raw tracepoint
// mm_khugepaged_collapse_file (6.12 and later), for tmpfs shmem_add_to_page_cache and, as it is
// swapped out, shmem_writepage (shmem_writeout on 7.2).

// page:added: Pages of a file were added to the page cache.
//
// It runs in the thread that reads, writes or touches the file.
probe page:added(
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // inode number
	file: string[256],  // last component of its path; empty if not in the directory cache
	index: uint64,      // offset in the file, in pages
	pages: uint64,      // number of pages
	readahead: bool,    // true if they were read ahead
	generation: uint32, // distinguishes it from earlier files with that inode number
	path,               // path of the file, for display: see inode_path()
);

// page:readahead: Pages of a file were added to the page cache by readahead.
//
// It runs in the thread that caused the readahead. The pages that it requested itself are
// included. page:readahead sees each page of page:added with readahead once.
probe page:readahead(
	dev: uint32,        // device of the file system: major << 20 | minor
	inode: uint64,      // inode number
	file: string[256],  // last component of its path; empty if not in the directory cache
	index: uint64,      // offset in the file, in pages
	pages: uint64,      // number of pages
	generation: uint32, // distinguishes it from earlier files with that inode number
	path,               // path of the file, for display: see inode_path()
);

// page:used: Pages that were read ahead are used for the first time.
//
// It runs in the thread that uses them: it reads them, or the kernel maps them for it, which
// includes pages around the one that is touched, or copies them for it. Pages that a program
// only writes to need not count as used. The pages of one folio count as used together. At most
// 262144 folios are followed at a time; more are counted as lost. Pages that are merged into a
// huge page (by khugepaged or MADV_COLLAPSE) before they are used count as used together. On
// Linux 5.10 and 6.1 these are no longer followed: they are neither used nor wasted; and on 5.10
// a huge page that is mapped as a whole is not seen to be used.
probe page:used(
	dev: uint32,             // device of the file system: major << 20 | minor
	inode: uint64,           // inode number
	file: string[256],       // last component of its path; empty if not in the directory cache
	index: uint64,           // offset in the file, in pages
	pages: uint64,           // number of pages
	age: uint64,             // ns since they were read ahead
	reader: uint32,          // process that caused the readahead
	reader_comm: string[16], // its name
	generation: uint32,      // distinguishes the file from earlier ones with that inode number
);

// page:wasted: Pages that were read ahead leave the page cache without having been used.
//
// It runs in the thread that frees them.
probe page:wasted(
	dev: uint32,             // device of the file system: major << 20 | minor
	inode: uint64,           // inode number
	file: string[256],       // last component of its path; empty if not in the directory cache
	index: uint64,           // offset in the file, in pages
	pages: uint64,           // number of pages
	age: uint64,             // ns since they were read ahead
	reader: uint32,          // process that caused the readahead
	reader_comm: string[16], // its name
);

// page:accessed: Pages of a file are used by read() or write().
//
// It runs in the thread that uses them. One read may mark a page several times;
// the pages of a folio are marked together. Pages used through mmap() are marked when
// they are unmapped.
probe page:accessed(
	dev: uint32,       // device of the file system: major << 20 | minor
	inode: uint64,     // inode number
	file: string[256], // last component of its path; empty if not in the directory cache
	index: uint64,     // offset in the file, in pages
	pages: uint64,     // number of pages
) witness("/proc/vmstat: pgactivate %d", "this kernel marks pages by other functions than folio_mark_accessed and mark_page_accessed: page:added sees what is read from disks");

// page:dirtied: Pages of a file become dirty.
//
// It runs in the writing thread. A folio counts with all of its pages, even if only some
// of its bytes are written, as in write_bytes of /proc/PID/io.
probe page:dirtied(
	dev: uint32,       // device of the file system: major << 20 | minor
	disk: string[32],  // name of the disk that it is on, as in /proc/diskstats; empty for btrfs and file systems of the network
	inode: uint64,     // inode number
	file: string[256], // last component of its path; empty if not in the directory cache
	index: uint64,     // offset in the file, in pages
	pages: uint64,     // number of pages
);

// page:removed: Pages of a file are removed from the page cache.
//
// It runs in the thread that frees them.
probe page:removed(
	dev: uint32,       // device of the file system: major << 20 | minor
	inode: uint64,     // inode number
	file: string[256], // last component of its path; empty if not in the directory cache
	index: uint64,     // offset in the file, in pages
	pages: uint64,     // number of pages
);

// Memory of programs has a mapping too, with a mark in its lowest bits.
macro is_file(f) {
	let $m = (uint64)mapping_of(f);
	$m != 0 && ($m & 3) == 0 && ((struct address_space *)$m)->host != 0
}

macro dev_of(f) { file_dev(mapping_of(f)->host) }

// A device's own pages (the file system's inodes and directories, mostly) know it by their
// inode, those of files by their file system.
macro disk_of(f) {
	let $bdev: uint64 = 0;
	$host = mapping_of(f)->host;
	if (($host->i_mode & 0xf000) == 0x6000) {
		$bdev = (uint64)&container_of($host, struct bdev_inode, vfs_inode)->bdev;
	} else {
		$bdev = (uint64)$host->i_sb->s_bdev;
	}
	$bdev ? str(((struct block_device *)$bdev)->bd_disk->disk_name) : ""
}

macro inode_of(f) { mapping_of(f)->host->i_ino }

// One name of the file, if the kernel has one in memory.
macro file_of(f) {
	$name = (struct dentry *)dentry_of(mapping_of(f)->host);
	(uint64)$name ? str($name->d_name.name) : ""
}

macro index_of(f) {
	let $i: uint64 = 0;
	if (exists(struct folio)) {
		$i = ((struct folio *)f)->index;
	} else {
		$i = ((struct page *)f)->index;
	}
	$i
}

// How deep the thread is in functions that read ahead. One of them is not on 5.10.
fentry:page_cache_ra_unbounded | kprobe:page_cache_ra_unbounded,
fentry:page_cache_ra_order* | kprobe:page_cache_ra_order*,
fentry:force_page_cache_ra | kprobe:force_page_cache_ra {
	@depth[tid]++;
}

fexit:page_cache_ra_unbounded | kretprobe:page_cache_ra_unbounded,
fexit:page_cache_ra_order* | kretprobe:page_cache_ra_order*,
fexit:force_page_cache_ra | kretprobe:force_page_cache_ra /@depth[tid] > 0/ {
	@depth[tid]--;
	if (@depth[tid] == 0) {
		delete(@depth, tid);
	}
}

// Pages that were read ahead and not used yet: since when, how many, for whom, and of which
// file. A huge page takes the place of folios without an event: their memory is something else's then.
let @unused = hash(262144);

macro used(@unused, f) {
	$p = @unused[f];
	if ($p.0) {
		if ($p.4 == (uint64)mapping_of(f)) {
			fire page:used(dev = dev_of(f), inode = inode_of(f), file = file_of(f), index = index_of(f), pages = $p.1,
				age = nsecs - $p.0, reader = $p.2, reader_comm = $p.3, generation = mapping_of(f)->host->i_generation);
		}
		delete(@unused, f);
	}
}

rawtracepoint:mm_filemap_add_to_page_cache {
	fire page:added(dev = dev_of(arg0), inode = inode_of(arg0), file = file_of(arg0),
			index = index_of(arg0), pages = pages_of(arg0),
		readahead = @depth[tid] > 0, generation = mapping_of(arg0)->host->i_generation, path = inode_path(mapping_of(arg0)->host));
	if (@depth[tid] > 0) {
		@unused[arg0] = (nsecs, pages_of(arg0), pid, comm, (uint64)mapping_of(arg0));
		fire page:readahead(dev = dev_of(arg0), inode = inode_of(arg0), file = file_of(arg0),
			index = index_of(arg0), pages = pages_of(arg0), generation = mapping_of(arg0)->host->i_generation,
			path = inode_path(mapping_of(arg0)->host));
	} else {
		delete(@unused, arg0); // of what was here before
	}
}

// Memory file systems (tmpfs) have their own way, without an event.
call:shmem_add_to_page_cache /comptime exists(kprobe:shmem_add_to_page_cache) && (int64)retval == 0/ {
	fire page:added(dev = dev_of(arg0), inode = inode_of(arg0), file = file_of(arg0),
			index = index_of(arg0), pages = pages_of(arg0),
		readahead = false, generation = mapping_of(arg0)->host->i_generation, path = inode_path(mapping_of(arg0)->host));
}

// They lose pages as these are swapped out. Of which file a page was is not known behind the call, and a large folio
// may be split by it.
fentry:shmem_writepage | kprobe:shmem_writepage | fentry:shmem_writeout | kprobe:shmem_writeout {
	@leaving[tid] = (dev_of(arg0), inode_of(arg0), file_of(arg0), index_of(arg0));
}

call:shmem_writepage | shmem_writeout /@leaving[tid].1/ {
	if (retval == 0) {
		$p = @leaving[tid];
		fire page:removed(dev = $p.0, inode = $p.1, file = $p.2, index = $p.3, pages = pages_of(arg0));
	}
	delete(@leaving, tid);
}

// The kernel moves pages as it makes room for larger ones: the folio is another then.
fentry:folio_migrate_flags | kprobe:folio_migrate_flags | fentry:migrate_page_states | kprobe:migrate_page_states {
	if (@unused[arg1].0) {
		@unused[arg0] = @unused[arg1];
		delete(@unused, arg1);
	}
}

fentry:folio_mark_accessed | kprobe:folio_mark_accessed | fentry:mark_page_accessed | kprobe:mark_page_accessed {
	if (is_file(arg0)) {
		fire page:accessed(dev = dev_of(arg0), inode = inode_of(arg0), file = file_of(arg0),
			index = index_of(arg0), pages = pages_of(arg0));
	}
	used(@unused, arg0);
}

// What is merged into a huge page is taken off its list first. If it is given up, the new page belongs to no file.
fentry:folio_isolate_lru | kprobe:folio_isolate_lru /comptime exists(rawtracepoint:mm_khugepaged_collapse_file)/ {
	$p = @unused[arg0];
	if ($p.0 && $p.4 == (uint64)mapping_of(arg0)) {
		@merging[tid] += $p.1;
		@merged[tid] = $p;
	}
}

rawtracepoint:mm_khugepaged_collapse_file /comptime exists(rawtracepoint:mm_khugepaged_collapse_file) && @merged[tid].0/ {
	$p = @merged[tid];
	if ($p.4 == (uint64)mapping_of(arg1)) {
		@unused[arg1] = ($p.0, @merging[tid], $p.2, $p.3, $p.4);
	}
	delete(@merged, tid);
	delete(@merging, tid);
}

// head_of(page): the folio that a page belongs to, up to 6.12.
macro head_of(page) {
	let $f: uint64 = (uint64)page;
	if (exists(struct page, compound_head)) {
		$head = ((struct page *)$f)->compound_head;
		if ($head & 1) {
			$f = $head - 1;
		}
	}
	$f
}

// What is mapped: a folio since 6.12; before a page, on 6.1 perhaps one inside of a folio.
fentry:do_set_pmd* | kprobe:do_set_pmd*,
fentry:set_pte_range | kprobe:set_pte_range | fentry:do_set_pte | kprobe:do_set_pte | fentry:alloc_set_pte | kprobe:alloc_set_pte {
	used(@unused, head_of(arg1));
}

// Of a private mapping that is written to, a copy of the page is mapped. VM_FAULT_LOCKED: there is a page.
call:filemap_fault /retval & 0x200/ { used(@unused, head_of(args.vmf->page)); }

rawtracepoint:mm_filemap_delete_from_page_cache {
	fire page:removed(dev = dev_of(arg0), inode = inode_of(arg0), file = file_of(arg0),
			index = index_of(arg0), pages = pages_of(arg0));
	$p = @unused[arg0];
	if ($p.0) {
		if ($p.4 == (uint64)mapping_of(arg0)) {
			fire page:wasted(dev = dev_of(arg0), inode = inode_of(arg0), file = file_of(arg0), index = index_of(arg0),
				pages = $p.1, age = nsecs - $p.0, reader = $p.2, reader_comm = $p.3);
		}
		delete(@unused, arg0);
	}
}

rawtracepoint:writeback_dirty_folio | rawtracepoint:writeback_dirty_page {
	fire page:dirtied(dev = dev_of(arg0), disk = disk_of(arg0), inode = inode_of(arg0), file = file_of(arg0),
			index = index_of(arg0), pages = pages_of(arg0));
}
