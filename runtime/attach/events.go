package attach

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/runtime/cpus"
	"fst/runtime/perf"

	"golang.org/x/sys/unix"
)

// perfInheritThread is the attribute bit inherit_thread (5.13): threads made
// later are followed, child processes are not.
const perfInheritThread = 1 << 35

// perfEvents attaches to timers, software and hardware events and watchpoints:
// events that must be enabled to happen.
func (k *kernel) perfEvents(a *Attachment, prog int, h *object.Hook) error {
	attr := perf.Attr(h.PerfType, h.PerfConfig)
	attr.Sample = h.Period
	switch h.Kind {
	case object.HookProfile, object.HookInterval:
		attr.Type, attr.Config = unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK
	case object.HookWatchpoint:
		attr.Type, attr.Ext1, attr.Ext2, attr.Sample = unix.PERF_TYPE_BREAKPOINT, h.Address, uint64(h.Len), 1
		for _, c := range h.Mode {
			attr.Bp_type |= map[rune]uint32{'r': 1, 'w': 2, 'x': 4}[c]
		}
	}
	if h.Frequency != 0 && h.Kind != object.HookWatchpoint {
		attr.Sample, attr.Bits = h.Frequency, unix.PerfBitFreq
		if h.Kind == object.HookProfile || h.Kind == object.HookInterval {
			// A clock has no need for the kernel's search for a period that
			// gives the frequency (which limits the rate, too).
			attr.Sample, attr.Bits = max(1, 1_000_000_000/h.Frequency), 0
		}
	}
	if attr.Config == unix.PERF_COUNT_SW_CPU_CLOCK && attr.Type == unix.PERF_TYPE_SOFTWARE && attr.Bits&unix.PerfBitFreq == 0 {
		k.checkPeriod(h, attr.Sample)
	}
	attr.Bits |= unix.PerfBitDisabled
	if h.PID != 0 && h.Kind != object.HookInterval {
		a.Mechanism = PerfEventThreads
		return k.threads(a, attr, h.PID, prog)
	}
	online, err := k.onlineCPUs()
	if err != nil {
		return err
	}
	if h.Kind == object.HookInterval {
		a.Mechanism = PerfEventOneCPU
		return k.perf(a, attr, -1, online[0], prog, true)
	}
	a.Mechanism, a.perCPU = PerfEventPerCPU, &perCPU{attr: attr, prog: prog}
	for _, cpu := range online {
		err := k.onCPU(a, cpu)
		if errors.Is(err, unix.ENODEV) && len(a.fds) > 0 {
			continue // went offline meanwhile
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// perCPU is what makes the events of an Attachment on further processors; cpus has the
// processor of each descriptor.
type perCPU struct {
	attr *unix.PerfEventAttr
	prog int
	cpus []int
}

func (k *kernel) onCPU(a *Attachment, cpu int) error {
	if err := k.perf(a, a.perCPU.attr, -1, cpu, a.perCPU.prog, true); err != nil {
		return err
	}
	a.perCPU.cpus = append(a.perCPU.cpus, cpu)
	return nil
}

// HasPerCPU reports whether some program hangs on an event of each processor.
func HasPerCPU(obj *object.Object) bool {
	for _, p := range obj.Programs {
		for _, h := range p.Hooks {
			switch h.Kind {
			case object.HookProfile, object.HookPerf, object.HookWatchpoint:
				if h.PID == 0 {
					return true
				}
			}
		}
	}
	return false
}

// Join makes what happens on each processor happen on one that came online, too. The
// event of one that was there before has ended with it.
func (as *Attachments) Join(cpu int) error {
	var errs []error
	for _, a := range as.list {
		if a.perCPU == nil {
			continue
		}
		if i := slices.Index(a.perCPU.cpus, cpu); i >= 0 {
			unix.Close(a.fds[i])
			a.fds = slices.Delete(a.fds, i, i+1)
			a.perCPU.cpus = slices.Delete(a.perCPU.cpus, i, i+1)
		}
		if err := new(kernel).onCPU(a, cpu); err != nil && !errors.Is(err, unix.ENODEV) {
			errs = append(errs, fmt.Errorf("%s does not happen on CPU %d, which came online: %w", a.Hooks[0].Name, cpu, err))
		}
	}
	return errors.Join(errs...)
}

// shortestPeriod is that of the kernel's clock event, in ns: shorter ones are made so
// long (perf_swevent_start_hrtimer).
const shortestPeriod = 10_000

// checkPeriod warns of a clock that is too fast for the kernel, which then leaves out
// ticks and tells nobody how many.
func (k *kernel) checkPeriod(h *object.Hook, ns uint64) {
	shortest := uint64(shortestPeriod)
	if text, err := os.ReadFile("/proc/sys/kernel/perf_event_max_sample_rate"); err == nil {
		if rate, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && rate > 0 {
			shortest = max(shortest, 1_000_000_000/rate)
		}
	}
	if ns <= shortest {
		k.warnings = append(k.warnings, fmt.Sprintf("%s runs less often than it asks for: this kernel leaves out samples that come every %d us or faster (kernel.perf_event_max_sample_rate)",
			h.Name, shortest/1000))
	}
}

// threads attaches to all threads of a process, and those it will make.
func (k *kernel) threads(a *Attachment, attr *unix.PerfEventAttr, pid, prog int) error {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return unix.ESRCH
	}
	for _, e := range entries {
		tid, _ := strconv.Atoi(e.Name())
		var err error
		for _, inherit := range []uint64{unix.PerfBitInherit | perfInheritThread, unix.PerfBitInherit, 0} {
			with := *attr
			with.Bits |= inherit
			if err = k.perf(a, &with, tid, -1, prog, true); !errors.Is(err, unix.EINVAL) {
				break
			}
		}
		if err != nil && !(errors.Is(err, unix.ESRCH) && len(a.fds) > 0) {
			return err
		}
	}
	return nil
}

func (k *kernel) onlineCPUs() ([]int, error) {
	if k.online != nil {
		return k.online, nil
	}
	var err error
	k.online, err = cpus.Online()
	return k.online, err
}
