// Command compare runs the bundled tools side by side with bpftrace's and
// bcc's tools of the same purpose, on each kernel of the matrix, over the same
// work, and holds what each reports against a witness that is not BPF.
//
//	go run ./tests/compare                      what has no result yet, or an old one
//	go run ./tests/compare -kernels 6.1 -run biosnoop -again
//
// The results are kept in tests/compare/results.json as they come; from them
// docs/comparison.md is made (also by: go test ./tests/compare -update).
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"fst/tests/vm"
)

const (
	casesDir   = "tests/compare/cases"
	recordPath = "tests/compare/results.json"
	pagePath   = "docs/comparison.md"
)

// packages have the rivals' tools.
var packages = []string{"bpftrace", "bpfcc-tools", "libbpf-tools"}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-inside" {
		if err := inside(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, "compare:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var names []string
	for _, k := range vm.Kernels {
		names = append(names, k.Name)
	}
	fst := flag.String("fst", "bin/fst", "program under test")
	kernels := flag.String("kernels", strings.Join(names, ","), "kernels, with commas")
	match := flag.String("run", "", "only cases whose name matches this `regexp`")
	who := flag.String("who", strings.Join(whose, ","), "only these rivals, with commas")
	again := flag.Bool("again", false, "also what has a result of today's case")
	limit := flag.Duration("limit", 30*time.Minute, "time for one kernel")
	flag.Parse()
	wanted, err := regexp.Compile(*match)
	if err != nil {
		return err
	}
	cases, err := loadCases(casesDir)
	if err != nil {
		return err
	}
	record, err := loadRecord(recordPath)
	if err != nil {
		return err
	}
	var failed error
	for _, kernel := range strings.Split(*kernels, ",") {
		j := job{Kernel: kernel, FST: "/tmp/stage/fst"}
		for _, c := range cases {
			c.Rivals = slices.DeleteFunc(slices.Clone(c.Rivals), func(r Rival) bool {
				_, known := record.find(c, kernel, r)
				return known && !*again || !slices.Contains(strings.Split(*who, ","), r.Who)
			})
			if wanted.MatchString(c.Name) && len(c.Rivals) > 0 {
				j.Cases = append(j.Cases, c)
			}
		}
		if len(j.Cases) > 0 {
			failed = errors.Join(failed, j.boot(ctx, *fst, *limit, func(r Result) error { return keep(r) }))
		}
	}
	if record, err = loadRecord(recordPath); err != nil {
		return err
	}
	return errors.Join(failed, os.WriteFile(pagePath, []byte(page(cases, record)), 0o644))
}

// keep adds one result to the record. The file is read again each time: two
// runs, of different kernels, may go on side by side.
func keep(r Result) error {
	lock, err := os.OpenFile(recordPath, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	record, err := loadRecord(recordPath)
	if err != nil {
		return err
	}
	if cache, err := vm.DefaultCache(); err == nil {
		_, info, _ := cache.Kernel(r.Kernel)
		record.Versions[r.Kernel] = info.Release
		for _, p := range packages {
			record.Versions[p] = cache.Versions(packages...)[p]
		}
	}
	record.set(r)
	return record.save(recordPath)
}

// boot runs the job in a guest and hands over the results as they come.
func (j job) boot(ctx context.Context, fst string, limit time.Duration, report func(Result) error) error {
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
	stage, err := os.MkdirTemp("", "fst-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(stage, "compare"), "./tests/compare")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	program, err := os.ReadFile(fst)
	if err != nil {
		return err
	}
	list, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(stage, "fst"), program, 0o755),
		os.WriteFile(filepath.Join(stage, "job"), list, 0o644)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	lines := &reader{report: report}
	_, err = cache.Run(ctx, vm.Options{
		Kernel: j.Kernel, Dir: stage, CPUs: 1, Packages: packages, Stdout: lines, Stderr: os.Stderr,
		// From the guest's own memory: a program started from the shared
		// directory takes twenty times as long.
		Command: []string{"/bin/sh", "-c", "cp -r /host /tmp/stage && exec /tmp/stage/compare -inside /tmp/stage/job"},
	})
	if err != nil {
		return fmt.Errorf("kernel %s: %w", j.Kernel, err)
	}
	return lines.err
}

// reader takes the results out of the guest's output.
type reader struct {
	report func(Result) error
	rest   []byte
	err    error
}

func (r *reader) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	for {
		line, rest, ok := bytes.Cut(r.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		r.rest = rest
		var result Result
		if err := json.Unmarshal(line, &result); err != nil {
			fmt.Printf("%s\n", line)
			continue
		}
		fmt.Printf("%-20s %-5s %-9s %s\n", result.Case, result.Kernel, result.Who, verdict(result))
		r.err = errors.Join(r.err, r.report(result))
	}
}
