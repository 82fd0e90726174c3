package kernel

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"

	"fst/compiler/target"
	"fst/compiler/target/facts"
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
	switch f {
	case target.KprobeMulti:
		return s.Has(target.Kprobes) && haveMultiLink(ebpf.AttachTraceKprobeMulti)
	case target.KprobeSession:
		return s.Has(target.KprobeMulti) && haveMultiLink(ebpf.AttachTraceKprobeSession)
	case target.UprobeMulti:
		return haveMultiLink(ebpf.AttachTraceUprobeMulti)
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
		return s.Has(target.TaskStorage) && s.Version() >= version(6, 9) && haveCmpxchg16b()
	case target.Atomics:
		return s.Version() >= version(5, 12)
	case target.SignedDivision:
		return s.Version() >= version(6, 6)
	case target.BigKeys:
		return s.Version() >= version(6, 1) || haveBigKeys()
	case target.RdonlyCast:
		if s.Version() < version(6, 2) {
			return false
		}
		_, ok := s.Function(facts.Vmlinux, "bpf_rdonly_cast")
		return ok
	case target.BTF:
		return s.src.opts.BTF != "" || exists("/sys/kernel/btf/vmlinux")
	case target.ModuleBTF:
		return s.Has(target.BTF) && s.Version() >= version(5, 11)
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
	if s.Version() >= version(major, minor) {
		return true
	}
	return features.HaveProgramHelper(ebpf.Kprobe, helper) == nil
}

func haveBigKeys() bool {
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Hash, KeySize: 520, ValueSize: 8, MaxEntries: 1})
	if err != nil {
		return false
	}
	m.Close()
	return true
}

const (
	cmdProgLoad       = 5
	cmdRawTracepoint  = 17
	cmdLinkCreate     = 28
	progTypeTracing   = 26
	attachTraceFEntry = 24
)

func bpf(cmd uintptr, attr []byte) (int, syscall.Errno) {
	fd, _, errno := syscall.Syscall(sysBPF, cmd, uintptr(unsafe.Pointer(&attr[0])), uintptr(len(attr)))
	return int(fd), errno
}

// haveMultiLink asks for a link to functions whose list lies at an address
// that can't be read. Only a kernel that has such links looks there, and says
// EFAULT: nothing is attached.
func haveMultiLink(attach ebpf.AttachType) bool {
	prog, err := ebpf.NewProgramWithOptions(&ebpf.ProgramSpec{
		Type:         ebpf.Kprobe,
		AttachType:   attach,
		License:      "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()},
	}, ebpf.ProgramOptions{LogDisabled: true})
	if err != nil {
		return false
	}
	defer prog.Close()
	attr := make([]byte, 64)
	le := binary.LittleEndian
	le.PutUint32(attr[0:], uint32(prog.FD()))
	le.PutUint32(attr[8:], uint32(attach))
	if attach == ebpf.AttachTraceUprobeMulti {
		le.PutUint64(attr[16:], 1) // path
		le.PutUint64(attr[24:], 1) // offsets
		le.PutUint32(attr[48:], 1) // count
	} else {
		le.PutUint32(attr[20:], 1) // count
		le.PutUint64(attr[32:], 1) // addresses
	}
	fd, errno := bpf(cmdLinkCreate, attr)
	if errno == 0 {
		syscall.Close(fd)
	}
	return errno == syscall.EFAULT
}

// haveTrampolines loads a program that does nothing for the entry of a
// function that only the kernel's self-tests call, and attaches it: some
// systems refuse the first, some the second.
func (s *System) haveTrampolines() bool {
	if !s.Has(target.BTF) || s.Version() < version(5, 5) {
		return false
	}
	f, ok := s.Function(facts.Vmlinux, "bpf_fentry_test1")
	if !ok {
		// Kernels without CONFIG_NET.
		if f, ok = s.Function(facts.Vmlinux, "kernel_power_off"); !ok {
			return false
		}
	}
	license := []byte("GPL\x00")
	insns := [16]byte{0: 0xb7, 8: 0x95} // r0 = 0; exit
	attr := make([]byte, 120)
	le := binary.LittleEndian
	le.PutUint32(attr[0:], progTypeTracing)
	le.PutUint32(attr[4:], 2)
	le.PutUint64(attr[8:], uint64(uintptr(unsafe.Pointer(&insns))))
	le.PutUint64(attr[16:], uint64(uintptr(unsafe.Pointer(&license[0]))))
	le.PutUint32(attr[68:], attachTraceFEntry)
	le.PutUint32(attr[108:], f.ID)
	prog, errno := bpf(cmdProgLoad, attr)
	if errno != 0 {
		return false
	}
	defer syscall.Close(prog)
	attach := make([]byte, 16)
	le.PutUint32(attach[8:], uint32(prog))
	link, errno := bpf(cmdRawTracepoint, attach)
	if errno != 0 {
		return false
	}
	syscall.Close(link)
	return true
}
