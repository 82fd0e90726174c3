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

// HelperTraits are what the passes must know of a helper.
type HelperTraits uint8

const (
	// ReturnsNumber helpers return no pointer that the verifier follows.
	ReturnsNumber HelperTraits = 1 << iota
	// ReadsAny helpers take any number for the address that they read.
	ReadsAny
	// Repeatable helpers have the same result all through an event, no arguments and no effects.
	Repeatable
	// Clock helpers are those of them that go on: one that is read once, with no loop to wait
	// for, may be read where its value is needed.
	Clock
	// Calls helpers run a function of the program many times.
	Calls
)

type helper struct {
	name   string
	traits HelperTraits
}

var helpers = map[int32]helper{
	HelperMapLookup:      {"map_lookup_elem", 0},
	HelperMapUpdate:      {"map_update_elem", 0},
	HelperMapDelete:      {"map_delete_elem", 0},
	HelperRead:           {"probe_read", ReturnsNumber | ReadsAny},
	HelperKtimeGetNS:     {"ktime_get_ns", ReturnsNumber | Repeatable | Clock},
	HelperTracePrintk:    {"trace_printk", 0},
	HelperPrandom:        {"get_prandom_u32", ReturnsNumber},
	HelperCPU:            {"get_smp_processor_id", ReturnsNumber | Repeatable},
	HelperPidTgid:        {"get_current_pid_tgid", ReturnsNumber | Repeatable},
	HelperUidGid:         {"get_current_uid_gid", ReturnsNumber | Repeatable},
	HelperComm:           {"get_current_comm", 0},
	HelperCurrentTask:    {"get_current_task", ReturnsNumber | Repeatable},
	HelperProbeWriteUser: {"probe_write_user", 0},
	HelperNumaNode:       {"get_numa_node_id", 0},
	HelperReadStr:        {"probe_read_str", ReturnsNumber | ReadsAny},
	HelperSocketCookie:   {"get_socket_cookie", 0},
	HelperOverrideReturn: {"override_return", 0},
	HelperGetStack:       {"get_stack", 0},
	HelperCgroupID:       {"get_current_cgroup_id", ReturnsNumber},
	HelperSpinLock:       {"spin_lock", 0},
	HelperSendSignal:     {"send_signal", 0},
	HelperReadUser:       {"probe_read_user", ReturnsNumber | ReadsAny},
	HelperReadKernel:     {"probe_read_kernel", ReturnsNumber | ReadsAny},
	HelperReadUserStr:    {"probe_read_user_str", ReturnsNumber | ReadsAny},
	HelperReadKernelStr:  {"probe_read_kernel_str", ReturnsNumber | ReadsAny},
	HelperSendSignalThr:  {"send_signal_thread", 0},
	HelperJiffies64:      {"jiffies64", ReturnsNumber},
	HelperNSPidTgid:      {"get_ns_current_pid_tgid", 0},
	HelperKtimeBoot:      {"ktime_get_boot_ns", ReturnsNumber | Repeatable | Clock},
	HelperSeqPrintf:      {"seq_printf", 0},
	HelperRingReserve:    {"ringbuf_reserve", 0},
	HelperRingSubmit:     {"ringbuf_submit", 0},
	HelperRingQuery:      {"ringbuf_query", 0},
	HelperDPath:          {"d_path", 0},
	HelperTaskStorageGet: {"task_storage_get", 0},
	HelperCurrentTaskBTF: {"get_current_task_btf", Repeatable},
	HelperForEachMapElem: {"for_each_map_elem", Calls},
	HelperGetFuncIP:      {"get_func_ip", 0},
	HelperAttachCookie:   {"get_attach_cookie", 0},
	HelperTaskPtRegs:     {"task_pt_regs", 0},
	HelperLoop:           {"loop", Calls},
	HelperLookupPerCPU:   {"map_lookup_percpu_elem", 0},
	HelperKtimeTAI:       {"ktime_get_tai_ns", ReturnsNumber},
}

var helperNumbers = map[string]int32{}

func init() {
	for n, h := range helpers {
		helperNumbers[h.name] = n
	}
}

// Is reports whether an instruction calls a helper that has one of some traits.
func (i *Instr) Is(t HelperTraits) bool {
	return i.Op == OpCall && i.Func == 0 && helpers[i.Helper].traits&t != 0
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
