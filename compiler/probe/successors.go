package probe

import (
	"slices"
	"strings"

	"fst/compiler/target"
	"fst/lang/diag"
)

// What is suggested in the place of something that this kernel does not have:
// its successor where it is known, else the names that are most alike.

// renamed are kernel functions that well-known scripts probe and that were
// renamed, inlined or removed; the first successor that exists is suggested.
var renamed = map[string][]string{
	"blk_account_io_start":         {"tracepoint:block:block_io_start", "__blk_account_io_start", "tracepoint:block:block_rq_issue"},
	"blk_account_io_done":          {"tracepoint:block:block_io_done", "__blk_account_io_done", "tracepoint:block:block_rq_complete"},
	"blk_account_io_completion":    {"tracepoint:block:block_rq_complete"},
	"blk_start_request":            {"blk_mq_start_request"},
	"do_sys_open":                  {"do_sys_openat2"},
	"_do_fork":                     {"kernel_clone"},
	"do_fork":                      {"kernel_clone"},
	"finish_task_switch":           {"finish_task_switch.isra.0", "tracepoint:sched:sched_switch"},
	"tcp_drop":                     {"tcp_drop_reason", "tracepoint:skb:kfree_skb"},
	"kfree_skb_reason":             {"sk_skb_reason_drop", "tracepoint:skb:kfree_skb"},
	"sk_skb_reason_drop":           {"kfree_skb_reason", "tracepoint:skb:kfree_skb"},
	"tcp_set_state":                {"tracepoint:sock:inet_sock_set_state"},
	"__do_page_cache_readahead":    {"do_page_cache_ra", "page_cache_ra_unbounded"},
	"ondemand_readahead":           {"page_cache_sync_ra", "page_cache_async_ra"},
	"__page_cache_alloc":           {"filemap_alloc_folio", "filemap_alloc_folio_noprof"},
	"add_to_page_cache_lru":        {"filemap_add_folio"},
	"mark_page_accessed":           {"folio_mark_accessed"},
	"account_page_dirtied":         {"folio_account_dirtied", "tracepoint:writeback:writeback_dirty_folio"},
	"swap_readpage":                {"swap_read_folio"},
	"swap_writepage":               {"swap_writeout", "swap_write_unplug"},
	"generic_make_request":         {"submit_bio_noacct"},
	"__generic_file_write_iter":    {"generic_perform_write"},
	"try_to_free_pages":            {"tracepoint:vmscan:mm_vmscan_direct_reclaim_begin"},
	"ttwu_do_wakeup":               {"tracepoint:sched:sched_wakeup"},
	"native_smp_send_reschedule":   {"tracepoint:irq_vectors:reschedule_entry"},
	"new_sync_read":                {"vfs_read"},
	"new_sync_write":               {"vfs_write"},
	"generic_file_buffered_read":   {"filemap_read"},
	"do_page_fault":                {"tracepoint:exceptions:page_fault_user"},
	"__do_page_fault":              {"tracepoint:exceptions:page_fault_user"},
	"handle_page_fault":            {"tracepoint:exceptions:page_fault_user"},
	"kfree_skb":                    {"tracepoint:skb:kfree_skb"},
	"__netif_receive_skb_core":     {"tracepoint:net:netif_receive_skb"},
	"dev_queue_xmit":               {"__dev_queue_xmit"},
	"scsi_mq_done":                 {"scsi_done"},
	"scsi_init_io":                 {"scsi_queue_rq"},
	"blk_mq_make_request":          {"blk_mq_submit_bio"},
	"blk_queue_bio":                {"blk_mq_submit_bio"},
	"blk_flush_plug_list":          {"__blk_flush_plug"},
	"do_fsync":                     {"vfs_fsync_range"},
	"do_execve":                    {"bprm_execve"},
	"__do_execve_file":             {"bprm_execve"},
	"do_execveat_common":           {"bprm_execve"},
	"security_bprm_set_creds":      {"security_bprm_creds_for_exec"},
	"do_renameat2":                 {"filename_renameat2"},
	"do_unlinkat":                  {"filename_unlinkat"},
	"do_mkdirat":                   {"filename_mkdirat"},
	"do_rmdir":                     {"filename_rmdir"},
	"do_symlinkat":                 {"filename_symlinkat"},
	"do_linkat":                    {"filename_linkat"},
	"__alloc_pages_nodemask":       {"__alloc_pages_noprof", "__alloc_pages"},
	"kmem_cache_alloc_trace":       {"__kmalloc_cache_noprof"},
	"__alloc_pages_direct_compact": {"try_to_compact_pages"},
	"kzalloc":                      {"tracepoint:kmem:kmalloc"},
	"free_unref_page":              {"free_frozen_pages"},
	"filemap_add_to_page_cache":    {"filemap_add_folio"},
	"add_to_page_cache":            {"filemap_add_folio"},
	"pagecache_get_page":           {"__filemap_get_folio", "__filemap_get_folio_mpol"},
	"find_get_page":                {"__filemap_get_folio", "__filemap_get_folio_mpol"},
	"find_get_entry":               {"filemap_get_entry"},
	"delete_from_page_cache":       {"filemap_remove_folio"},
	"__delete_from_page_cache":     {"__filemap_remove_folio"},
	"ext4_readpages":               {"ext4_readahead"},
	"shrink_page_list":             {"shrink_folio_list"},
	"shrink_inactive_list":         {"tracepoint:vmscan:mm_vmscan_lru_shrink_inactive"},
	"page_referenced":              {"folio_referenced"},
	"activate_page":                {"folio_activate"},
	"migrate_page":                 {"migrate_folio"},
	"migrate_misplaced_page":       {"migrate_misplaced_folio"},
	"add_to_swap":                  {"folio_alloc_swap"},
	"wait_on_page_bit":             {"folio_wait_bit"},
	"folio_wait_bit_common":        {"folio_wait_bit"},
	"update_rq_clock_task":         {"update_rq_clock"},
	"__make_request":               {"blk_mq_submit_bio"},
	"__lock_page":                  {"__folio_lock"},
	"set_page_dirty":               {"folio_mark_dirty"},
	"end_page_writeback":           {"folio_end_writeback"},
	"test_clear_page_writeback":    {"__folio_end_writeback"},
	"account_page_cleaned":         {"folio_account_cleaned"},
	"__put_page":                   {"__folio_put"},
	"drop_slab_node":               {"drop_slab"},
	"writeback_inodes_wb":          {"__writeback_inodes_wb"},
	"napi_gro_receive":             {"gro_receive_skb"},
	"gro_receive_skb":              {"napi_gro_receive"},
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

// eventModules are the modules that the tracepoints of a category often are in.
var eventModules = map[string]string{
	"kvm": "kvm", "xfs": "xfs", "ext4": "ext4", "jbd2": "jbd2", "btrfs": "btrfs", "f2fs": "f2fs", "erofs": "erofs", "gfs2": "gfs2", "ocfs2": "ocfs2",
	"nfs": "nfs", "nfs4": "nfsv4", "nfsd": "nfsd", "sunrpc": "sunrpc", "rpcrdma": "rpcrdma", "cifs": "cifs", "ceph": "ceph", "fuse": "fuse",
	"nvme": "nvme_core", "scsi": "scsi_mod", "mmc": "mmc_core", "target": "target_core_mod", "bcache": "bcache", "nbd": "nbd", "dlm": "dlm",
	"drm": "drm", "i915": "i915", "amdgpu": "amdgpu", "cfg80211": "cfg80211", "mac80211": "mac80211", "bridge": "bridge", "vsock": "vsock",
}

// mostSimilar is how many names are suggested that hold what was written.
const mostSimilar = 3

// nearestFunction names the successor of a renamed function, the probe of a
// system call, the function whose name is most alike, or some whose names hold
// what was written.
func (r *Resolver) nearestFunction(f *Failure, module, fn string) string {
	if s := r.successor(fn); s != "" {
		if lib := library[fn]; lib != "" {
			return orList([]string{lib, s})
		}
		return s
	}
	call := strings.ToLower(fn)
	for _, prefix := range []string{"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_", "sys_"} {
		if name, ok := strings.CutPrefix(call, prefix); ok {
			if r.isSyscall(name) {
				return "syscall:" + name
			}
		}
	}
	if r.isSyscall(fn) {
		return "syscall:" + fn
	}
	names := r.functionsOf(module)
	if names == nil {
		return ""
	}
	if n := r.nearestWorker(call, names); n != "" {
		return n
	}
	if n := r.alike(f, fn, names); n != "" || module == "" {
		return n
	}
	return r.nearestFunction(f, "", fn)
}

// workers are what the kernel's names of functions that do a system call's work begin with.
var workers = []string{"__sys_", "do_sys_", "ksys_", "do_"}

// nearestWorker names, for a function that would do a system call's work, the one that
// does, or the probe of the system call.
func (r *Resolver) nearestWorker(fn string, names []string) string {
	for _, prefix := range workers {
		call, ok := strings.CutPrefix(fn, prefix)
		if !ok || !r.isSyscall(call) {
			continue
		}
		for _, other := range workers {
			if slices.Contains(names, other+call) {
				return orList([]string{"syscall:" + call, other + call})
			}
		}
		return "syscall:" + call
	}
	return ""
}

// functionsOf lists the names of a module's functions, without those that the kernel's
// macros make of an event.
func (r *Resolver) functionsOf(module string) []string {
	if names, ok := r.listed[module]; ok {
		return names
	}
	list, err := r.Target.Traceable(module, "*")
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(list))
	for _, f := range list {
		if eventOf(f.Name) == "" {
			names = append(names, f.Name)
		}
	}
	if r.listed == nil {
		r.listed = map[string][]string{}
	}
	r.listed[module] = names
	return names
}

