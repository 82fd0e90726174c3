package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"fst/tests/jsonlines"
	"fst/tests/vm"
)

// job is what a guest is told to do: cases with the rivals that are wanted, in
// the order in which they are tried.
type job struct {
	Kernel string
	FST    string
	Show   bool // what a tool printed that was not right
	Cases  []Case
}

// drop removes rivals, and cases that have none any more.
func (j *job) drop(unwanted func(Case, Rival) bool) {
	var cases []Case
	for _, c := range j.Cases {
		c.Rivals = slices.DeleteFunc(slices.Clone(c.Rivals), func(r Rival) bool { return unwanted(c, r) })
		if len(c.Rivals) > 0 {
			cases = append(cases, c)
		}
	}
	j.Cases = cases
}

// message is a line that the guest sends: a result, or why there is none.
type message struct {
	Result
	Trouble string `json:"trouble,omitempty"`
}

// maxBoots is how often a kernel is booted for one job: the emulator loses a
// guest now and then while the kernel patches its own code.
const maxBoots = 5

// run does the job in a guest and hands over the results as they come. When
// the guest dies, another one goes on behind what was running: that has no
// result then.
func (j job) run(ctx context.Context, fst string, limit time.Duration, keep func(Result) error) error {
	kernel, err := vm.FindKernel(j.Kernel)
	if err != nil {
		return err
	}
	cache, err := vm.DefaultCache()
	if err != nil {
		return err
	}
	if err := cache.Setup(ctx, []vm.Kernel{kernel}, packages, func(line string) { fmt.Println(line) }); err != nil {
		return err
	}
	stage, err := stageProgram(ctx, fst)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var failed error
	for boot := 1; len(j.Cases) > 0; boot++ {
		list, err := json.Marshal(j)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(stage, "job"), list, 0o644); err != nil {
			return err
		}
		result, err := cache.Run(ctx, vm.Options{
			Kernel: j.Kernel, Dir: stage, CPUs: 1, Packages: packages, Stderr: os.Stderr,
			Stdout: &jsonlines.Writer[message]{Other: os.Stdout, Take: func(m message) {
				said := verdict(m.Result)
				if m.Trouble != "" {
					said = "no result: " + m.Trouble
					failed = errors.Join(failed, fmt.Errorf("%s, %s on %s: no result", m.Case, m.Who, m.Kernel))
				} else {
					failed = errors.Join(failed, keep(m.Result))
				}
				fmt.Printf("%-22s %-5s %-9s %s\n", m.Case, m.Kernel, m.Who, said)
				j.drop(func(c Case, r Rival) bool { return c.Name == m.Case && r.Who == m.Who })
			}},
			// From the guest's own memory: a program started from the shared
			// directory takes twenty times as long.
			Command: []string{"/bin/sh", "-c", "cp -r /host /tmp/stage && exec /tmp/stage/compare -inside /tmp/stage/job"},
		})
		for _, line := range result.Complaints {
			fmt.Printf("kernel %s complains: %s\n", j.Kernel, line)
		}
		switch {
		case err == nil:
			return failed
		case boot == maxBoots || !errors.Is(err, vm.ErrBoot) && !errors.Is(err, vm.ErrDied):
			return errors.Join(failed, fmt.Errorf("kernel %s: %w", j.Kernel, err))
		case errors.Is(err, vm.ErrDied) && len(j.Cases) > 0:
			name, who := j.Cases[0].Name, j.Cases[0].Rivals[0].Who
			failed = errors.Join(failed, fmt.Errorf("%s, %s on %s: %w", name, who, j.Kernel, err))
			j.drop(func(c Case, r Rival) bool { return c.Name == name && r.Who == who })
		}
		fmt.Printf("kernel %s: %v; booting again\n", j.Kernel, err)
	}
	return failed
}

// stageProgram makes a directory with this program and fst, for the guest.
func stageProgram(ctx context.Context, fst string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "fst-compare-"); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(dir, "compare"), "./tests/compare")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	program, err := os.ReadFile(fst)
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "fst"), program, 0o755)
}
