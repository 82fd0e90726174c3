package check

import (
	"slices"
	"strings"

	"fst/compiler/types"
	"fst/lang/diag"
)

// What is suggested in the place of something that this kernel does not have:
// its successor where it is known, else the names that are most alike.

// renamed are kernel functions that well-known scripts probe and that were
// renamed, inlined or removed; the first successor that exists is suggested.
var renamed = map[string][]string{
	"blk_account_io_start":       {"tracepoint:block:block_io_start", "__blk_account_io_start", "tracepoint:block:block_rq_issue"},
	"blk_account_io_done":        {"tracepoint:block:block_io_done", "__blk_account_io_done", "tracepoint:block:block_rq_complete"},
	"blk_account_io_completion":  {"tracepoint:block:block_rq_complete"},
	"blk_start_request":          {"blk_mq_start_request"},
	"do_sys_open":                {"do_sys_openat2"},
	"_do_fork":                   {"kernel_clone"},
	"do_fork":                    {"kernel_clone"},
	"finish_task_switch":         {"finish_task_switch.isra.0", "tracepoint:sched:sched_switch"},
	"tcp_drop":                   {"tcp_drop_reason", "tracepoint:skb:kfree_skb"},
	"kfree_skb_reason":           {"sk_skb_reason_drop", "tracepoint:skb:kfree_skb"},
	"sk_skb_reason_drop":         {"kfree_skb_reason", "tracepoint:skb:kfree_skb"},
	"tcp_set_state":              {"tracepoint:sock:inet_sock_set_state"},
	"__do_page_cache_readahead":  {"do_page_cache_ra", "page_cache_ra_unbounded"},
	"ondemand_readahead":         {"page_cache_sync_ra", "page_cache_async_ra"},
	"__page_cache_alloc":         {"filemap_alloc_folio", "filemap_alloc_folio_noprof"},
	"add_to_page_cache_lru":      {"filemap_add_folio"},
	"mark_page_accessed":         {"folio_mark_accessed"},
	"account_page_dirtied":       {"folio_account_dirtied", "tracepoint:writeback:writeback_dirty_folio"},
	"swap_readpage":              {"swap_read_folio"},
	"swap_writepage":             {"swap_writeout", "swap_write_unplug"},
	"generic_make_request":       {"submit_bio_noacct"},
	"__generic_file_write_iter":  {"generic_perform_write"},
	"try_to_free_pages":          {"tracepoint:vmscan:mm_vmscan_direct_reclaim_begin"},
	"ttwu_do_wakeup":             {"tracepoint:sched:sched_wakeup"},
	"native_smp_send_reschedule": {"tracepoint:irq_vectors:reschedule_entry"},
	"new_sync_read":              {"vfs_read"},
	"new_sync_write":             {"vfs_write"},
	"generic_file_buffered_read": {"filemap_read"},
	"do_page_fault":              {"tracepoint:exceptions:page_fault_user"},
	"__do_page_fault":            {"tracepoint:exceptions:page_fault_user"},
	"handle_page_fault":          {"tracepoint:exceptions:page_fault_user"},
	"kfree_skb":                  {"tracepoint:skb:kfree_skb"},
	"__netif_receive_skb_core":   {"tracepoint:net:netif_receive_skb"},
	"dev_queue_xmit":             {"__dev_queue_xmit"},
	"scsi_mq_done":               {"scsi_done"},
	"scsi_init_io":               {"scsi_queue_rq"},
	"blk_mq_make_request":        {"blk_mq_submit_bio"},
	"blk_queue_bio":              {"blk_mq_submit_bio"},
	"blk_flush_plug_list":        {"__blk_flush_plug"},
	"do_fsync":                   {"vfs_fsync_range"},
	"do_execve":                  {"bprm_execve"},
	"__do_execve_file":           {"bprm_execve"},
	"do_execveat_common":         {"bprm_execve"},
	"security_bprm_set_creds":    {"security_bprm_creds_for_exec"},
	"do_renameat2":               {"filename_renameat2"},
	"do_unlinkat":                {"filename_unlinkat"},
	"do_mkdirat":                 {"filename_mkdirat"},
	"do_rmdir":                   {"filename_rmdir"},
	"do_symlinkat":               {"filename_symlinkat"},
	"do_linkat":                  {"filename_linkat"},
	"__alloc_pages_nodemask":     {"__alloc_pages_noprof", "__alloc_pages"},
	"kmem_cache_alloc_trace":     {"__kmalloc_cache_noprof"},
	"free_unref_page":            {"free_frozen_pages"},
	"filemap_add_to_page_cache":  {"filemap_add_folio"},
	"add_to_page_cache":          {"filemap_add_folio"},
	"pagecache_get_page":         {"__filemap_get_folio", "__filemap_get_folio_mpol"},
	"find_get_page":              {"__filemap_get_folio", "__filemap_get_folio_mpol"},
	"find_get_entry":             {"filemap_get_entry"},
	"delete_from_page_cache":     {"filemap_remove_folio"},
	"__delete_from_page_cache":   {"__filemap_remove_folio"},
	"ext4_readpages":             {"ext4_readahead"},
	"shrink_page_list":           {"shrink_folio_list"},
	"page_referenced":            {"folio_referenced"},
	"activate_page":              {"folio_activate"},
	"migrate_page":               {"migrate_folio"},
	"migrate_misplaced_page":     {"migrate_misplaced_folio"},
	"add_to_swap":                {"folio_alloc_swap"},
	"wait_on_page_bit":           {"folio_wait_bit"},
	"__lock_page":                {"__folio_lock"},
	"set_page_dirty":             {"folio_mark_dirty"},
	"end_page_writeback":         {"folio_end_writeback"},
	"test_clear_page_writeback":  {"__folio_end_writeback"},
	"account_page_cleaned":       {"folio_account_cleaned"},
	"__put_page":                 {"__folio_put"},
	"drop_slab_node":             {"drop_slab"},
	"writeback_inodes_wb":        {"__writeback_inodes_wb"},
	"napi_gro_receive":           {"gro_receive_skb"},
	"gro_receive_skb":            {"napi_gro_receive"},
}

