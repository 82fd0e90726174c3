package lower

// Numbers of BPF helpers, from include/uapi/linux/bpf.h.
const (
	helperMapLookup      = 1
	helperMapUpdate      = 2
	helperMapDelete      = 3
	helperKtimeGetNS     = 5
	helperPrandom        = 7
	helperCPU            = 8
	helperPidTgid        = 14
	helperUidGid         = 15
	helperComm           = 16
	helperRead           = 4
	helperCurrentTask    = 35
	helperReadStr        = 45
	helperNumaNode       = 42
	helperGetStack       = 67
	helperTracePrintk    = 6
	helperSocketCookie   = 46
	helperSeqPrintf      = 126
	helperDPath          = 147
	helperOverrideReturn = 58
	helperCgroupID       = 80
	helperProbeWriteUser = 36
	helperSendSignal     = 109
	helperReadUser       = 112
	helperReadKernel     = 113
	helperReadUserStr    = 114
	helperReadKernelStr  = 115
	helperSendSignalThr  = 117
	helperJiffies64      = 118
	helperKtimeBoot      = 125
	helperNSPidTgid      = 120
	helperRingReserve    = 131
	helperRingSubmit     = 132
	helperRingQuery      = 134
	helperTaskStorageGet = 156
	helperCurrentTaskBTF = 158
	storageCreate        = 1
	helperForEachMapElem = 164
	helperGetFuncIP      = 173
	helperAttachCookie   = 174
	helperTaskPtRegs     = 175
	helperLoop           = 181
	helperLookupPerCPU   = 195
	helperKtimeTAI       = 208
	ringForceWakeup      = 2
	bpfAny               = 0
	bpfNoExist           = 1
	enoent               = -2
	stackUser            = 256
	maxStackDepth        = 127 // sysctl kernel.perf_event_max_stack
	// syscallStacks is the kernel (6.12) since which the tracepoints of system
	// calls have kernel stacks: before, their context is the user's registers.
	syscallStacks = 6<<16 | 12<<8
	// mostOnEvent is how many programs a script hangs on one trace event: the
	// kernel takes 64 of everybody's.
	mostOnEvent = 32
	// rawPreempted is the kernel since which programs on raw tracepoints may be
	// preempted.
	rawPreempted         = 7 << 16
	defaultStackMapSize  = 16384
	pairedMapEntries     = 16384
	maxUnrolledCopyBytes = 64
)