// loaded stands behind a name that is alike but of another family: the function
// may be in a module that is not loaded.
const loaded = " A module's functions exist once it is loaded"

// alike names, of the kernel's functions, the one whose name is most like fn,
// or the event or functions whose names hold it.
func (r *Resolver) alike(f *Failure, fn string, names []string) string {
	n := diag.NearestWithin(fn, names, 1)
	if longer := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, fn+"_") }); n == "" && len(longer) > 0 && len(fn) >= 4 {
		return similar(fn, longer)
	}
	if n == "" {
		n = diag.Nearest(fn, names)
	}
	if n != "" && diag.AreKin(fn, n) {
		if !strings.HasPrefix(strings.TrimLeft(n, "_"), diag.Family(fn)) {
			f.also = loaded
		}
		return n
	}
	if list, err := r.Target.Tracepoints("*", "*"+fn+"*"); err == nil && len(list) > 0 && len(fn) >= 8 && !target.IsWild(fn) {
		return "tracepoint:" + slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) })
	}
	return similar(fn, names)
}

func (r *Resolver) isSyscall(name string) bool {
	_, known := r.Target.SyscallNumber(name)
	return known
}

// userForm are the probes of user programs that are like those of the kernel.
var userForm = map[string]string{"kprobe": "uprobe", "kretprobe": "uretprobe", "fentry": "uprobe", "fexit": "uretprobe", "call": "ucall"}

