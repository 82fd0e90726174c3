package graph

import (
	"slices"
	"strings"

	"fst/compiler/target"
)

// layer is a part of the kernel, as far as names tell: the kernel's types do
// not say in which file a function is.
type layer struct {
	name string
	what string
	// patterns are of functions' names without leading underscores, modules of
	// modules.
	patterns, modules []string
}

// layers is the table of layers, from the system call down to the device.
var layers = []layer{
	{"syscall", "system calls", []string{"x64_sys_*", "ia32_sys_*", "arm64_sys_*", "se_sys_*", "ksys_*", "do_sys_*", "sys_*", "do_syscall_64", "x64_sys_call"}, nil},
	{"vfs", "files of all kinds: names, descriptors, reads and writes", []string{"vfs_*", "path_*", "link_path_walk*", "walk_component", "lookup_*", "filename_*", "getname*", "do_filp_open",
		"do_dentry_open", "do_open*", "d_*", "dput", "dget*", "dentry_*", "iput", "iget*", "inode_*", "file_*", "fget*", "fdget*", "fput*", "filp_*", "rw_verify_area", "new_sync_*",
		"do_iter_*", "do_loop_readv*", "iter_file_*", "iterate_dir", "generic_file_*", "generic_perform_write", "generic_write_*", "touch_atime", "atime_needs_update", "may_open*",
		"mnt_want_write*", "mnt_drop_write*", "splice_*", "do_splice*", "pipe_*", "seq_read*", "kernfs_*", "proc_*", "step_into*", "complete_walk", "terminate_walk", "generic_permission", "sb_*", "notify_change", "fsnotify*"}, nil},
	{"fs", "file systems", []string{"ext4_*", "jbd2_*", "xfs_*", "xlog_*", "btrfs_*", "iomap_*", "nfs*", "fuse_*", "ovl_*", "shmem_*", "f2fs_*", "fat_*", "cifs_*", "smb2_*", "hugetlbfs_*", "ramfs_*", "simple_write*"},
		[]string{"ext4", "jbd2", "xfs", "btrfs", "nfs*", "fuse", "overlay", "f2fs", "vfat", "fat", "cifs"}},
	{"cache", "the page cache: reading ahead, dirty pages", []string{"filemap_*", "page_cache_*", "pagecache_*", "generic_file_buffered_read", "folio_*", "mark_page_accessed", "add_to_page_cache*",
		"readahead_*", "read_pages", "do_page_cache_ra", "ondemand_readahead", "force_page_cache_ra*", "find_get_*", "find_lock_*", "find_or_create_page", "grab_cache_page*", "mpage_*", "block_*", "write_cache_pages",
		"balance_dirty_pages*", "set_page_dirty*", "mark_buffer_dirty", "mark_inode_dirty*", "do_writepages", "writeback_*", "wb_*", "xas_*", "copy_page_to_iter*", "copy_folio_to_iter*", "lru_*"}, nil},
	{"block", "block devices: bios, requests, I/O schedulers", []string{"submit_bio*", "bio_*", "blk_*", "blkdev_*", "blkcg_*", "blkg_*", "bdev_*", "elv_*", "elevator_*", "dd_*", "bfq_*", "kyber_*", "rq_qos_*", "wbt_*",
		"generic_make_request*", "part_*", "disk_*", "dm_*", "md_*", "raid*", "block_rq_*", "io_schedule*"}, []string{"dm_*", "md_mod", "raid*", "bcache", "mq_deadline", "bfq", "kyber_iosched"}},
	{"driver", "drivers of disks", []string{"virtio_*", "virtblk_*", "virtqueue_*", "vring_*", "vp_*", "nvme_*", "scsi_*", "sd_*", "ata_*", "ahci_*", "loop_*", "null_*"},
		[]string{"virtio*", "nvme*", "scsi*", "sd_mod", "ata*", "lib*ata", "ahci", "null_blk", "loop", "megaraid*", "mpt*"}},
	{"mm", "memory: pages, slabs, address spaces", []string{"alloc_pages*", "alloc_frozen_pages*", "folio_alloc*", "get_page_from_freelist", "free_pages*", "free_unref_*", "rmqueue*", "kmem_cache_*", "kmalloc*", "kfree*", "kvmalloc*", "kvfree*", "slab_*",
		"vma_*", "find_vma*", "mmap_*", "do_mmap*", "mem_cgroup_*", "memcg_*", "mod_memcg*", "count_memcg*", "mod_lruvec*", "mod_node_page*", "pte_*", "pmd_*", "lock_vma*", "zap_*", "unmap_*", "tlb_*", "flush_tlb*", "vm_mmap*", "policy_*", "get_vma_policy"}, nil},
	{"fault", "page faults", []string{"exc_page_fault", "do_user_addr_fault", "handle_mm_fault", "lock_mm_and_find_vma", "do_page_fault", "asm_exc_page_fault", "fault_*", "do_fault*", "do_anonymous_page", "do_wp_page", "do_kern_addr_fault"}, nil},
	{"net", "the network", []string{"sock_*", "sk_*", "skb_*", "tcp_*", "udp*", "ip_*", "ip6_*", "inet*", "dev_*", "net_*", "netif_*", "napi_*", "nf_*", "ipt_*", "nft_*", "qdisc_*", "sch_*", "unix_*", "neigh_*", "arp_*", "eth_*", "loopback_*", "virtnet_*", "process_backlog", "release_sock", "lock_sock*"},
		[]string{"virtio_net", "nf_*", "nft_*", "ip_tables", "ipv6", "veth", "bridge", "e1000*", "ixgbe", "mlx*"}},
	{"sched", "the scheduler: sleeping, waking, switching", []string{"schedule*", "preempt_schedule*", "raw_irqentry_exit_cond_resched", "irqentry_exit*", "try_to_wake_up", "ttwu_*", "wake_up*", "default_wake_function", "autoremove_wake_function", "prepare_to_wait*", "finish_wait", "wait_for_completion*", "wait_on_*", "pick_next_*", "put_prev_*", "enqueue_*", "dequeue_*",
		"update_rq_clock*", "update_curr*", "sched_*", "cond_resched*", "finish_task_switch*", "select_task_rq*", "check_preempt*", "wakeup_preempt*", "resched_curr*", "io_schedule*", "psi_*", "do_nanosleep", "hrtimer_nanosleep"}, nil},
	{"lock", "locks, and rcu", []string{"mutex_*", "down_*", "up_*", "raw_spin_*", "raw_read_*", "raw_write_*", "rwsem_*", "rt_mutex_*", "queued_*", "native_queued_*", "osq_*", "ww_mutex_*", "rcu_*", "srcu_*", "percpu_down*", "percpu_up*", "lockref_*", "ldsem_*", "bit_wait*"}, nil},
	{"security", "permission checks of security modules", []string{"security_*", "apparmor_*", "aa_*", "selinux_*", "avc_*", "smack_*", "tomoyo_*", "bpf_lsm_*", "ima_*", "evm_*", "integrity_*", "landlock_*", "hook_*", "yama_*", "cap_*", "capable*", "ns_capable*", "common_perm*"}, nil},
	{"cpu", "interrupts, timers and clocks", []string{"irq_*", "sysvec_*", "hrtimer_*", "tick_*", "ktime_*", "timer_*", "do_softirq*", "handle_softirqs", "update_process_times", "run_timer_*", "native_*", "read_tsc", "clockevents_*"}, nil},
}

