#!/usr/bin/env fst
// cachestat: What is the hit rate of the page cache?
//
// Topic: memory
// Usage: cachestat [interval [count]]
// Common: task, time
// Reading: All columns count pages of 4 KB. ACCESS is the number of pages that programs read with read(), sendfile() and
//  splice(); each call counts each page that it touches. ADDED is the number of pages brought into memory for that,
//  readahead included; HIT% is the share of ACCESS that is left without ADDED, so pages that were read ahead count as
//  missed even if nobody uses them. FAULTED is the number of pages brought into memory by page faults on mapped files,
//  which are in no other column. DIRTY is the number of pages modified; the kernel counts large folios as a whole, as in
//  nr_dirtied of /proc/vmstat.
// Example: fst cachestat 1
// Example: fst cachestat -c postgres -d 60
// Misses: Accesses to pages that are mapped already, which the kernel does not see. Direct I/O, which bypasses the cache.
//  Pages that writes and readahead() bring in. Files of tmpfs are always in memory or in swap space (swapin).
// Cost: Two probes per read of a file and per fault on a mapped one, one per folio that is added or modified.
// Others: bcc's probes add_to_page_cache_lru(), which newer kernels do not call when they read a file: 64 MB
//  that were not in memory count as hits (Linux 6.1 and 6.12), or not at all (7.2).
// Instead: iotop

// The file that a thread reads from, and the mapped one on which it is in a fault. What the file system reads to find
// their blocks belongs to neither.
let @reading = hash(65536);
let @faulting = hash(65536);

fentry:filemap_read | kprobe:filemap_read | fentry:generic_file_buffered_read | kprobe:generic_file_buffered_read /mine()/ {
	@reading[tid] = (uint64)((struct kiocb *)arg0)->ki_filp->f_mapping;
}

fentry:filemap_splice_read | kprobe:filemap_splice_read /comptime exists(kprobe:filemap_splice_read) && mine()/ {
	@reading[tid] = (uint64)((struct file *)arg0)->f_mapping;
}

fentry:filemap_fault | kprobe:filemap_fault /mine()/ {
	@faulting[tid] = (uint64)((struct vm_fault *)arg0)->vma->vm_file->f_mapping;
}

call:filemap_fault /mine()/ {
	delete(@faulting, tid);
}

// The pages of so many bytes before a place in a file.
fn touched($end: int64, $bytes: int64) {
	if ($bytes > 0) {
		@access = sum((($end - 1) >> 12) - (($end - $bytes) >> 12) + 1);
	}
}

// What is returned counts what was read before the call, too.
call:filemap_read | generic_file_buffered_read /mine()/ {
	touched(((struct kiocb *)arg0)->ki_pos, (int64)retval - (int64)arg2);
	delete(@reading, tid);
}

call:filemap_splice_read /comptime exists(kprobe:filemap_splice_read) && mine()/ {
	touched(*(int64 *)arg1, (int64)retval);
	delete(@reading, tid);
}

call:shmem_file_read_iter /mine()/ {
	touched(((struct kiocb *)arg0)->ki_pos, (int64)retval);
}

call:shmem_file_splice_read /comptime exists(kprobe:shmem_file_splice_read) && mine()/ {
	touched(*(int64 *)arg1, (int64)retval);
}

rawtracepoint:mm_filemap_add_to_page_cache /mine()/ {
	if (@faulting[tid]) {
		if (@faulting[tid] == (uint64)mapping_of(arg0)) {
			@faulted = sum(pages_of(arg0));
		}
	} else if (@reading[tid] && @reading[tid] == (uint64)mapping_of(arg0)) {
		@added = sum(pages_of(arg0));
	}
}

rawtracepoint:writeback_dirty_folio | rawtracepoint:writeback_dirty_page /mine()/ {
	@dirty = sum(pages_of(arg0));
}

report {
	$access = (uint64)@access;
	$hits = $access > (uint64)@added ? $access - (uint64)@added : 0;
	row("ACCESS %9d ADDED %9d HIT%% %4d FAULTED %9d DIRTY %9d", $access, (uint64)@added,
		$access > 0 ? $hits * 100 / $access : 0, (uint64)@faulted, (uint64)@dirty);
}