// renamedEvents are tracepoints that were renamed or moved.
var renamedEvents = map[string]string{
	"tcp:tcp_set_state": "sock:inet_sock_set_state", "sock:tcp_set_state": "sock:inet_sock_set_state",
	"kmem:kmem_cache_alloc_node": "kmem:kmem_cache_alloc", "kmem:kmalloc_node": "kmem:kmalloc",
	"block:block_io_start": "block:block_rq_issue", "block:block_io_done": "block:block_rq_complete",
	"writeback:writeback_dirty_page": "writeback:writeback_dirty_folio", "writeback:writeback_dirty_folio": "writeback:writeback_dirty_page",
	"writeback:wait_on_page_writeback": "writeback:folio_wait_writeback", "writeback:folio_wait_writeback": "writeback:wait_on_page_writeback",
	"vmscan:mm_vmscan_writepage": "vmscan:mm_vmscan_write_folio", "vmscan:mm_vmscan_write_folio": "vmscan:mm_vmscan_writepage",
	"timer:hrtimer_init": "timer:hrtimer_setup", "timer:hrtimer_setup": "timer:hrtimer_init", "syscalls:sys_enter_mmap2": "syscalls:sys_enter_mmap",
}

// compiled are what a compiler or a kernel's macro puts behind a function's name.
var compiled = []string{"_noprof", ".isra.0", ".constprop.0", ".part.0"}

