package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"fst/tests/conformance"
	"fst/tests/jsonlines"
	"fst/tests/vm"
)

// check runs "make check": the form of the code, vet, staticcheck, and the unit
// tests under the race detector. It gives way to all else.
func check(ctx context.Context, t *tally) error {
	if out, err := exec.CommandContext(ctx, "nice", "-n", "19", "make", "-s", "check").CombinedOutput(); err != nil {
		t.fail("make check", string(out))
	} else {
		t.pass()
	}
	return nil
}

// unit runs the Go tests. A test with subtests counts as one more.
func unit(ctx context.Context, t *tally) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-json", "-vet=off", "./...") // make check has vetted them
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return err
	}
	failed := t.failed
	events := json.NewDecoder(out)
	output := map[string]*strings.Builder{}
	for {
		var e struct{ Action, Package, Test, Output, ImportPath string }
		if err := events.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go test -json: %w\n%s", err, errs.String())
		}
		// Failures of a build have an ImportPath and no Package.
		name := strings.TrimSpace(e.Package + e.ImportPath + " " + e.Test)
		if output[name] == nil {
			output[name] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			output[name].WriteString(e.Output)
		case "build-fail":
			t.fail(name, output[name].String())
		case "pass":
			if e.Test != "" {
				t.pass()
			}
		case "skip":
			if e.Test != "" {
				t.skip(name, skipReason(output[name].String()))
			}
		case "fail":
			if e.Test != "" {
				t.fail(name, output[name].String())
			} else if t.failed == failed { // a panic, or TestMain
				t.fail(name, output[name].String())
			}
		}
		if e.Action == "pass" || e.Action == "skip" || e.Action == "fail" {
			delete(output, name)
		}
	}
	if err := cmd.Wait(); err != nil && t.failed == failed {
		return fmt.Errorf("go test: %w\n%s", err, errs.String())
	}
	return nil
}

// skipReason is the text of t.Skip in a test's output.
func skipReason(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if _, reason, ok := strings.Cut(line, ".go:"); ok {
			_, line, _ = strings.Cut(reason, ": ")
		}
		return line
	}
	return "no reason given"
}

// conformance runs the case files on this machine.
func (s *suite) conformance(ctx context.Context, t *tally) error {
	fst, err := s.absolute()
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		t.skip("conformance", "tracing needs root")
		return nil
	}
	stage, err := s.stage(fst)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	cmd := exec.CommandContext(ctx, filepath.Join(stage, "run"), s.arguments(fst, stage, "1")...)
	// Let it kill what it started.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	reader := &results{tally: t, doubtful: map[string]string{}}
	defer reader.close()
	cmd.Stdout, cmd.Stderr = reader.lines(), os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		return fmt.Errorf("after %s: %w", reader.current, err)
	}
	return nil
}

// stage makes a directory with all that a guest needs: the runner, fst and the
// cases.
func (s *suite) stage(fst string) (dir string, err error) {
	dir, err = os.MkdirTemp("", "fst-testall-")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "run"), "./tests/conformance/cmd/run")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the runner: %w\n%s", err, out)
	}
	for _, suite := range []string{"conformance", "tools"} {
		if err := os.CopyFS(filepath.Join(dir, suite), os.DirFS(filepath.Join("tests", suite))); err != nil {
			return "", err
		}
	}
	if err := copyFile(filepath.Join(dir, filepath.Base(tutorial)), tutorial, 0o644); err != nil {
		return "", err
	}
	if err := conformance.BuildWorkload(context.Background(), filepath.Join("tests", "workload"), filepath.Join(dir, "workload")); err != nil {
		return "", err
	}
	return dir, copyFile(filepath.Join(dir, "fst"), fst, 0o755)
}

// tutorial is the page whose commands are cases.
const tutorial = "docs/tutorial.md"

func copyFile(to, from string, mode os.FileMode) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, mode)
}

func (s *suite) arguments(fst, dir, slow string) []string {
	args := []string{"-json", "-fst", fst, "-slow", slow, "-run", s.match, "-workload", filepath.Join(dir, "workload")}
	return append(args, filepath.Join(dir, "conformance"), filepath.Join(dir, "tools"), filepath.Join(dir, filepath.Base(tutorial)))
}

