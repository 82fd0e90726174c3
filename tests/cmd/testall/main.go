// Command testall runs every layer of the project's tests and sums them up:
//
//	check         make check: form, vet, staticcheck, the race detector
//	conformance   the case files, on this machine, beside it
//	unit          go test ./...
//	kernel K, I/N the same cases and the tools' oracles, in virtual machines of
//	              each kernel of the matrix, of which each runs a part. What
//	              depends little on the kernel is run on one of the older
//	              kernels and on this machine, slow cases on one of the older
//	              and one of the newer; with -run, on all
//
// Its last line is "N passed, N failed, N skipped"; it exits with 1 if
// anything failed. A layer that could not be run is a failure of that layer.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"fst/tests/conformance"
	"fst/tests/vm"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ok := run(ctx)
	stop()
	if !ok {
		os.Exit(1)
	}
}

func run(ctx context.Context) bool {
	only := flag.String("layers", "check,unit,conformance,kernels", "layers to run, with commas")
	kernels := flag.String("kernels", kernelNames(), "kernels of the matrix, with commas")
	program := flag.String("fst", "bin/fst", "program under test")
	limit := flag.Duration("limit", 80*time.Minute, "time for everything")
	match := flag.String("run", "", "only conformance cases whose name matches this `regexp`")
	slowest := flag.Int("slowest", 0, "list so many of each layer's slowest cases")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()

	wanted := strings.Split(*only, ",")
	s := &suite{fst: *program, match: *match, slowest: *slowest}
	matrix := func() {}
	if slices.Contains(wanted, "kernels") {
		matrix = s.matrix(ctx, strings.Split(*kernels, ","))
	}
	// Cases wait more than they compute, which "make check" has the processors for.
	var beside sync.WaitGroup
	if slices.Contains(wanted, "check") {
		beside.Go(func() { s.layer("check", func(t *tally) error { return check(ctx, t) }) })
	}
	if slices.Contains(wanted, "conformance") {
		s.layer("conformance", func(t *tally) error { return s.conformance(ctx, t) })
	}
	beside.Wait()
	if slices.Contains(wanted, "unit") {
		s.layer("unit", func(t *tally) error { return unit(ctx, t) })
	}
	matrix()
	s.judgeReruns()
	return s.summary()
}

func kernelNames() string {
	var names []string
	for _, k := range vm.Kernels {
		names = append(names, k.Name)
	}
	return strings.Join(names, ",")
}

// suite is the run of all layers.
type suite struct {
	fst   string // program under test
	match string // regexp of case names

	slowest int // cases of each layer to list

	mu      sync.Mutex // guards tallies: kernels run side by side
	tallies []*tally
}

// tally counts the results of one layer.
type tally struct {
	layer                   string
	passed, failed, skipped int
	took                    time.Duration
	failures                []string
	reruns                  []conformance.Result // cases that did not pass at their first run
	slowest                 []conformance.Result // all cases
	skips                   map[string][]string  // reason to names
}

func (t *tally) pass() { t.passed++ }

func (t *tally) fail(name, reason string) {
	t.failed++
	t.failures = append(t.failures, name)
	fmt.Printf("FAIL %s: %s\n    %s\n", t.layer, name, strings.ReplaceAll(strings.TrimSpace(reason), "\n", "\n    "))
}

// rerun notes a case that was run more than once, whatever came of it.
func (t *tally) rerun(r conformance.Result) { t.reruns = append(t.reruns, r) }

func (t *tally) skip(name, reason string) {
	t.skipped++
	t.skips[reason] = append(t.skips[reason], name)
}

// layer runs one layer; its error is one more failure of it.
func (s *suite) layer(name string, run func(*tally) error) {
	fmt.Printf("== %s\n", name)
	t := &tally{layer: name, skips: map[string][]string{}}
	s.mu.Lock()
	s.tallies = append(s.tallies, t)
	s.mu.Unlock()
	began := time.Now()
	if err := run(t); err != nil {
		t.fail("("+name+")", err.Error())
	}
	t.took = time.Since(began)
	fmt.Printf("   %s: %d passed, %d failed, %d skipped in %.0f s\n", name, t.passed, t.failed, t.skipped, t.took.Seconds())
}

// summary prints the table, the reasons of skips and the closing line.
func (s *suite) summary() (ok bool) {
	var passed, failed, skipped int
	fmt.Printf("\n%-18s %8s %8s %8s %8s\n", "layer", "passed", "failed", "skipped", "seconds")
	for _, t := range s.tallies {
		fmt.Printf("%-18s %8d %8d %8d %8.0f\n", t.layer, t.passed, t.failed, t.skipped, t.took.Seconds())
		passed, failed, skipped = passed+t.passed, failed+t.failed, skipped+t.skipped
	}
	for _, t := range s.tallies {
		if len(t.skips) > 0 {
			fmt.Printf("\nskipped, %s:\n", t.layer)
		}
		var reasons []string
		for reason := range t.skips {
			reasons = append(reasons, reason)
		}
		slices.Sort(reasons)
		for _, reason := range reasons {
			fmt.Printf("  %s: %s\n", reason, shorten(t.skips[reason]))
		}
	}
	for _, t := range s.tallies {
		for _, r := range t.reruns {
			printRerun(t.layer, r)
		}
	}
	for _, t := range s.tallies {
		slices.SortFunc(t.slowest, func(a, b conformance.Result) int { return cmp.Compare(b.Seconds, a.Seconds) })
		if n := min(s.slowest, len(t.slowest)); n > 0 {
			fmt.Printf("\nslowest, %s:\n", t.layer)
			for _, r := range t.slowest[:n] {
				fmt.Printf("  %6.1f s %s\n", r.Seconds, r.Name)
			}
		}
	}
	for _, t := range s.tallies {
		if len(t.failures) > 0 {
			fmt.Printf("\nfailed, %s:\n  %s\n", t.layer, strings.Join(t.failures, "\n  "))
		}
	}
	fmt.Printf("\n%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return failed == 0
}

// shorten lists up to twelve names.
func shorten(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}

// absolute is the path of the program under test.
func (s *suite) absolute() (string, error) {
	path, err := filepath.Abs(s.fst)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w; say: make build", err)
	}
	return path, nil
}
