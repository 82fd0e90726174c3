package attach

import (
	"errors"
	"path/filepath"

	"fst/compiler/object"
	"fst/runtime/bpf"
	system "fst/runtime/kernel"
	"fst/runtime/perf"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// kernel has what is looked up once while programs are attached.
type kernel struct {
	pmus   map[string]uint32
	events tracefs
	online []int
	// unlinked: this kernel has no links to perf events.
	unlinked bool
	// opened are the raw tracepoints that openers are on.
	opened  map[string]bool
	openers []int
	// trampolines are where functions with kretprobes return to, when searched.
	trampolines []uint64
	searched    bool
	returns     map[*object.Program]*returnCounter
	// warnings is Attachments.Warnings.
	warnings []string
}

func (k *kernel) close() { k.events.close() }

// single attaches a program to one hook.
func (k *kernel) single(a *Attachment, prog int, h *object.Hook) error {
	switch h.Kind {
	case object.HookKprobe, object.HookKretprobe:
		a.Mechanism = PerfKprobe
		return k.kprobe(a, prog, h)
	case object.HookUprobe, object.HookUretprobe:
		a.Mechanism = PerfUprobe
		return k.uprobe(a, prog, h)
	case object.HookTracepoint:
		a.Mechanism = PerfTracepoint
		return k.tracepoint(a, prog, h)
	case object.HookTraceiter:
		a.Mechanism = KprobeTraceiter
		return k.traceiter(a, prog, h)
	case object.HookRawTracepoint:
		a.Mechanism = RawTracepoint
		return a.add(bpf.OpenRawTracepoint(prog, h.Event))
	case object.HookFentry, object.HookFexit:
		a.Mechanism = Trampoline
		return a.add(bpf.OpenRawTracepoint(prog, ""))
	case object.HookIter:
		a.Mechanism = Iterator
		if err := a.add(bpf.LinkIter(prog, h.Event)); err != nil || h.Pin == "" {
			return err
		}
		a.Mechanism = PinnedIterator
		return a.pinAt(h.Pin)
	case object.HookProfile, object.HookInterval, object.HookPerf, object.HookWatchpoint:
		return k.perfEvents(a, prog, h)
	}
	return unix.EINVAL
}

// multi attaches a program to all hooks at once.
func (k *kernel) multi(a *Attachment, prog int) error {
	h := a.Hooks[0]
	switch h.Kind {
	case object.HookKprobe, object.HookKretprobe:
		a.Mechanism = MultiKprobe
		names := make([]string, len(a.Hooks))
		for i, h := range a.Hooks {
			names[i] = h.Function
		}
		return a.add(bpf.LinkKprobes(prog, h.Kind == object.HookKretprobe, names, a.cookies()))
	case object.HookUprobe, object.HookUretprobe:
		a.Mechanism = MultiUprobe
		offsets, refs, counted := make([]uint64, len(a.Hooks)), make([]uint64, len(a.Hooks)), false
		for i, h := range a.Hooks {
			offsets[i], refs[i] = h.FileOffset, h.Semaphore
			counted = counted || h.Semaphore != 0
		}
		if !counted {
			refs = nil
		}
		return a.add(bpf.LinkUprobes(prog, h.Kind == object.HookUretprobe, h.Path, offsets, refs, a.cookies(), h.PID))
	}
	return unix.EINVAL
}

// cookies are what the program is told on each hook, or nil if it does not ask.
func (a *Attachment) cookies() []uint64 {
	cookies, any := make([]uint64, len(a.Hooks)), false
	for i, h := range a.Hooks {
		cookies[i] = h.Cookie
		any = any || h.Cookie != 0
	}
	if !any {
		return nil
	}
	return cookies
}

func (a *Attachment) add(fd int, err error) error {
	if err == nil {
		a.fds = append(a.fds, fd)
	}
	return err
}

// pinAt gives the link a name, which may be one in the usual BPF file system.
func (a *Attachment) pinAt(path string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join("/sys/fs/bpf", path)
	}
	if err := bpf.Pin(a.fds[0], path); err != nil {
		return errPin{path, err}
	}
	a.pin = path
	return nil
}

// pmu is the type of the events of a PMU.
func (k *kernel) pmu(name string) (uint32, error) {
	if typ, ok := k.pmus[name]; ok {
		return typ, nil
	}
	typ, err := perf.PMU(name)
	if err != nil {
		return 0, err
	}
	if k.pmus == nil {
		k.pmus = map[string]uint32{}
	}
	k.pmus[name] = typ
	return typ, nil
}

