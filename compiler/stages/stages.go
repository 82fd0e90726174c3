// Package stages shows what the stages of a compile make of a script.
package stages

import (
	"fmt"
	"io"
	"time"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/load"
	"fst/lang/source"
)

// Stages that are not the compiler's.
const (
	tree  = "ast"
	times = "time" // how long each step took
)

// Names lists the stages in the order of a compile.
func Names() []string {
	return []string{tree, string(compiler.StageTypes), string(compiler.StageIR), string(compiler.StageMachine), string(compiler.StageOpt), string(compiler.StageASM), times}
}

// Input is a script and what a compile of it depends on.
type Input struct {
	Set   *source.Set
	File  *source.File
	Load  load.Options
	Check check.Options
}

// Write writes what a stage makes of a script. It writes nothing, or a part, if diags
// has errors then.
func Write(w io.Writer, stage string, in Input, diags *diag.List) {
	var clock stopwatch
	if k, ok := in.Check.Target.(target.Live); ok && stage == times {
		clock.target = &timed{Live: k}
		in.Check.Target = clock.target
	}
	clock.start()
	prog := load.Program(in.Set, in.File, in.Load, diags)
	clock.lap("parse")
	if diags.HasErrors() {
		check.Settled(prog, in.Check, diags)
		return
	}
	opts := compiler.Options{Options: in.Check}
	switch stage {
	case tree:
		format.Dump(w, prog)
		return
	case times:
		opts.Step = clock.lap
	default:
		opts.Verify, opts.Dump = true, compiler.DumpTo(w, compiler.Stage(stage))
	}
	if _, err := compiler.Compile(in.Set, prog, opts, diags); err != nil {
		diags.Errorf(prog.Span, "%v", err)
	}
	if stage == times && !diags.HasErrors() {
		clock.write(w)
	}
}

// stopwatch measures steps that follow each other, without what the kernel was
// asked in them.
type stopwatch struct {
	steps  []step
	target *timed // nil for a recorded kernel
	began  time.Time
	spent  time.Duration // asked when the step began
}

type step struct {
	name string
	took time.Duration
}

func (s *stopwatch) kernel() time.Duration {
	if s.target == nil {
		return 0
	}
	return s.target.asked
}

func (s *stopwatch) start() { s.began, s.spent = time.Now(), s.kernel() }

// lap ends a step; the next one begins.
func (s *stopwatch) lap(name string) {
	s.steps = append(s.steps, step{name, time.Since(s.began) - (s.kernel() - s.spent)})
	s.start()
}

// write writes how long each step took. What the kernel was asked meanwhile (its types,
// events and symbols) is a line of its own.
func (s *stopwatch) write(w io.Writer) {
	all := time.Duration(0)
	line := func(step string, d time.Duration) {
		fmt.Fprintf(w, "%-10s %8.3f ms\n", step, float64(d)/float64(time.Millisecond))
	}
	for _, s := range s.steps {
		line(s.name, s.took)
		all += s.took
	}
	line("compile", all)
	line("kernel", s.kernel())
}
