// How processes are followed that --only asks for. The kernel says that a process is made before it runs. Its threads have its
// id.

rawtracepoint:sched_process_fork /args.child->tgid == args.child->pid/ {
	follow(tgid_of(args.child), tgid_of(args.parent));
}