// results are the runner's as they come.
type results struct {
	tally   *tally
	current string   // the case that has started and not ended, the last of them
	ended   []string // all cases that have ended
	began   []string // and all that have begun

	doubtful map[string]string // cases to be run again: why they failed
}

// lines is where the runner's output goes.
func (r *results) lines() io.Writer {
	return &jsonlines.Writer[conformance.Result]{Take: r.take, Other: os.Stdout}
}

func (r *results) take(result conformance.Result) {
	if result.Status == conformance.Started {
		r.current = result.Name
		r.began = append(r.began, result.Name)
		return
	}
	r.ended = append(r.ended, result.Name)
	if result.Status == conformance.Again {
		r.doubtful[result.Name] = result.Reason
		return
	}
	delete(r.doubtful, result.Name)
	if len(result.Earlier) > 0 {
		r.tally.rerun(result)
	}
	r.tally.slowest = append(r.tally.slowest, result)
	switch result.Status {
	case conformance.Passed:
		r.tally.pass()
	case conformance.Skipped:
		r.tally.skip(result.Name, result.Reason)
	default:
		r.tally.fail(result.Name, result.Reason)
	}
}

// close makes failures of the cases whose second run never came.
func (r *results) close() {
	for name, reason := range r.doubtful {
		r.tally.fail(name, reason)
	}
}

// guestCPUs is how many processors a guest has: when the kernel patches code
// that the other emulated processor runs (a tracepoint of the scheduler), 5.10
// hangs and 7.2 dies (int3 in __schedule) now and then.
const guestCPUs = 1

// guestsAtOnce is how many virtual machines run at a time: they are emulated, and one
// rarely keeps more than one processor busy.
var guestsAtOnce = max(1, min(4, runtime.NumCPU()))

// parts is into how many the cases of a kernel are divided, each with a guest of
// its own: no processor is left without one while the last kernel's cases run.
// A few cases are not worth it.
func (s *suite) parts() int {
	if s.match != "" {
		return 1
	}
	return 2
}

// prepared is what guests need, or why there can be none. The directory stage holds the runner, fst and the cases.
type prepared struct {
	cache vm.Cache
	stage string
	err   error
}

// matrix begins to fetch and to make what virtual machines of each kernel need, and returns what runs the
// cases in them.
func (s *suite) matrix(ctx context.Context, names []string) (run func()) {
	ready := make(chan prepared, 1)
	go func() {
		cache, stage, err := s.prepare(ctx, names)
		ready <- prepared{cache, stage, err}
	}()
	return func() {
		p := <-ready
		defer os.RemoveAll(p.stage)
		s.guests(ctx, names, p)
	}
}

// guests runs the cases in virtual machines.
func (s *suite) guests(ctx context.Context, names []string, p prepared) {
	var running sync.WaitGroup
	slots := make(chan struct{}, guestsAtOnce)
	// The newest kernels take longest: what runs last, while a processor may idle, is short.
	for _, name := range slices.Backward(names) {
		for part := range s.parts() {
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				layer, share := "kernel "+name, fmt.Sprintf("%d/%d", part+1, s.parts())
				if s.parts() > 1 {
					layer += ", " + share
				}
				s.layer(layer, func(t *tally) error {
					if p.err != nil {
						return p.err
					}
					return s.guest(ctx, p.cache, name, share, p.stage, t)
				})
			})
		}
	}
	running.Wait()
}

// prepare fetches and makes what the guests need.
func (s *suite) prepare(ctx context.Context, names []string) (cache vm.Cache, stage string, err error) {
	if cache, err = vm.DefaultCache(); err != nil {
		return
	}
	var kernels []vm.Kernel
	for _, name := range names {
		kernel, err := vm.FindKernel(name)
		if err != nil {
			return cache, "", err
		}
		kernels = append(kernels, kernel)
	}
	if err = cache.Setup(ctx, kernels, nil, func(line string) { fmt.Println("   " + line) }); err != nil {
		return
	}
	fst, err := s.absolute()
	if err == nil {
		stage, err = s.stage(fst)
	}
	if err == nil {
		err = s.buildPrograms(ctx, filepath.Join(stage, builtDir))
	}
	return
}

// builtDir is where in the stage the programs are that cases build here, as
// guests have no compilers.
const builtDir = "built"

