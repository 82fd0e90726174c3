package attach

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fst/compiler/object"
	"fst/lang/source"
	"fst/runtime/perf"

	"golang.org/x/sys/unix"
)

// errNotSupp is the kernel's ENOTSUPP, which is not meant to be seen outside but
// is what BPF commands answer.
const errNotSupp = unix.Errno(524)

// Error is a probe that could not be attached (or, for BEGIN and END, run).
type Error struct {
	Hook   *object.Hook
	Err    error
	Reason string // why, in plain words
	Remedy string // what helps; may be empty
	// OfMany is the reason in words that fit several hooks; empty for some.
	OfMany string
	// More is how many further hooks of the same link could not be attached
	// for the same reason.
	More int
}

// What says what failed and why, without what helps.
func (e *Error) What() string {
	name := e.Hook.Name
	if e.More > 0 {
		name = fmt.Sprintf("%s and %d more", name, e.More)
	}
	if e.Reason == "" {
		return fmt.Sprintf("cannot attach %s: %v", name, e.Err)
	}
	return fmt.Sprintf("cannot attach %s: %s", name, e.Reason)
}

func (e *Error) Error() string {
	if e.Remedy != "" {
		return e.What() + "; " + e.Remedy
	}
	return e.What()
}

// LeftOut says which hooks were left out and why: those that a pattern named are
// told together, for each reason.
func LeftOut(missing []*Error) []string {
	type group struct {
		reason string
		at     source.Span
	}
	const named = 3
	var out []string
	told := map[group]bool{}
	for _, e := range missing {
		g := group{e.OfMany, e.Hook.Span}
		var names []string
		for _, other := range missing {
			if other.Hook.Wild && other.OfMany == e.OfMany && other.Hook.Span == e.Hook.Span {
				names = append(names, other.Hook.Name)
			}
		}
		switch {
		case !e.Hook.Wild || e.OfMany == "" || len(names) == 1:
			out = append(out, e.Error())
		case !told[g]:
			told[g] = true
			slices.Sort(names)
			list := strings.Join(names[:min(len(names), named)], ", ")
			if len(names) > named {
				list += fmt.Sprintf(" and %d more", len(names)-named)
			}
			out = append(out, fmt.Sprintf("%d probes were not attached: %s: %s", len(names), e.OfMany, list))
		}
	}
	return out
}

func (e *Error) Unwrap() error { return e.Err }

// isMissing reports whether an error may come from the one function of many
// that is not there or must not be probed.
func isMissing(h *object.Hook, err error) bool {
	missing := []error{unix.ENOENT, unix.EINVAL, unix.ESRCH, unix.EILSEQ, unix.EADDRNOTAVAIL, unix.ERANGE}
	if h.Kind == object.HookUprobe || h.Kind == object.HookUretprobe {
		missing = append(missing, refusedInstruction...)
	}
	return slices.ContainsFunc(missing, func(e error) bool { return errors.Is(err, e) })
}

// refusedInstruction is what the kernel answers where a uprobe would be on an
// instruction that it can't run elsewhere.
var refusedInstruction = []error{errNotSupp, unix.EOPNOTSUPP, unix.ENOEXEC, unix.EIO}

// mayBeMissing reports whether missing_probes is about this error.
func (e *Error) mayBeMissing() bool {
	switch e.Hook.Kind {
	case object.HookKprobe, object.HookKretprobe, object.HookFentry, object.HookFexit, object.HookUprobe, object.HookUretprobe,
		object.HookTracepoint, object.HookRawTracepoint, object.HookTraceiter:
		// A kernel without any kprobes has not this one either.
		var pmu perf.NoPMU
		return isMissing(e.Hook, e.Err) || errors.As(e.Err, &pmu)
	}
	return false
}

