package lower

import (
	"fst/compiler/object"
	"fst/compiler/target"
)

// rawPreempted tells whether threads lose the CPU to others within programs on raw
// tracepoints: from Linux 7.0 on their tracepoints no longer keep preemption off.
// While such a thread waits for its CPU the kernel runs that program for none of the
// threads there: with six threads that write to /dev/null on one CPU of 7.2, a third
// of the calls was left out. The programs of trace events (perf) and kprobes do
// run with preemption off, so that all events are seen.
//
// That a program turns preemption off itself (bpf_preempt_disable, 6.10) does not
// help: what became due meanwhile happens in bpf_preempt_enable, still within the
// program. Measured, as many events were lost as without. Turned on again while
// interrupts are off (bpf_local_irq_save), the few instructions before and after
// are left, and those lost a tenth of the calls, for as much time as the
// trace event costs. Nor does it help to attach the program there several times, each
// to do what those before it could not: of threads that are preempted within it
// there may be as many as there are threads, and one more run of a program that
// has nothing to do costs half of what a kprobe costs.
func (l *lowerer) rawPreempted() bool { return l.t.Since(rawPreempted) }

// threadEvents are raw tracepoints that the kernel passes in threads that may be
// preempted, and seldom in interrupts, and that standard probes and tools count on.
//
// Others stay raw tracepoints: those that are passed with preemption off (the
// scheduler's, most of the network's, what happens under a spinlock) lose nothing
// there; those that happen in interrupts (block_rq_complete) would lose more as
// kprobes, of which an interrupt gets none while it has interrupted another
// one; and for those of memory (mm_page_alloc, kmem_cache_alloc) the price is too high.
var threadEvents = map[string]bool{
	"block_bio_queue": true, "block_getrq": true, "block_rq_issue": true, "block_split": true,
	"inet_sock_set_state":          true,
	"mm_filemap_add_to_page_cache": true,
	"sched_process_exec":           true, "sched_process_exit": true, "sched_process_fork": true,
	"task_newtask": true,
}

// byTraceiter tells whether the program is attached to the function that calls those of
// a raw tracepoint.
func (p *prog) byTraceiter() bool { return p.obj.Hooks[0].Kind == object.HookTraceiter }

// byTraceiter tells whether the program for a hook is attached to the function that calls
// the programs of its raw tracepoint, by a kprobe (object.HookTraceiter). That costs
// three times what the raw tracepoint does (measured on 7.2: 800 ns instead of 240 in an
// emulated machine, where a kprobe is 400), and sees every event.
func (l *lowerer) byTraceiter(h object.Hook) bool {
	return h.Kind == object.HookRawTracepoint && threadEvents[h.Event] && l.rawPreempted() && l.t.Has(target.Kprobes)
}
