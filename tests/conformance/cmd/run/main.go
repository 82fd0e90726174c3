// Command run runs conformance cases and tool oracles on this machine.
//
//	run [-fst PATH] [-run REGEXP] [-json] DIR...
//
// It prints one line for each case in TAP's form (or JSON objects) and
// "N passed, N failed, N skipped" at the end, and exits with 1 if any failed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"fst/tests/conformance"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	failed, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context) (failed int, err error) {
	program := flag.String("fst", "bin/fst", "program under test")
	match := flag.String("run", "", "only cases whose name matches this `regexp`")
	except := flag.String("except", "", "file with names of cases to leave out, one a line")
	part := flag.String("part", "1/1", "only the cases of part K of N, as `K/N`: each is in one of them, always the same")
	spread := flag.Bool("spread", false, "leave cases that depend little on the kernel to other kernels of the matrix")
	built := flag.String("built", "", "`directory` of programs that were built on another machine")
	workload := flag.String("workload", "", "the workload generator; without it, one is made of tests/workload")
	asJSON := flag.Bool("json", false, "print JSON objects, one a line")
	times := flag.Int("count", 1, "run each case so often")
	jobs := flag.Int("j", runtime.NumCPU(), "cases at a time")
	slow := flag.Int("slow", 1, "multiply time limits by this")
	timeout := flag.Duration("timeout", 20*time.Second, "time limit of a case that names none")
	flag.Parse()
	if flag.NArg() == 0 {
		return 0, errors.New("say which directories of cases to run")
	}
	only, err := regexp.Compile(*match)
	if err != nil {
		return 0, err
	}
	path, err := filepath.Abs(*program)
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(path); err != nil {
		return 0, err
	}
	cases, err := conformance.Load(flag.Args()...)
	if err != nil {
		return 0, err
	}
	var skip []string
	if *except != "" {
		text, err := os.ReadFile(*except)
		if err != nil {
			return 0, err
		}
		skip = strings.Fields(string(text))
	}
	if *spread {
		cases = slices.DeleteFunc(cases, func(c *conformance.Case) bool { return !conformance.IsFor(c, os.Getenv("FST_KERNEL")) })
	}
	var k, n uint32
	if _, err := fmt.Sscanf(*part, "%d/%d", &k, &n); err != nil || k < 1 || k > n {
		return 0, fmt.Errorf("invalid value for -part: %q (want K/N, as 1/2)", *part)
	}
	cases = slices.DeleteFunc(cases, func(c *conformance.Case) bool {
		return !only.MatchString(c.Name) || slices.Contains(skip, c.Name) || crc32.ChecksumIEEE([]byte(c.Name))%n != k-1
	})

	cases = slices.Repeat(cases, *times)
	machine := conformance.ThisMachine()
	if machine.Workload, err = generator(ctx, *workload); err != nil {
		return 0, err
	}
	if *workload == "" {
		defer os.Remove(machine.Workload)
	}
	count := map[conformance.Status]int{}
	encoder := json.NewEncoder(os.Stdout)
	runner := &conformance.Runner{
		FST: path, Machine: machine, Timeout: *timeout, Slow: *slow, Jobs: *jobs, Built: *built,
		Report: func(r conformance.Result) {
			count[r.Status]++
			switch {
			case *asJSON:
				encoder.Encode(r)
			case r.Status == conformance.Again:
				fmt.Printf("# %s failed; it is run once more at the end\n", r.Name)
			case r.Status != conformance.Started:
				fmt.Print(tap(count[conformance.Passed]+count[conformance.Failed]+count[conformance.Skipped], r))
			}
		},
	}
	if !*asJSON {
		fmt.Printf("1..%d\n", len(cases))
	}
	if len(cases) == 0 && *except == "" && n == 1 {
		return 0, fmt.Errorf("no case matches %q", *match)
	}
	runner.RunAll(ctx, cases)
	if !*asJSON {
		fmt.Printf("%d passed, %d failed, %d skipped\n",
			count[conformance.Passed], count[conformance.Failed], count[conformance.Skipped])
	}
	return count[conformance.Failed], nil
}

// generator is the path of the workload generator, or "" if there is none: the
// one that is named, or one made of the sources below the working directory.
func generator(ctx context.Context, named string) (string, error) {
	if named != "" {
		if _, err := os.Stat(named); errors.Is(err, os.ErrNotExist) {
			return "", nil // made on a machine without a compiler
		}
		return filepath.Abs(named)
	}
	file, err := os.CreateTemp("", "fst-workload-")
	if err != nil {
		return "", err
	}
	file.Close()
	if err := conformance.BuildWorkload(ctx, filepath.Join("tests", "workload"), file.Name()); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	if s, err := os.Stat(file.Name()); err != nil || s.Size() == 0 {
		return "", os.Remove(file.Name())
	}
	return file.Name(), nil
}

// tap is the result as a line of the Test Anything Protocol, with the reason
// of a failure, and those of earlier runs, in comments below.
func tap(n int, r conformance.Result) string {
	comment := func(text string) string { return "#   " + strings.ReplaceAll(text, "\n", "\n#   ") + "\n" }
	var b strings.Builder
	switch r.Status {
	case conformance.Passed:
		fmt.Fprintf(&b, "ok %d - %s (%.1f s)\n", n, r.Name, r.Seconds)
	case conformance.Skipped:
		fmt.Fprintf(&b, "ok %d - %s # SKIP %s\n", n, r.Name, r.Reason)
	default:
		fmt.Fprintf(&b, "not ok %d - %s (%.1f s)\n%s", n, r.Name, r.Seconds, comment(r.Reason))
	}
	for i, reason := range r.Earlier {
		fmt.Fprintf(&b, "# run %d failed:\n%s", i+1, comment(reason))
	}
	if len(r.Earlier) > 0 && r.Status == conformance.Passed {
		fmt.Fprintf(&b, "# run %d passed:\n%s", len(r.Earlier)+1, comment(strings.TrimSpace(r.Printed)))
	}
	return b.String()
}
