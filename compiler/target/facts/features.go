package facts

import "fst/compiler/target"

// FeatureNames is every feature with a name to show and one for the command
// line, in the order to show them.
var FeatureNames = []struct {
	Feature target.Feature
	Name    string
	Flag    string
}{
	{target.Kprobes, "kprobes", "kprobe"},
	{target.KprobeMulti, "kprobe multi links", "kprobe_multi"},
	{target.KprobeSession, "kprobe sessions", "kprobe_session"},
	{target.UprobeMulti, "uprobe multi links", "uprobe_multi"},
	{target.Trampolines, "fentry, fexit", "fentry"},
	{target.SyscallTracepoints, "syscall tracepoints", "syscall_tracepoints"},
	{target.BTF, "BTF", "btf"},
	{target.ModuleBTF, "BTF of modules", "module_btf"},
	{target.TaskStorage, "task storage", "task_storage"},
	{target.ThreadMaps, "maps of threads", "thread_maps"},
	{target.BPFLoop, "bpf_loop", "loop"},
	{target.ForEachMapElem, "bpf_for_each_map_elem", "for_each_map_elem"},
	{target.LookupPercpuElem, "bpf_map_lookup_percpu_elem", "map_lookup_percpu_elem"},
	{target.GetFuncIP, "bpf_get_func_ip", "get_func_ip"},
	{target.KtimeTAI, "bpf_ktime_get_tai_ns", "ktime_get_tai_ns"},
	{target.RdonlyCast, "bpf_rdonly_cast", "rdonly_cast"},
	{target.Atomics, "atomic operations", "atomics"},
	{target.SignedDivision, "signed division", "signed_division"},
	{target.BigKeys, "map keys over 512 bytes", "big_keys"},
}

// FeatureByFlag finds a feature by its name on the command line.
func FeatureByFlag(name string) (target.Feature, bool) {
	for _, f := range FeatureNames {
		if f.Flag == name {
			return f.Feature, true
		}
	}
	return 0, false
}
