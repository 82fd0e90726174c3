package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// workload is a question asked at each of the generator's getppid calls.
type workload struct {
	name     string
	programs int // that run with each call
	question
}

const (
	sysEnter    = "tracepoint:raw_syscalls:sys_enter /pid == PID/ "
	sysExit     = "tracepoint:raw_syscalls:sys_exit /pid == PID && @start[tid]/ "
	plySysEnter = "tracepoint:raw_syscalls/sys_enter / pid == PID / "
	plySysExit  = "tracepoint:raw_syscalls/sys_exit / pid == PID / "

	enterGetppid    = "tracepoint:syscalls:sys_enter_getppid /pid == PID/ "
	eachGetppid     = enterGetppid + `{ printf("%d %s\n", pid, comm); }`
	exitGetppid     = "tracepoint:syscalls:sys_exit_getppid /@start[tid]/ "
	plyEnterGetppid = "tracepoint:syscalls/sys_enter_getppid / pid == PID / "
	plyExitGetppid  = "tracepoint:syscalls/sys_exit_getppid / pid == PID / "
)

var workloads = []workload{
	{"reject", 1, question{floor: "reject " + strconv.Itoa(nobody),
		script: "tracepoint:raw_syscalls:sys_enter /pid == " + strconv.Itoa(nobody) + "/ { @ = count(); }",
		ply:    "tracepoint:raw_syscalls/sys_enter / pid == " + strconv.Itoa(nobody) + " / { @[0] = count(); }"}},
	// What another process does than the command that --only follows; the floor compares with a constant.
	{"reject by --only", 1, question{floor: "reject " + strconv.Itoa(nobody),
		fst: "tracepoint:raw_syscalls:sys_enter { @ = count(); }", options: []string{"--only", "-c", "sleep 600"}}},
	// What runs outside of a container that a script asks for.
	{"reject by container", 1, question{floor: "reject " + strconv.Itoa(nobody),
		fst: `tracepoint:raw_syscalls:sys_enter /container == "nosuch"/ { @ = count(); }`}},
	{"count", 1, question{floor: "count PID", script: sysEnter + "{ @ = count(); }", ply: plySysEnter + "{ @[0] = count(); }"}},
	{"count by pid", 1, question{floor: "pid PID",
		script: sysEnter + "{ @[pid] = count(); }", ply: plySysEnter + "{ @[pid] = count(); }"}},
	{"count by comm", 1, question{floor: "comm PID",
		script: sysEnter + "{ @[comm] = count(); }", ply: plySysEnter + "{ @[comm] = count(); }"}},
	{"hist", 1, question{floor: "hist PID",
		script: sysEnter + "{ @ = hist(args->id); }", ply: plySysEnter + "{ @[0] = quantize(data->id); }"}},
	{"latency", 2, question{floor: "latency PID",
		script: sysEnter + "{ @start[tid] = nsecs; } " + sysExit + latencyEnd,
		ply:    plySysEnter + plyLatencyStart + plySysExit + plyLatencyEnd}},
	// The same of one system call, which fst has a probe for.
	{"latency of a call", 2, question{floor: "latency PID " + strconv.Itoa(syscall.SYS_GETPPID),
		fst:    "syscall:getppid /pid == PID/ { @ = hist(took); }",
		script: enterGetppid + "{ @start[tid] = nsecs; } " + exitGetppid + latencyEnd,
		ply:    plyEnterGetppid + plyLatencyStart + plyExitGetppid + plyLatencyEnd}},
	// What outputs cost that which is traced, against the first; the reader has a processor of its own.
	{"printf as text", 1, question{fst: eachGetppid, options: []string{"-o", os.DevNull}}},
	{"printf as json2", 1, question{fst: eachGetppid, options: []string{"-o", os.DevNull, "-f", "json2"}}},
	{"printf to two outputs", 1, question{fst: eachGetppid, options: []string{"-o", os.DevNull, "--also", "json=" + os.DevNull}}},
	{"hist and --listen", 1, question{fst: sysEnter + "{ @ = hist(args->id); }", options: []string{"--listen", "127.0.0.1:0"}}},
}

const (
	latencyEnd      = "{ @ = hist(nsecs - @start[tid]); delete(@start[tid]); }"
	plyLatencyStart = "{ s[kpid] = time; } "
	plyLatencyEnd   = "{ if (s[kpid]) { @[0] = quantize(time - s[kpid]); delete s[kpid]; } }"
)

// cost: the CPU time of a system call traced, less untraced. What disturbs a
// measurement (other processes, other people's tracing) only ever adds, so the
// least of all repetitions is taken, for the traced calls of each tool as for
// the untraced ones.
func (b *bench) cost() error {
	for _, name := range b.workloads {
		if !slices.ContainsFunc(workloads, func(w workload) bool { return w.name == name }) {
			return fmt.Errorf("no workload %q", name)
		}
	}
	for _, w := range workloads {
		if len(b.workloads) > 0 && !slices.Contains(b.workloads, w.name) {
			continue
		}
		type call struct {
			tool   string
			traced float64
		}
		var all []call
		untraced := math.Inf(1)
		b.each("cost "+w.name, func(t tool) error {
			before, traced, after, err := b.traced(t, w)
			if err == nil {
				untraced = min(untraced, before, after)
				all = append(all, call{t.name, traced})
			}
			return err
		})
		for _, c := range all {
			b.results.add("cost", w.name, "ns", c.tool, c.traced-untraced).least = true
		}
	}
	return nil
}

// traced measures a call in ns before, while and after it is traced.
func (b *bench) traced(t tool, w workload) (before, traced, after float64, err error) {
	g, err := newGenerator("getppid")
	if err != nil {
		return 0, 0, 0, err
	}
	defer g.close()
	for range 20 { // warm up
		g.work()
	}
	before = b.quiet.sample(g)
	p, err := t.trace(w.question, g, startOptions{pinned: true})
	if err != nil {
		return 0, 0, 0, err
	}
	if err := p.awaitAttached(g, w.programs); err != nil {
		p.kill()
		return 0, 0, 0, err
	}
	traced = b.quiet.sample(g)
	if _, err := p.stop(); err != nil {
		return 0, 0, 0, err
	}
	after = b.quiet.sample(g)
	return before, traced, after, g.err
}

// quiet picks the samples that were taken while nobody else used the CPU's
// caches and pipelines: a fixed piece of work before and after each tells.
type quiet struct {
	best int64 // fastest work so far
}

const (
	samples   = 9  // quiet ones wanted
	tries     = 60 // made at most
	leastGood = 5  // with fewer quiet ones, the quietest so many are taken
	calls     = 20000
)

// sample is the CPU time of a call in ns: the median of quiet samples.
func (q *quiet) sample(g *generator) float64 {
	type sample struct {
		work int64
		call float64
	}
	var all []sample
	good := 0
	was := g.work()
	for range tries {
		call := g.run(calls)
		now := g.work()
		if q.best == 0 {
			q.best = now
		}
		q.best = min(q.best, was, now)
		all = append(all, sample{max(was, now), call})
		if q.isQuiet(max(was, now)) {
			good++
		}
		if was = now; good >= samples || g.err != nil {
			break
		}
	}
	slices.SortFunc(all, func(a, b sample) int { return int(a.work - b.work) })
	var picked []float64
	for i, s := range all {
		if i < leastGood || q.isQuiet(s.work) {
			picked = append(picked, s.call)
		}
	}
	return median(picked)
}

// isQuiet reports whether work took at most 5 % over the best.
func (q *quiet) isQuiet(work int64) bool { return work <= q.best+q.best/20 }
