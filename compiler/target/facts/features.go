package facts

import "fst/compiler/target"

// FeatureNames is every feature with a name to show, in the order to show them.
var FeatureNames = []struct {
	Feature target.Feature
	Name    string
}{
	{target.Kprobes, "kprobes"},
	{target.KprobeMulti, "kprobe multi links"},
	{target.KprobeSession, "kprobe sessions"},
	{target.UprobeMulti, "uprobe multi links"},
	{target.Trampolines, "fentry, fexit, iter"},
	{target.SyscallTracepoints, "syscall tracepoints"},
	{target.BTF, "BTF"},
	{target.ModuleBTF, "BTF of modules"},
	{target.TaskStorage, "task storage"},
	{target.ThreadMaps, "maps of threads"},
	{target.BPFLoop, "bpf_loop"},
	{target.ForEachMapElem, "bpf_for_each_map_elem"},
	{target.LookupPercpuElem, "bpf_map_lookup_percpu_elem"},
	{target.GetFuncIP, "bpf_get_func_ip"},
	{target.KtimeTAI, "bpf_ktime_get_tai_ns"},
	{target.RdonlyCast, "bpf_rdonly_cast"},
	{target.Atomics, "atomic operations"},
	{target.SignedDivision, "signed division"},
	{target.BigKeys, "map keys over 512 bytes"},
}