// renamedFields are members that well-known scripts read and that were renamed
// or moved, with the path that leads to the value now, and members that many
// expect, with what they are called.
var renamedFields = map[string][]string{
	"struct task_struct.state":  {"__state"},
	"struct request.rq_disk":    {"q.disk"},
	"struct bio.bi_disk":        {"bi_bdev.bd_disk"},
	"struct bio.bi_sector":      {"bi_iter.bi_sector"},
	"struct bio.bi_size":        {"bi_iter.bi_size"},
	"struct bio.bi_rw":          {"bi_opf"},
	"struct inode.i_ctime":      {"__i_ctime", "i_ctime_sec"},
	"struct inode.i_mtime":      {"__i_mtime", "i_mtime_sec"},
	"struct inode.i_atime":      {"__i_atime", "i_atime_sec"},
	"struct mm_struct.mmap_sem": {"mmap_lock"},
	"struct sock.sk_daddr":      {"__sk_common.skc_daddr"},
	"struct sock.sk_dport":      {"__sk_common.skc_dport"},
	"struct sock.sk_family":     {"__sk_common.skc_family"},
	"struct sock.sk_state":      {"__sk_common.skc_state"},
	"struct sock.skc_daddr":     {"__sk_common.skc_daddr"},
	"struct sock.skc_dport":     {"__sk_common.skc_dport"},
	"struct sock.skc_num":       {"__sk_common.skc_num"},
	"struct file.f_dentry":      {"f_path.dentry"},
	"struct bio.bi_bdev":        {"bi_disk"},
	"struct sock.sk_num":        {"__sk_common.skc_num"}, "struct sock.sk_rcv_saddr": {"__sk_common.skc_rcv_saddr"},
	"struct sock.sk_v6_daddr": {"__sk_common.skc_v6_daddr"}, "struct sock.sk_v6_rcv_saddr": {"__sk_common.skc_v6_rcv_saddr"},
	"struct sock.sk_prot": {"__sk_common.skc_prot"}, "struct sock.sk_net": {"__sk_common.skc_net"},
	"struct sock.sk_bound_dev_if": {"__sk_common.skc_bound_dev_if"}, "struct tcp_sock.srtt": {"srtt_us"},
	"struct task_struct.cpu": {"thread_info.cpu"}, "struct cfs_rq.nr_running": {"nr_queued"}, "struct cfs_rq.h_nr_running": {"h_nr_queued"},
	"struct task_struct.ppid": {"real_parent.tgid"}, "struct task_struct.parent_pid": {"real_parent.tgid"}, "struct task_struct.tid": {"pid"},
	"struct task_struct.uid": {"cred.uid.val"}, "struct task_struct.gid": {"cred.gid.val"}, "struct task_struct.name": {"comm"},
	"struct inode.ino": {"i_ino"}, "struct inode.size": {"i_size"}, "struct file.inode": {"f_inode"}, "struct file.dentry": {"f_path.dentry"},
	"struct dentry.name":    {"d_name.name"},
	"struct dentry.d_iname": {"d_shortname.string"}, "struct iov_iter.iov": {"__iov"}, "struct page.index": {"__folio_index"},
	"struct request.q.disk": {"rq_disk"}, "struct request_queue.backing_dev_info": {"disk.bdi"}, "struct backing_dev_info.name": {"dev_name"},
	"struct bio.bi_partno": {"bi_bdev.bd_partno"}, "struct block_device.bd_queue": {"bd_disk.queue"}, "struct block_device.bd_start_sect": {"bd_part.start_sect"},
	"struct block_device.bd_inode": {"bd_mapping.host"}, "struct address_space.page_tree": {"i_pages"}, "struct file.f_count": {"f_ref"}, "struct file.f_ref": {"f_count"},
	"struct inode.i_ctime_sec": {"__i_ctime.tv_sec", "i_ctime.tv_sec"}, "struct inode.i_mtime_sec": {"__i_mtime.tv_sec", "i_mtime.tv_sec"},
	"struct inode.i_atime_sec": {"__i_atime.tv_sec", "i_atime.tv_sec"}, "struct dentry.d_count": {"d_lockref.count"},
	"struct dentry.d_subdirs": {"d_children"}, "struct dentry.d_children": {"d_subdirs"}, "struct dentry.d_child": {"d_sib"}, "struct dentry.d_sib": {"d_child"},
	"struct page.mem_cgroup": {"memcg_data"}, "struct page.memcg_data": {"mem_cgroup"}, "struct page.compound_head": {"compound_info"},
	"struct task_struct.cpus_allowed": {"cpus_mask"}, "struct task_struct.real_start_time": {"start_boottime"}, "struct task_struct.__state": {"state"},
	"struct cfs_rq.nr_queued": {"nr_running"}, "struct cfs_rq.h_nr_queued": {"h_nr_running"}, "struct vm_fault.real_address": {"address"},
	"struct inet_sock.inet_daddr": {"sk.__sk_common.skc_daddr"}, "struct inet_sock.inet_dport": {"sk.__sk_common.skc_dport"},
	"struct inet_sock.inet_num": {"sk.__sk_common.skc_num"}, "struct inet_sock.inet_rcv_saddr": {"sk.__sk_common.skc_rcv_saddr"},
	"struct inet_sock.hdrincl": {"inet_flags"}, "struct sock.sk_rmem_alloc": {"sk_backlog.rmem_alloc"}, "struct request_sock.rsk_listener": {"__req_common.skc_listener"},
	"struct inet_connection_sock.icsk_timeout": {"icsk_inet.sk.tcp_retransmit_timer.expires"}, "struct net.proc_inum": {"ns.inum"},
	"struct msghdr.msg_iov": {"msg_iter.iov", "msg_iter"}, "struct iov_iter.type": {"iter_type"}, "struct iov_iter.iter_type": {"type"},
	"struct cgroup.id": {"kn.id"}, "struct cgroup.ancestors": {"ancestor_ids"}, "struct cgroup.ancestor_ids": {"ancestors"},
	"struct kernfs_node.parent": {"__parent"}, "struct kernfs_node.__parent": {"parent"}, "struct tty_struct.pgrp": {"ctrl.pgrp"}, "struct tty_struct.session": {"ctrl.session"},
	"struct module.core_layout": {"mem"}, "struct module.init_layout": {"mem"}, "struct module.mem": {"core_layout"},
	"struct mutex.wait_list": {"first_waiter"}, "struct rw_semaphore.wait_list": {"first_waiter"}, "struct buffer_head.b_folio": {"b_page"},
}

