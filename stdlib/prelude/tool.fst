// The options that mean the same in every tool: a script that calls one of these
// macros takes the options that it reads. A tool names them in its header, as
// "Common: task, unit", which gives them their one-letter forms.

// mine(): the current thread is one that the user asked for (-p -t -c --uid --cgroup --container --pod, and --only before the tool's name).
macro mine() {
	followed(pid) && (getopt("pid", 0, "only this process") == 0 || pid == getopt("pid", 0)) &&
		(comptime (getopt("tid", 0, "only this thread") == 0) || tid == getopt("tid", 0)) &&
		(getopt("comm", "", "only this command") == "" || comm == getopt("comm", "")) &&
		(comptime (getopt("uid", -1, "only this user") == -1) || uid == getopt("uid", -1)) &&
		(comptime (getopt("cgroup", "", "only this cgroup") == "") || cgroup == cgroupid(getopt("cgroup", ""))) &&
		(comptime (getopt("container", "", "only this container") == "") || container == getopt("container", "")) &&
		(comptime (getopt("pod", "", "only this Kubernetes pod") == "") || pod == getopt("pod", ""))
}

// mine(task): the same for another thread than the current one.
macro mine(task) {
	followed(tgid_of(task)) && (getopt("pid", 0) == 0 || tgid_of(task) == getopt("pid", 0)) &&
		(getopt("tid", 0) == 0 || tid_of(task) == getopt("tid", 0)) &&
		(getopt("comm", "") == "" || ((struct task_struct *)task)->comm == getopt("comm", "")) &&
		(getopt("uid", -1) == -1 || ((struct task_struct *)task)->cred->uid.val == getopt("uid", -1)) &&
		(comptime (getopt("cgroup", "") == "") ||
			((struct task_struct *)task)->cgroups->dfl_cgrp->kn->id == cgroupid(getopt("cgroup", ""))) &&
		(comptime (getopt("container", "") == "") ||
			container(((struct task_struct *)task)->cgroups->dfl_cgrp->kn->id) == getopt("container", "")) &&
		(comptime (getopt("pod", "") == "") || pod(((struct task_struct *)task)->cgroups->dfl_cgrp->kn->id) == getopt("pod", ""))
}

// unit(): the unit of times that the user asked for, in nanoseconds (-m -u -n; microseconds by default).
macro unit() {
	getopt("ns", false, "in nanoseconds") ? 1ns :
		(getopt("ms", false, "in milliseconds") ? 1ms : (getopt("us", true, "in microseconds") ? 1us : 1us))
}

// unit_name(): the unit's name.
macro unit_name() { getopt("ns", false) ? "nsecs" : getopt("ms", false) ? "msecs" : "usecs" }

// unit_sign(): the unit as the suffix of a number.
macro unit_sign() { getopt("ns", false) ? "ns" : getopt("ms", false) ? "ms" : "us" }

// stacks(): the kernel stack, the user stack and the name of the current thread, as the user asked for (-K -U).
macro stacks() {
	comptime getopt("user", false, "stacks of programs only") ? (program_stack(), comm) :
		comptime getopt("kernel", false, "stacks of the kernel only") ? (kstack, comm) : (kstack, program_stack(), comm)
}

// program_stack(): the user stack of the current thread (--dwarf: by unwind tables).
macro program_stack() {
	comptime getopt("dwarf", false, "stacks of programs without frame pointers, too, by their unwind tables") ? dw_ustack : ustack
}

// where(): prints the stacks of the current thread that the user asked for (-K -U).
macro where() {
	if (comptime getopt("kernel", false)) {
		print(kstack);
	}
	if (comptime getopt("user", false)) {
		print(ustack);
	}
}

// wants_where(): true if where() prints a stack.
macro wants_where() {
	comptime (getopt("kernel", false, "with the stack of the kernel") || getopt("user", false, "with the stack of the program"))
}

// histogram(@map): prints histograms of times in unit() in a report: as charts, or as lines of a heat map (--heat).
macro histogram(@map) { histogram(@map, unit_name()) }

// histogram(@map, name): the same for histograms of something else.
macro histogram(@map, name) {
	if (is_heat()) {
		heat(@map, name);
	} else {
		print(@map);
	}
}

// is_heat(): the user asked for a heat map.
macro is_heat() { getopt("heat", false, "a line of a heat map for each interval") }