func (s *suite) buildPrograms(ctx context.Context, dir string) error {
	only, err := regexp.Compile(s.match)
	if err != nil {
		return err
	}
	cases, err := conformance.Load(filepath.Join("tests", "conformance"), filepath.Join("tests", "tools"), tutorial)
	if err != nil {
		return err
	}
	cases = slices.DeleteFunc(cases, func(c *conformance.Case) bool { return !only.MatchString(c.Name) })
	return conformance.BuildAll(ctx, cases, dir)
}

const (
	guestLimit = 35 * time.Minute // one boot
	guestBoots = 4                // of one kernel: a case that kills the guest costs one
	// stallLimit is how long a guest may say nothing: each case is ended by a
	// limit of its own, at most 90 s times 4, so that a guest that is silent for
	// longer hangs.
	stallLimit = 8 * time.Minute
)

// watched hands on what is written, and puts off the alarm.
type watched struct {
	io.Writer
	alarm *time.Timer
}

func (w watched) Write(p []byte) (int, error) {
	w.alarm.Reset(stallLimit)
	return w.Writer.Write(p)
}

// guest runs a part of the cases in one boot of a kernel. When the guest dies, a new boot
// goes on with the case that was running; so does one when the guest hangs.
func (s *suite) guest(ctx context.Context, cache vm.Cache, kernel, part, stage string, t *tally) error {
	list := "done-" + kernel + "-" + strings.ReplaceAll(part, "/", "-")
	done := filepath.Join(stage, list)
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		return err
	}
	reader := &results{tally: t, doubtful: map[string]string{}}
	defer reader.close()
	// The emulator loses a guest now and then while the kernel patches its own
	// code: a case has failed if it ends a second one.
	killed := map[string]bool{}
	for boot := 1; ; boot++ {
		limited, cancel := context.WithTimeout(ctx, guestLimit)
		// From the guest's own memory: a program started from the shared
		// directory takes twenty times as long. One case at a time: the
		// guest's processors are slow enough.
		args := append([]string{"/bin/sh", "-c", `cp -r /host /tmp/stage && exec "$@"`, "sh",
			"/tmp/stage/run", "-except", "/tmp/stage/" + list, "-part", part, fmt.Sprintf("-spread=%t", s.match == ""), "-built", "/tmp/stage/" + builtDir, "-j", "1"}, s.arguments("/tmp/stage/fst", "/tmp/stage", "4")...)
		var errs bytes.Buffer
		alarm := time.AfterFunc(stallLimit, cancel)
		result, err := cache.Run(limited, vm.Options{
			Kernel: kernel, Command: args, Dir: stage, Stdout: watched{reader.lines(), alarm}, Stderr: &errs, CPUs: guestCPUs,
		})
		alarm.Stop()
		cancel()
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			err = fmt.Errorf("%w: it said nothing for %v", vm.ErrDied, stallLimit)
		}
		if err == nil {
			for _, line := range result.Complaints {
				t.fail("(kernel's own complaint)", line+"\nsee "+result.Console)
			}
			fmt.Printf("   kernel %s booted in %.0f s\n", kernel, result.Boot.Seconds())
			if result.Status > 1 {
				return fmt.Errorf("the runner ended with %d\n%s", result.Status, errs.String())
			}
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("no time left, in %s", reader.current)
		}
		running := slices.Clone(reader.began[len(reader.ended):])
		reader.began = reader.began[:len(reader.ended)]
		for _, name := range running {
			if !killed[name] {
				killed[name] = true
				fmt.Printf("   kernel %s: in %s, which is tried once more\n", kernel, name)
				continue
			}
			t.fail(name, fmt.Sprintf("twice: %v\n%s", err, strings.Join(result.Complaints, "\n")))
			reader.began, reader.ended = append(reader.began, name), append(reader.ended, name)
		}
		if boot == guestBoots || !errors.Is(err, vm.ErrBoot) && !errors.Is(err, vm.ErrDied) {
			return err
		}
		fmt.Printf("   kernel %s: %v; booting again\n", kernel, err)
		if err := writeLines(done, reader.ended); err != nil {
			return err
		}
	}
}

func writeLines(path string, lines []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return errors.Join(w.Flush(), f.Close())
}