// eventModules are the modules that the tracepoints of a category often are in.
var eventModules = map[string]string{
	"kvm": "kvm", "xfs": "xfs", "ext4": "ext4", "jbd2": "jbd2", "btrfs": "btrfs", "f2fs": "f2fs", "erofs": "erofs", "gfs2": "gfs2", "ocfs2": "ocfs2",
	"nfs": "nfs", "nfs4": "nfsv4", "nfsd": "nfsd", "sunrpc": "sunrpc", "rpcrdma": "rpcrdma", "cifs": "cifs", "ceph": "ceph", "fuse": "fuse",
	"nvme": "nvme_core", "scsi": "scsi_mod", "mmc": "mmc_core", "target": "target_core_mod", "bcache": "bcache", "nbd": "nbd", "dlm": "dlm",
	"drm": "drm", "i915": "i915", "amdgpu": "amdgpu", "cfg80211": "cfg80211", "mac80211": "mac80211", "bridge": "bridge", "vsock": "vsock",
}

// successorOf returns the path that reads today what a member gave before.
func successorOf(t *types.Type, name string) string {
	for _, path := range renamedFields[t.String()+"."+name] {
		at, ok := t, true
		for _, step := range strings.Split(path, ".") {
			if at.Kind == types.Pointer {
				at = at.Elem
			}
			var f types.Field
			if f, ok = at.Field(step); !ok {
				break
			}
			at = f.Type
		}
		if ok {
			return path
		}
	}
	return ""
}

// mostSimilar is how many names are suggested that hold what was written.
const mostSimilar = 3

// nearestFunction names the successor of a renamed function, the probe of a
// system call, the function whose name is most alike, or some whose names hold
// what was written.
func (c *checker) nearestFunction(f *failure, module, fn string) string {
	if s := c.successor(fn); s != "" {
		if lib := library[fn]; lib != "" {
			return orList([]string{lib, s})
		}
		return s
	}
	call := strings.ToLower(fn)
	for _, prefix := range []string{"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_", "sys_"} {
		if name, ok := strings.CutPrefix(call, prefix); ok {
			if c.isSyscall(name) {
				return "syscall:" + name
			}
		}
	}
	if c.isSyscall(fn) {
		return "syscall:" + fn
	}
	list, err := c.t.Traceable(module, "*")
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(list))
	for _, f := range list {
		names = append(names, f.Name)
	}
	if n := c.alike(f, fn, names); n != "" || module == "" {
		return n
	}
	return c.nearestFunction(f, "", fn)
}

// loaded stands behind a name that is alike but of another family: the function
// may be in a module that is not loaded.
const loaded = " A module's functions are there once it is loaded"

// alike names, of the kernel's functions, the one whose name is most like fn,
// or the event or functions whose names hold it. Functions that the kernel's
// macros make of an event stand for the event.
func (c *checker) alike(f *failure, fn string, names []string) string {
	names = slices.DeleteFunc(names, func(n string) bool { return eventOf(n) != "" })
	n := diag.NearestWithin(fn, names, 1)
	if longer := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, fn+"_") }); n == "" && len(longer) > 0 && len(fn) >= 4 {
		return similar(fn, longer)
	}
	if n == "" {
		n = diag.Nearest(fn, names)
	}
	if n != "" {
		if first, _, _ := strings.Cut(fn, "_"); !strings.HasPrefix(n, first) {
			f.also = loaded
		}
		return n
	}
	if list, err := c.t.Tracepoints("*", "*"+fn+"*"); err == nil && len(list) > 0 && len(fn) >= 8 && !isWild(fn) {
		return "tracepoint:" + slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) })
	}
	return similar(fn, names)
}