// explainAttach says why a hook could not be attached, and what helps.
func explainAttach(h *object.Hook, err error) *Error {
	e := &Error{Hook: h, Err: err, Reason: err.Error()}
	var pmu perf.NoPMU
	var pin errPin
	switch {
	case errors.As(err, &pin):
		e.pin(pin)
		return e
	case errors.Is(err, unix.EACCES) && errors.As(err, new(errSetProgram)) && h.Kind == object.HookTracepoint:
		e.Reason = "the program reads beyond the tracepoint's record"
		return e
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		e.permission(h)
		return e
	case errors.Is(err, errHiddenTracefs):
		e.Reason, e.Remedy = err.Error(), "run fst as root, or with CAP_DAC_READ_SEARCH as well"
		return e
	case errors.Is(err, errNoTracefs):
		e.Reason, e.Remedy = "tracefs is not mounted", "mount -t tracefs tracefs /sys/kernel/tracing"
		return e
	case errors.As(err, &pmu):
		if pmu == "kprobe" {
			e.Reason, e.Remedy = "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)", "tracepoint:, syscall: and ucall: work without them; fst -l lists what there is"
			var events tracefs
			if _, err := events.id("syscalls", "sys_enter_"+h.Function); err == nil {
				e.Remedy = "write syscall:" + h.Function + "; " + e.Remedy
			}
			events.close()
		} else {
			e.Reason, e.Remedy = "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)", ""
		}
		return e
	case errors.Is(err, unix.EMFILE):
		e.Reason, e.Remedy = "too many open files", "probe fewer functions, or raise the limit (ulimit -n)"
		return e
	case errors.Is(err, unix.ENOMEM):
		e.Reason = "the kernel has no memory left for it"
		return e
	case errors.Is(err, unix.E2BIG):
		e.Reason, e.Remedy = "too many programs are attached to it already (the kernel allows 64)", "merge the clauses"
		return e
	}
	switch h.Kind {
	case object.HookKprobe, object.HookKretprobe:
		e.kprobe(h)
	case object.HookFentry, object.HookFexit:
		e.trampoline(h)
	case object.HookTracepoint, object.HookRawTracepoint, object.HookTraceiter:
		switch {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINVAL) && !errors.As(err, new(errSetProgram)):
			e.Reason = "this kernel has no such tracepoint"
		case errors.Is(err, unix.EINVAL):
			e.Reason = "the program reads beyond the tracepoint's record"
		}
	case object.HookUprobe, object.HookUretprobe:
		e.uprobe(h)
	case object.HookProfile, object.HookInterval, object.HookPerf:
		e.perf(h)
	case object.HookWatchpoint:
		e.watchpoint(h)
	}
	return e
}

// errPin tells a failure to give a link a name.
type errPin struct {
	path string
	error
}

func (e errPin) Unwrap() error { return e.error }

func (e *Error) pin(p errPin) {
	var st unix.Statfs_t
	dir := filepath.Dir(p.path)
	switch err := unix.Statfs(dir, &st); {
	case err != nil:
		e.Reason = fmt.Sprintf("it can't be pinned as %s: there is no directory %s", p.path, dir)
	case st.Type != unix.BPF_FS_MAGIC:
		e.Reason, e.Remedy = fmt.Sprintf("it can't be pinned as %s: %s is in no BPF file system", p.path, dir), "mount -t bpf bpf /sys/fs/bpf"
	case errors.Is(p, unix.EEXIST):
		e.Reason, e.Remedy = "the pin "+p.path+" exists", "remove it"
	default:
		e.Reason = fmt.Sprintf("it can't be pinned as %s: %v", p.path, p.error)
	}
}

func (e *Error) permission(h *object.Hook) {
	switch mode := lockedDown(); {
	case os.Geteuid() != 0:
		e.Reason, e.Remedy = "this user may not", "run fst as root: it needs CAP_SYS_ADMIN"
	case mode == "confidentiality", mode != "" && h.Kind != object.HookUprobe && h.Kind != object.HookUretprobe:
		e.Reason, e.Remedy = "the kernel is in lockdown ("+mode+") and forbids it", "use tracepoints, or boot without lockdown"
	default:
		e.Reason, e.Remedy = "the system forbids it even to root", "look at seccomp, the container's capabilities and kernel.perf_event_paranoid"
	}
}

