package lower

// Numbers of the kernel's interface and limits of the compiler.
const (
	// syscallStacks is the kernel (6.12) since which the tracepoints of system
	// calls have kernel stacks: before, their context is the user's registers.
	syscallStacks = 6<<16 | 12<<8
	// mostOnEvent is how many programs a script attaches to one trace event: the
	// kernel takes 64 of everybody's.
	mostOnEvent = 32
	// rawPreempted is the kernel since which programs on raw tracepoints may be
	// preempted.
	rawPreempted        = 7 << 16
	defaultStackMapSize = 16384
	pairedMapEntries    = 16384
)
