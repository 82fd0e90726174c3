package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	millisecond = float64(time.Millisecond)
	mebibyte    = float64(1 << 20)
)

// startup: from nothing to the end of a script that only speaks.
func (b *bench) startup() error {
	hello := question{
		floor:  "begin",
		script: `BEGIN { printf("hi\n"); exit(); }`,
		ply:    `BEGIN { printf("hi\n"); exit(0); }`,
	}
	b.each("startup", func(t tool) error {
		argv := t.command(hello)
		p, err := once(argv)
		if err != nil {
			return err
		}
		if !strings.Contains(p.out.String(), "hi\n") {
			return errors.New("does not say hi")
		}
		b.results.add("startup", "exit", "ms", t.name, float64(p.ended.Sub(p.started))/millisecond)
		b.results.add("startup", "cpu", "ms", t.name, float64(p.cpuTime())/millisecond)
		// A second run for the memory, since watching takes CPU time.
		if p, err = start(argv, startOptions{}); err != nil {
			return err
		}
		b.results.add("startup", "memory", "MiB", t.name, p.peakMemory()/mebibyte)
		return p.wait(time.Minute)
	})
	return nil
}

// compile: a long script, checked only, and compiled, loaded and attached; then
// where the time of the compile goes.
func (b *bench) compile() error {
	f, err := os.CreateTemp("", "fst-bench-*.bt")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(longScript(300))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, way := range []struct {
		name    string
		command func(t tool) []string
	}{
		{"check", func(t tool) []string { return t.check(f.Name()) }},
		{"dry-run", func(t tool) []string { return t.dryRun(f.Name()) }},
	} {
		b.each("compile "+way.name, func(t tool) error {
			argv := way.command(t)
			if argv == nil {
				return errCannot
			}
			p, err := once(argv)
			if err != nil {
				return err
			}
			b.results.add("compile", way.name, "ms", t.name, float64(p.ended.Sub(p.started))/millisecond)
			b.results.add("compile", way.name+" cpu", "ms", t.name, float64(p.cpuTime())/millisecond)
			return nil
		})
	}
	b.each("steps", func(t tool) error {
		argv := t.times(f.Name())
		if argv == nil {
			return errCannot
		}
		// Short steps: what disturbs them only adds, so many runs are asked for the least.
		for range 10 {
			p, err := once(argv)
			if err != nil {
				return err
			}
			steps, err := stepTimes(p.out.String())
			if err != nil {
				return err
			}
			all := float64(p.ended.Sub(p.started)) / millisecond
			for _, s := range steps {
				b.results.add("steps", s.name, "ms", t.name, s.ms).least = true
				if s.name == "compile" || s.name == "kernel" {
					all -= s.ms
				}
			}
			b.results.add("steps", "start", "ms", t.name, all).least = true
		}
		return nil
	})
	return nil
}

type stepTime struct {
	name string
	ms   float64
}

// stepTimes reads lines such as "parse 0.7 ms".
func stepTimes(text string) ([]stepTime, error) {
	var steps []stepTime
	for line := range strings.Lines(text) {
		var s stepTime
		if _, err := fmt.Sscanf(line, "%s %f ms\n", &s.name, &s.ms); err != nil {
			return nil, fmt.Errorf("%q is not the time of a step: %w", line, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// once runs a command twice, the first time to have its pages in memory, and
// returns the second.
func once(argv []string) (p *process, err error) {
	for range 2 {
		if p, err = start(argv, startOptions{}); err != nil {
			return nil, err
		}
		if err = p.wait(time.Minute); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// nobody is no process's id: the kernel's limit is below it.
const nobody = 4194304

// longScript makes a script of so many lines, six a probe, that counts nothing.
func longScript(lines int) string {
	var s strings.Builder
	for i := range lines / 6 {
		if i%2 == 0 {
			fmt.Fprintf(&s, "tracepoint:raw_syscalls:sys_enter\n/pid == %d && args->id == %d/\n{\n"+
				"\t@start%d[tid] = nsecs;\n\t@calls[comm, args->id] = count();\n}\n", nobody, i, i)
		} else {
			fmt.Fprintf(&s, "tracepoint:raw_syscalls:sys_exit\n/pid == %d && @start%d[tid]/\n{\n"+
				"\t@time%d[comm] = hist((nsecs - @start%d[tid]) / 1000);\n\tdelete(@start%d[tid]);\n}\n",
				nobody, i-1, i, i-1, i-1)
		}
	}
	return s.String()
}
