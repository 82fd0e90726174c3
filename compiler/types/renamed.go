package types

import "strings"

// RenamedMembers are members that well-known scripts read and that were renamed
// or moved, with the path that leads to the value now, and members that many
// expect, with what they are called.
var RenamedMembers = map[string][]string{
	"struct task_struct.state":  {"__state"},
	"struct task_struct.stats":  {"se.statistics"},
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

// SuccessorOf returns the path that reads today what a member gave before.
func SuccessorOf(t *Type, name string) string {
	for _, path := range RenamedMembers[t.String()+"."+name] {
		at, ok := t, true
		for _, step := range strings.Split(path, ".") {
			if at.Kind == Pointer {
				at = at.Elem
			}
			var f Field
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