func (e *Error) kprobe(h *object.Hook) {
	what := h.Function
	switch {
	case errors.Is(e.Err, unix.EINVAL) && h.Multi, errors.Is(e.Err, unix.ENOENT), errors.Is(e.Err, unix.ESRCH):
		// (A multi link does not tell a function that is not there from one
		// that must not be probed.)
		e.Reason = "the kernel has no function " + what
		if h.Module != "" && h.Module != "vmlinux" {
			e.Reason += " in the module " + h.Module
		}
		e.OfMany = "the kernel has no such function, or forbids to probe it"
		e.Remedy = "look for another name, or for copies that the compiler made (" + what + ".isra.0, .constprop.0)"
	case errors.Is(e.Err, unix.EADDRNOTAVAIL):
		e.Reason, e.Remedy = what+" is known by several addresses", "use an address: kprobe:0x..."
		e.OfMany = "they are known by several addresses"
	case errors.Is(e.Err, unix.EILSEQ), errors.Is(e.Err, unix.EINVAL) && h.Offset != 0:
		e.Reason = fmt.Sprintf("%s+%d is not the start of an instruction, or not a place for a probe", what, h.Offset)
		e.OfMany = "no instruction begins there, or it is not a place for a probe"
		e.Remedy = "probe the function's beginning, kprobe:" + what + "; objdump -d of the kernel shows where instructions begin"
	case errors.Is(e.Err, unix.EINVAL):
		e.OfMany = "they must not be probed (notrace, inlined code, or on the kernel's blacklist)"
		e.Reason = what + " must not be probed (notrace, inlined code, or on the kernel's blacklist)"
		e.Remedy = "probe a function that calls it or is called by it"
	case errors.Is(e.Err, unix.EOPNOTSUPP) && h.Multi:
		e.Reason, e.Remedy = "this kernel has no kprobe.multi (CONFIG_FPROBE)", "use single kprobes"
	}
}

func (e *Error) trampoline(h *object.Hook) {
	switch {
	case errors.Is(e.Err, unix.EBUSY):
		e.Reason, e.Remedy = h.Function+" is in use by another tracer (live patch, ftrace)", "use a kprobe"
		e.OfMany = "another tracer uses them (live patch, ftrace)"
	case errors.Is(e.Err, errNotSupp), errors.Is(e.Err, unix.EOPNOTSUPP), errors.Is(e.Err, unix.EINVAL), errors.Is(e.Err, unix.ENOENT):
		e.Reason, e.Remedy = h.Function+" cannot take a trampoline", "use a kprobe"
		e.OfMany = "they cannot take a trampoline; kprobes may"
	}
}

func (e *Error) uprobe(h *object.Hook) {
	switch {
	case errors.Is(e.Err, unix.ESRCH):
		e.Reason = fmt.Sprintf("there is no process %d", h.PID)
	case errors.Is(e.Err, unix.ENOENT):
		e.Reason = "there is no file " + h.Path
	case errors.Is(e.Err, unix.EINVAL), errors.Is(e.Err, unix.ENOEXEC), errors.Is(e.Err, unix.EIO), errors.Is(e.Err, unix.EOPNOTSUPP), errors.Is(e.Err, errNotSupp):
		e.Reason = fmt.Sprintf("the kernel cannot probe the instruction at file offset %#x of %s", h.FileOffset, h.Path)
		e.OfMany = "the kernel cannot probe the instruction that is there"
	}
}

func (e *Error) perf(h *object.Hook) {
	switch {
	case errors.Is(e.Err, unix.ESRCH):
		e.Reason = fmt.Sprintf("there is no process %d", h.PID)
	case errors.Is(e.Err, unix.ENOENT), errors.Is(e.Err, unix.EOPNOTSUPP), errors.Is(e.Err, unix.ENODEV):
		e.Reason = "this machine does not count this event"
		if h.PerfType == unix.PERF_TYPE_HARDWARE && h.Kind == object.HookPerf {
			e.Reason, e.Remedy = "this machine has no hardware counter for it (virtual machines often have none)", "use a software event or profile"
		}
	case errors.Is(e.Err, unix.EINVAL):
		e.Reason = "the kernel does not take this period or frequency"
	}
}

func (e *Error) watchpoint(h *object.Hook) {
	switch {
	case errors.Is(e.Err, unix.ENOSPC):
		e.Reason, e.Remedy = "all debug registers of the processor are in use", "watch fewer places (x86 has four)"
	case errors.Is(e.Err, unix.EINVAL):
		e.Reason = fmt.Sprintf("the processor cannot watch %d bytes at %#x with mode %q", h.Len, h.Address, h.Mode)
		e.Remedy = "mode x wants the length 8"
		if h.Address%uint64(h.Len) != 0 {
			e.Remedy = "the address must be a multiple of the length"
		}
	case errors.Is(e.Err, unix.ESRCH):
		e.Reason = fmt.Sprintf("there is no process %d", h.PID)
	}
}
