package ir

import "strconv"

// The helpers of the kernel that programs call, by their numbers in
// include/uapi/linux/bpf.h.
const (
	HelperMapLookup      = 1
	HelperMapUpdate      = 2
	HelperMapDelete      = 3
	HelperRead           = 4
	HelperKtimeGetNS     = 5
	HelperTracePrintk    = 6
	HelperPrandom        = 7
	HelperCPU            = 8
	HelperPidTgid        = 14
	HelperUidGid         = 15
	HelperComm           = 16
	HelperCurrentTask    = 35
	HelperProbeWriteUser = 36
	HelperNumaNode       = 42
	HelperReadStr        = 45
	HelperSocketCookie   = 46
	HelperOverrideReturn = 58
	HelperGetStack       = 67
	HelperCgroupID       = 80
	HelperSpinLock       = 93
	HelperSendSignal     = 109
	HelperReadUser       = 112
	HelperReadKernel     = 113
	HelperReadUserStr    = 114
	HelperReadKernelStr  = 115
	HelperSendSignalThr  = 117
	HelperJiffies64      = 118
	HelperNSPidTgid      = 120
	HelperKtimeBoot      = 125
	HelperSeqPrintf      = 126
	HelperRingReserve    = 131
	HelperRingSubmit     = 132
	HelperRingQuery      = 134
	HelperDPath          = 147
	HelperTaskStorageGet = 156
	HelperCurrentTaskBTF = 158
	HelperForEachMapElem = 164
	HelperGetFuncIP      = 173
	HelperAttachCookie   = 174
	HelperTaskPtRegs     = 175
	HelperLoop           = 181
	HelperLookupPerCPU   = 195
	HelperKtimeTAI       = 208
)

type helper struct {
	name    string
	effects Effects
	use     string // what of the language calls it, where that is not clear from the script
}

var helpers = map[int32]helper{
	HelperMapLookup:      {"map_lookup_elem", ReadsMemory | ReadsMap, ""},
	HelperMapUpdate:      {"map_update_elem", ReadsMemory | WritesMap, ""},
	HelperMapDelete:      {"map_delete_elem", ReadsMemory | WritesMap, ""},
	HelperRead:           {"probe_read", reads, ""},
	HelperKtimeGetNS:     {"ktime_get_ns", Clock | Repeatable | Number, ""},
	HelperTracePrintk:    {"trace_printk", Emits, "debugf"},
	HelperPrandom:        {"get_prandom_u32", Varies | Number, ""},
	HelperCPU:            {"get_smp_processor_id", Repeatable | Number, ""},
	HelperPidTgid:        {"get_current_pid_tgid", Repeatable | Number, ""},
	HelperUidGid:         {"get_current_uid_gid", Repeatable | Number, ""},
	HelperComm:           {"get_current_comm", WritesMemory, ""},
	HelperCurrentTask:    {"get_current_task", Repeatable | Number, "curtask"},
	HelperProbeWriteUser: {"probe_write_user", Acts | ReadsMemory | WritesMemory, "write_user"},
	HelperNumaNode:       {"get_numa_node_id", Repeatable | Number, ""},
	HelperReadStr:        {"probe_read_str", reads, ""},
	HelperSocketCookie:   {"get_socket_cookie", ReadsMemory, "socket_cookie"},
	HelperOverrideReturn: {"override_return", Acts, "override"},
	HelperGetStack:       {"get_stack", ReadsMemory | WritesMemory, "a stack"},
	HelperCgroupID:       {"get_current_cgroup_id", Repeatable | Number, ""},
	HelperSpinLock:       {"spin_lock", Holds | WritesMemory, ""},
	HelperSendSignal:     {"send_signal", Acts, "signal"},
	HelperReadUser:       {"probe_read_user", reads, ""},
	HelperReadKernel:     {"probe_read_kernel", reads, ""},
	HelperReadUserStr:    {"probe_read_user_str", reads, ""},
	HelperReadKernelStr:  {"probe_read_kernel_str", reads, ""},
	HelperSendSignalThr:  {"send_signal_thread", Acts, "signal_thread"},
	HelperJiffies64:      {"jiffies64", Clock | Repeatable | Number, "jiffies"},
	HelperNSPidTgid:      {"get_ns_current_pid_tgid", WritesMemory, ""},
	HelperKtimeBoot:      {"ktime_get_boot_ns", Clock | Repeatable | Number, ""},
	HelperSeqPrintf:      {"seq_printf", Emits | ReadsMemory, "a pinned iterator"},
	HelperRingReserve:    {"ringbuf_reserve", Holds, ""},
	HelperRingSubmit:     {"ringbuf_submit", Emits | ReadsMemory, ""},
	HelperRingQuery:      {"ringbuf_query", ReadsMap, ""},
	HelperDPath:          {"d_path", ReadsMemory | WritesMemory, "path"},
	HelperTaskStorageGet: {"task_storage_get", ReadsMap | WritesMap, "a map of threads"},
	HelperCurrentTaskBTF: {"get_current_task_btf", Repeatable, "curtask"},
	HelperForEachMapElem: {"for_each_map_elem", Runs | ReadsMap, ""},
	HelperGetFuncIP:      {"get_func_ip", Repeatable | Number, ""},
	HelperAttachCookie:   {"get_attach_cookie", Repeatable | Number, ""},
	HelperTaskPtRegs:     {"task_pt_regs", Repeatable, ""},
	HelperLoop:           {"loop", Runs, ""},
	HelperLookupPerCPU:   {"map_lookup_percpu_elem", ReadsMemory | ReadsMap, ""},
	HelperKtimeTAI:       {"ktime_get_tai_ns", Clock | Repeatable | Number, ""},
}

// reads are the effects of the helpers that copy from an address to memory of the program.
const reads = ReadsMemory | WritesMemory | AnyAddress | Number

var helperNumbers = map[string]int32{}

func init() {
	for n, h := range helpers {
		helperNumbers[h.name] = n
	}
}

// IsHelper reports whether programs call a helper of a number.
func IsHelper(n int32) bool {
	_, ok := helpers[n]
	return ok
}

// HelperName is the name of a helper, without bpf_, or its number.
func HelperName(n int32) string {
	if h, ok := helpers[n]; ok {
		return h.name
	}
	return strconv.Itoa(int(n))
}

// HelperUse is what of the language calls a helper, or "".
func HelperUse(n int32) string { return helpers[n].use }
