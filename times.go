package fst

import (
	"fmt"
	"io"
	"time"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/diag"
	"fst/lang/load"
	"fst/runtime/kernel"
)

// stageTime is the stage of Dump that shows how long each step took.
const stageTime = "time"

// dumpTimes compiles as Compile does and writes how long each step took. What
// the kernel was asked meanwhile (its types, events and symbols) is a line of its own.
func dumpTimes(w io.Writer, c *compilation, diags *diag.List) {
	var clock stopwatch
	if s, ok := c.check.Target.(*kernel.System); ok {
		c.check.Target = timedSystem{s, &clock.asked}
	}
	clock.start()
	tree := load.Program(&c.set, c.file, c.load, diags)
	clock.lap("parse")
	if diags.HasErrors() {
		check.Settled(tree, c.check, diags)
		return
	}
	opts := compiler.Options{Options: c.check, Step: clock.lap}
	if _, err := compiler.Compile(&c.set, tree, opts, diags); err != nil {
		diags.Errorf(tree.Span, "%v", err)
	}
	if diags.HasErrors() {
		return
	}
	all := time.Duration(0)
	line := func(step string, d time.Duration) {
		fmt.Fprintf(w, "%-10s %8.3f ms\n", step, float64(d)/float64(time.Millisecond))
	}
	for _, s := range clock.steps {
		line(s.name, s.took)
		all += s.took
	}
	line("compile", all)
	line("kernel", clock.asked)
}

// stopwatch measures steps that follow each other, without what the kernel was
// asked in them.
type stopwatch struct {
	steps []step
	asked time.Duration // by questions to the kernel, so far
	began time.Time
	spent time.Duration // asked when the step began
}

type step struct {
	name string
	took time.Duration
}

func (s *stopwatch) start() { s.began, s.spent = time.Now(), s.asked }

// lap ends a step; the next one begins.
func (s *stopwatch) lap(name string) {
	s.steps = append(s.steps, step{name, time.Since(s.began) - (s.asked - s.spent)})
	s.start()
}

// timedSystem is the running kernel that notes how long it thinks about the
// questions for which it reads something. They come one at a time.
type timedSystem struct {
	*kernel.System
	asked *time.Duration
}

func (t timedSystem) time() func() {
	began := time.Now()
	return func() { *t.asked += time.Since(began) }
}

func (t timedSystem) Tracepoint(category, event string) (*target.Tracepoint, error) {
	defer t.time()()
	return t.System.Tracepoint(category, event)
}

func (t timedSystem) Tracepoints(category, event string) ([]string, error) {
	defer t.time()()
	return t.System.Tracepoints(category, event)
}

func (t timedSystem) RawTracepoint(event string) (*target.Func, bool) {
	defer t.time()()
	return t.System.RawTracepoint(event)
}

func (t timedSystem) RawTracepoints(pattern string) []string {
	defer t.time()()
	return t.System.RawTracepoints(pattern)
}

func (t timedSystem) Function(module, name string) (*target.Func, bool) {
	defer t.time()()
	return t.System.Function(module, name)
}

func (t timedSystem) Traceable(module, pattern string) ([]target.FuncName, error) {
	defer t.time()()
	return t.System.Traceable(module, pattern)
}

func (t timedSystem) Type(tag, name string) (*types.Type, bool) {
	defer t.time()()
	return t.System.Type(tag, name)
}

func (t timedSystem) Enumerator(name string) (int64, *types.Type, bool) {
	defer t.time()()
	return t.System.Enumerator(name)
}

func (t timedSystem) Symbol(name string) (uint64, bool) {
	defer t.time()()
	return t.System.Symbol(name)
}

func (t timedSystem) Syscall(name string) (*target.Func, bool) {
	defer t.time()()
	return t.System.Syscall(name)
}

func (t timedSystem) Syscalls(pattern string) []string {
	defer t.time()()
	return t.System.Syscalls(pattern)
}

func (t timedSystem) Symbols(path, pattern string) ([]target.UserSymbol, error) {
	defer t.time()()
	return t.System.Symbols(path, pattern)
}

func (t timedSystem) Binary(name string, pid int) ([]string, error) {
	defer t.time()()
	return t.System.Binary(name, pid)
}
