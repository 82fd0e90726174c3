package kernel

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
	"golang.org/x/sys/unix"

	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/runtime/bpf"
)

// version spells a version as System.Version returns it.
func version(major, minor uint32) uint32 { return major<<16 | minor<<8 }

// Has implements target.Target. Each feature is probed once: by what the
// kernel does where that is cheap, by its version where a version settles it.
func (s *System) Has(f target.Feature) bool {
	if int(f) < 0 || int(f) >= len(s.features) {
		return false
	}
	c := &s.features[f]
	c.once.Do(func() { c.has = !slices.Contains(s.src.opts.Without, f) && s.probe(f) })
	return c.has
}

func (s *System) probe(f target.Feature) bool {
	// What asks the kernel is a map or a program: on kernels that count those
	// of all processes of the user against the limit, it would be refused, and
	// the feature be missing, while another tool runs.
	bpf.RaiseMemlock()
	switch f {
	case target.KprobeMulti:
		return s.Has(target.Kprobes) && haveMultiLink(bpf.KprobeMulti)
	case target.KprobeSession:
		return s.Has(target.KprobeMulti) && haveMultiLink(bpf.KprobeSession)
	case target.UprobeMulti:
		return haveMultiLink(bpf.UprobeMulti)
	case target.NoPerfUprobes:
		return !capable(unix.CAP_SYS_ADMIN)
	case target.Kprobes:
		return exists("/sys/bus/event_source/devices/kprobe")
	case target.Trampolines:
		return s.haveTrampolines()
	case target.BPFLoop:
		return s.since(5, 17, asm.FnLoop)
	case target.ForEachMapElem:
		return s.since(5, 13, asm.FnForEachMapElem)
	case target.LookupPercpuElem:
		return s.since(5, 19, asm.FnMapLookupPercpuElem)
	case target.KtimeTAI:
		return s.since(6, 1, asm.FnKtimeGetTaiNs)
	case target.GetFuncIP:
		return s.Has(target.Kprobes) && s.since(5, 15, asm.FnGetFuncIp)
	case target.TaskStorage:
		// From 5.13 in all tracing programs; before, in LSM programs only.
		return s.Has(target.BTF) && s.since(5, 13, asm.FnTaskStorageGet)
	case target.ThreadMaps:
		// Local storage takes memory from a lock-free allocator, which needs
		// cmpxchg16b on x86-64: without it every new value fails (seen on 7.2).
		return s.Has(target.TaskStorage) && s.version() >= version(6, 9) && haveCmpxchg16b()
	case target.Atomics:
		return s.version() >= version(5, 12)
	case target.SignedDivision:
		return s.version() >= version(6, 6)
	case target.BigKeys:
		return s.version() >= version(6, 1) || haveBigKeys()
	case target.RdonlyCast:
		if s.version() < version(6, 2) {
			return false
		}
		_, ok := s.Function(facts.Vmlinux, "bpf_rdonly_cast")
		return ok
	case target.BTF:
		return s.src.opts.BTF != "" || exists("/sys/kernel/btf/vmlinux")
	case target.ModuleBTF:
		return s.Has(target.BTF) && s.version() >= version(5, 11)
	case target.SyscallTracepoints:
		dir, err := s.src.events()
		return err == nil && exists(dir+"/syscalls/sys_enter_read")
	}
	return false
}

// haveCmpxchg16b reports whether the CPU has a 16-byte compare-and-exchange.
func haveCmpxchg16b() bool {
	if runtime.GOARCH != "amd64" {
		return true
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	return err == nil && bytes.Contains(info, []byte(" cx16"))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// since reports whether a helper exists: by the version that brought it, or
// by asking for it (distributions add helpers to older kernels).
func (s *System) since(major, minor uint32, helper asm.BuiltinFunc) bool {
	if s.version() >= version(major, minor) {
		return true
	}
	return features.HaveProgramHelper(ebpf.Kprobe, helper) == nil
}

func haveBigKeys() bool {
	return made(bpf.CreateMap(&bpf.MapSpec{Type: bpf.Hash, Key: 520, Value: 8, Entries: 1}))
}

// made closes what was made to see whether it can be.
func made(fd int, err error) bool {
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

// nothing is the code of a program that returns 0.
var nothing = []byte{0: 0xb7, 8: 0x95, 15: 0}

// haveMultiLink asks for a link to functions whose list can't be read. Only a
// kernel that has such links looks there, and says EFAULT: nothing is attached.
func haveMultiLink(attach bpf.AttachType) bool {
	prog, err := bpf.Load(&bpf.Prog{Type: bpf.Kprobe, Expected: attach, License: "GPL", Code: nothing})
	if err != nil {
		return false
	}
	defer unix.Close(prog)
	return errors.Is(bpf.LinkUnreadable(prog, attach), unix.EFAULT)
}

// haveTrampolines loads a program that does nothing for the entry of a
// function that only the kernel's self-tests call, and attaches it: some
// systems refuse the first, some the second.
func (s *System) haveTrampolines() bool {
	if !s.Has(target.BTF) || s.version() < version(5, 5) {
		return false
	}
	f, ok := s.Function(facts.Vmlinux, "bpf_fentry_test1")
	if !ok {
		// Kernels without CONFIG_NET.
		if f, ok = s.Function(facts.Vmlinux, "kernel_power_off"); !ok {
			return false
		}
	}
	prog, err := bpf.Load(&bpf.Prog{Type: bpf.Tracing, Expected: bpf.TraceFentry, License: "GPL", Code: nothing, AttachBTFID: f.ID})
	if err != nil {
		return false
	}
	defer unix.Close(prog)
	return made(bpf.OpenRawTracepoint(prog, ""))
}