func (c *checker) isSyscall(name string) bool {
	_, known := c.t.SyscallNumber(name)
	return known
}

// userForm are the probes of user programs that are like those of the kernel.
var userForm = map[string]string{"kprobe": "uprobe", "kretprobe": "uretprobe", "fentry": "uprobe", "fexit": "uretprobe", "call": "ucall"}

// commonLibraries are those whose functions are taken for the kernel's.
var commonLibraries = []string{"libc", "libpthread", "libssl", "libcrypto"}

// userLibrary is the library that has a function, or "".
func (c *checker) userLibrary(fn string) string {
	for _, lib := range commonLibraries {
		paths, err := c.t.Binary(lib, 0)
		if err != nil {
			continue
		}
		for _, path := range paths {
			if found, err := c.t.Symbols(path, fn); err == nil && len(found) > 0 {
				return lib
			}
		}
	}
	return ""
}

// eventOf is the name of the event that a function of the kernel's macros is
// about, or "".
func eventOf(fn string) string {
	for _, prefix := range []string{"__traceiter_", "__probestub_", "__bpf_trace_", "trace_event_raw_event_", "perf_trace_", "trace_raw_output_"} {
		if event, ok := strings.CutPrefix(fn, prefix); ok {
			return event
		}
	}
	return ""
}

// library are the probes of the standard library that say on every kernel what
// a function did on some.
var library = map[string]string{
	"blk_account_io_start": "io:start", "blk_account_io_done": "io:done", "blk_account_io_completion": "io:done", "blk_start_request": "io:start",
}

// libraryEvents are the probes of the standard library that say on every kernel what
// tracepoints say on some.
var libraryEvents = map[string]string{
	"block:block_io_start": "io:start", "block:block_io_done": "io:done",
	"writeback:writeback_dirty_page": "page:dirtied", "writeback:writeback_dirty_folio": "page:dirtied",
	"readahead:page_cache_ra_unbounded": "page:readahead", "readahead:page_cache_ra_order": "page:readahead",
	"readahead:page_cache_sync_ra": "page:readahead", "readahead:page_cache_async_ra": "page:readahead",
}

// likeEvent lists what says here what a tracepoint of other kernels says.
func likeEvent(name string, all []string) []string {
	var found []string
	if lib := libraryEvents[name]; lib != "" {
		found = append(found, lib)
	}
	if now := renamedEvents[name]; slices.Contains(all, now) {
		found = append(found, "tracepoint:"+now)
	}
	_, event, _ := strings.Cut(name, ":")
	for _, n := range all {
		if strings.HasSuffix(n, ":"+event) {
			found = append(found, "tracepoint:"+n)
		}
	}
	return found
}

// successor is what took the place of a function on this kernel, or "".
func (c *checker) successor(fn string) string {
	for _, s := range renamed[fn] {
		if cat, event, ok := strings.Cut(strings.TrimPrefix(s, "tracepoint:"), ":"); ok {
			if list, err := c.t.Tracepoints(cat, event); err == nil && len(list) > 0 {
				return s
			}
			continue
		}
		if c.isTraceable(s) {
			return s
		}
	}
	for _, suffix := range compiled {
		if c.isTraceable(fn + suffix) {
			return fn + suffix
		}
	}
	if list, err := c.t.Tracepoints("*", fn); err == nil && len(list) > 0 && !isWild(fn) {
		return "tracepoint:" + list[0]
	}
	return ""
}

// isTraceable reports whether the kernel lists a function as one that can be
// probed.
func (c *checker) isTraceable(fn string) bool {
	list, err := c.t.Traceable("", fn)
	return err == nil && len(list) > 0 && !list[0].Unsure
}

// similar lists the shortest names that hold a word of some length.
func similar(word string, names []string) string {
	if len(word) < 4 {
		return ""
	}
	var found []string
	for _, n := range names {
		if strings.Contains(n, word) {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	found = slices.Compact(found)
	return orList(found[:min(len(found), mostSimilar)])
}

// orList is "a, b or c".
func orList(words []string) string { return listed(words, "or") }

// listed is "a, b WORD c".
func listed(words []string, word string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + word + " " + words[last]
}
