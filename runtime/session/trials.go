package session

import (
	"errors"
	"time"

	"fst/compiler/object"
)

// Trials is told how the test: or bench: probes of a script fare. The output
// of a probe comes between Start and its result.
type Trials interface {
	// Begin is called before the first, with the names of all.
	Begin(bench bool, names []string)
	Start(name string)
	Test(name string, passed bool, took time.Duration)
	Bench(name string, averageNS float64, runs uint64)
	// End is called behind the last.
	End(bench bool)
}

// A benchmark runs for so long, or so often, whichever is first.
const (
	benchTime = 100 * time.Millisecond
	benchRuns = 100_000
)

// runTrials runs the tests and the benchmarks. A test passes if it returns 0
// and says no errorf() and no exit() with a code.
func (s *Session) runTrials() error {
	failed := false
	for _, kind := range []object.HookKind{object.HookTest, object.HookBench} {
		list := s.programs.Trials(kind)
		if len(list) == 0 {
			continue
		}
		var names []string
		for _, t := range list {
			names = append(names, t.Hook.Symbol)
		}
		bench := kind == object.HookBench
		s.opts.Trials.Begin(bench, names)
		for _, t := range list {
			if err := s.opts.Sink.Flush(); err != nil {
				return err
			}
			name := t.Hook.Symbol
			s.opts.Trials.Start(name)
			s.records.complained = false
			start := time.Now()
			value, err := t.Run()
			took := time.Since(start)
			if err != nil {
				return err
			}
			s.drain()
			if bench && !s.records.exited {
				before, _ := t.Cost()
				for n := 0; n < benchRuns && time.Since(start) < benchTime && !s.records.exited; n++ {
					if _, err := t.Run(); err != nil {
						return err
					}
					if n%64 == 0 {
						s.drain()
					}
				}
				s.drain()
				after, err := t.Cost()
				if err != nil {
					return err
				}
				runs := after.Runs - before.Runs
				if runs == 0 {
					return errors.New("the kernel did not time the benchmarks; --backend interpreter times them in fst's own interpreter")
				}
				s.opts.Trials.Bench(name, float64(after.RunTimeNS-before.RunTimeNS)/float64(runs), runs)
			} else {
				passed := value == 0 && !s.records.complained && (!s.records.exited || s.records.exitCode == 0)
				failed = failed || !passed
				s.opts.Trials.Test(name, passed, took)
			}
			s.records.exited, s.records.exitCode = false, 0
		}
		s.opts.Trials.End(bench)
	}
	if failed {
		s.records.exitCode = 1
	}
	return s.opts.Sink.Flush()
}