func (k *kernel) kprobe(a *Attachment, prog int, h *object.Hook) error {
	typ, err := k.pmu("kprobe")
	if err != nil {
		return err
	}
	attr := perf.Probe(typ, 0)
	if h.Kind == object.HookKretprobe {
		attr.Config |= perf.Return
	}
	if h.Address != 0 && h.Function == "" {
		attr.Ext2 = h.Address
		return k.perf(a, attr, -1, 0, prog, false)
	}
	name := h.Function
	if h.Module != "" && h.Module != "vmlinux" {
		name = h.Module + ":" + name
	}
	// Several functions may have this name (load_elf_binary: that of 32-bit programs
	// is compiled from the same text), also in different modules: by name the kernel
	// takes none of them, or the first alone.
	var addresses []uint64
	if h.Several {
		addresses = system.FunctionAddresses(h.Function, h.Module)
	}
	if len(addresses) == 0 {
		attr.Ext2 = h.Offset
		err = perf.Named(attr, name, func() error { return k.perf(a, attr, -1, 0, prog, false) })
		if !errors.Is(err, unix.EADDRNOTAVAIL) {
			return err
		}
		addresses = system.FunctionAddresses(h.Function, h.Module)
	}
	attached := false
	for _, address := range addresses {
		attr.Ext1, attr.Ext2 = 0, address+h.Offset
		switch e := k.perf(a, attr, -1, 0, prog, false); {
		case e == nil:
			attached = true
		case !errors.Is(e, unix.EINVAL): // of code that ran at start and is gone, or may not be probed
			return e
		default:
			err = e
		}
	}
	if attached {
		return nil
	}
	return err
}

// traceiter attaches to a raw tracepoint by the function that calls its programs.
func (k *kernel) traceiter(a *Attachment, prog int, h *object.Hook) error {
	if err := k.open(h.Event); err != nil {
		return err
	}
	at := *h
	at.Function = "__traceiter_" + h.Event
	return k.kprobe(a, prog, &at)
}

// open makes the kernel call the programs of a raw tracepoint by their function: it
// does so for two or more.
func (k *kernel) open(event string) error {
	if k.opened[event] {
		return nil
	}
	nothing := asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}
	prog, err := loadCode(&bpf.Prog{Type: bpf.RawTracepoint, Name: "nothing"}, nothing)
	if err != nil {
		return err
	}
	defer unix.Close(prog)
	for range 2 {
		fd, err := bpf.OpenRawTracepoint(prog, event)
		if err != nil {
			return err
		}
		k.openers = append(k.openers, fd)
	}
	if k.opened == nil {
		k.opened = map[string]bool{}
	}
	k.opened[event] = true
	return nil
}

func (k *kernel) uprobe(a *Attachment, prog int, h *object.Hook) error {
	typ, err := k.pmu("uprobe")
	if err != nil {
		return err
	}
	attr := perf.Probe(typ, h.Semaphore<<perf.SemaphoreShift)
	if h.Kind == object.HookUretprobe {
		attr.Config |= perf.Return
	}
	attr.Ext2 = h.FileOffset
	pid, cpu := -1, 0
	if h.PID != 0 {
		pid, cpu = h.PID, -1
	}
	return perf.Named(attr, h.Path, func() error { return k.perf(a, attr, pid, cpu, prog, false) })
}

func (k *kernel) tracepoint(a *Attachment, prog int, h *object.Hook) error {
	id, err := k.events.id(h.Category, h.Event)
	if err != nil {
		return err
	}
	return k.perf(a, perf.Probe(unix.PERF_TYPE_TRACEPOINT, id), -1, 0, prog, false)
}

// perf opens a perf event and hangs a program on it.
func (k *kernel) perf(a *Attachment, attr *unix.PerfEventAttr, pid, cpu, prog int, enable bool) error {
	if k.countsReturns(a) {
		return k.countReturns(a, attr, func() error { return k.perfEvent(a, attr, pid, cpu, prog, enable) })
	}
	return k.perfEvent(a, attr, pid, cpu, prog, enable)
}

func (k *kernel) perfEvent(a *Attachment, attr *unix.PerfEventAttr, pid, cpu, prog int, enable bool) error {
	fd, err := perf.Open(attr, pid, cpu)
	if err != nil {
		return err
	}
	isKprobe := a.Mechanism == PerfKprobe || a.Mechanism == KprobeTraceiter
	if isKprobe && !k.unlinked {
		// A link can be asked for what it missed.
		if link, err := bpf.LinkPerfEvent(prog, fd); err == nil {
			unix.Close(fd)
			return a.add(link, nil)
		}
	}
	if err = setProgram(fd, prog); err == nil && enable {
		err = ioctl(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	}
	if err != nil {
		unix.Close(fd)
		return err
	}
	k.unlinked = k.unlinked || isKprobe
	return a.add(fd, nil)
}

// errSetProgram tells a failure to hang the program on an event that could be
// opened.
type errSetProgram struct{ error }

func (e errSetProgram) Unwrap() error { return e.error }

func setProgram(fd, prog int) error {
	if err := ioctl(fd, unix.PERF_EVENT_IOC_SET_BPF, prog); err != nil {
		return errSetProgram{err}
	}
	return nil
}

func ioctl(fd int, req uint, arg int) error {
	for {
		err := unix.IoctlSetInt(fd, req, arg)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