// commonLibraries are those whose functions are taken for the kernel's.
var commonLibraries = []string{"libc", "libpthread", "libssl", "libcrypto"}

// userLibrary is the library that has a function, or "".
func (r *Resolver) userLibrary(fn string) string {
	for _, lib := range commonLibraries {
		paths, err := r.Target.Binary(lib, 0)
		if err != nil {
			continue
		}
		for _, path := range paths {
			if found, err := r.Target.Symbols(path, fn); err == nil && len(found) > 0 {
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
func (r *Resolver) successor(fn string) string {
	for _, s := range renamed[fn] {
		if cat, event, ok := strings.Cut(strings.TrimPrefix(s, "tracepoint:"), ":"); ok {
			if list, err := r.Target.Tracepoints(cat, event); err == nil && len(list) > 0 {
				return s
			}
			continue
		}
		if r.isTraceable(s) {
			return s
		}
	}
	for _, suffix := range compiled {
		if r.isTraceable(fn + suffix) {
			return fn + suffix
		}
	}
	if list, err := r.Target.Tracepoints("*", fn); err == nil && len(list) > 0 && !target.IsWild(fn) {
		return "tracepoint:" + list[0]
	}
	return ""
}

// isTraceable reports whether the kernel lists a function as one that can be
// probed.
func (r *Resolver) isTraceable(fn string) bool {
	list, err := r.Target.Traceable("", fn)
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