// Layers is a choice of functions.
type Layers []layer

// LayerNames are the names of the known layers, each with what it is.
func LayerNames() (names, what []string) {
	for _, l := range layers {
		names, what = append(names, l.name), append(what, l.what)
	}
	return names, what
}

// ParseLayers reads names of layers, patterns of functions with *, and names
// of modules, which are the first part of their functions' names where the
// kernel has them built in.
func ParseLayers(words []string) (Layers, []string) {
	var chosen Layers
	var others []string // those that are no known layers
	for _, word := range words {
		if i := slices.IndexFunc(layers, func(l layer) bool { return l.name == word }); i >= 0 {
			chosen = append(chosen, layers[i])
			continue
		}
		others = append(others, word)
		l := layer{name: word, patterns: []string{strings.TrimLeft(word, "_")}}
		if !target.IsWild(word) {
			l.patterns = append(l.patterns, word+"_*")
			l.modules = []string{word}
		}
		chosen = append(chosen, l)
	}
	return chosen, others
}

// Has reports whether a call's function is one of them.
func (ls Layers) Has(c *Call) bool {
	name := strings.TrimLeft(c.Name, "_")
	for _, l := range ls {
		for _, p := range l.patterns {
			if target.Match(p, name) {
				return true
			}
		}
		for _, m := range l.modules {
			if c.Module != "" && target.Match(m, c.Module) {
				return true
			}
		}
	}
	return false
}
