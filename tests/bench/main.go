// Command bench measures fst against the least work a tracing tool could do,
// and against bpftrace and ply where they are installed:
//
//	startup   BEGIN, one line, exit: wall time, CPU time, peak memory
//	compile   a script of 300 lines, checked, and loaded and attached; its steps
//	cost      what a traced system call pays on top of an untraced one
//	printf    events lost and CPU time an event, a million at full speed
//	lag       what an event costs the traced program while the reader is stopped
//	wildcard  attaching to every syscalls:sys_exit_* and leaving again
//	readout   printing a map of 100 000 keys at the end
//
// What is quoted is ratios of one run: times differ between machines and
// hours, so no test asserts any of these figures. The floor is not a tool but
// a program written by hand for each question (see floor.go).
//
// It needs root, and traces nothing but load generators of its own, by their
// process id. The generator and the floor are this same binary, started again
// with "generator" or "floor" as the first word.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// benches are all there are, in the order in which they run.
var benches = []struct {
	name string
	run  func(*bench) error
}{
	{"startup", (*bench).startup},
	{"compile", (*bench).compile},
	{"cost", (*bench).cost},
	{"printf", (*bench).printf},
	{"lag", (*bench).lag},
	{"wildcard", (*bench).wildcard},
	{"readout", (*bench).readout},
}

// bench is one run of the command.
type bench struct {
	tools     []tool
	repeats   int
	workloads []string // workloads of cost, or none for all
	quiet     quiet
	results   results
}

func main() {
	// Processes are started from this thread, which lends them its CPU and
	// whose end is theirs.
	runtime.LockOSThread()
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "generator":
			exit(generate(os.Args[2], os.Stdin, os.Stdout))
		case "floor":
			exit(floor(os.Args[2], os.Args[3:]))
		}
	}
	exit(run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run() error {
	var names []string
	for _, b := range benches {
		names = append(names, b.name)
	}
	only := flag.String("only", strings.Join(names, ","), "benches to run, with commas")
	workloads := flag.String("workloads", "", "workloads of cost, with commas (default all)")
	repeats := flag.Int("n", 5, "repetitions; a figure is their median (of cost: the least)")
	program := flag.String("fst", "bin/fst", "program under test")
	before := flag.String("before", "", "program of another commit, to be measured in the same run")
	asJSON := flag.Bool("json", false, "write JSON instead of a table")
	flag.Parse()
	wanted := strings.Split(*only, ",")
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return fmt.Errorf("no bench %q; there are %s", w, strings.Join(names, ", "))
		}
	}
	if os.Geteuid() != 0 {
		return errors.New("tracing needs root")
	}
	if *repeats < 1 {
		return errors.New("-n must be at least 1")
	}
	b := &bench{repeats: *repeats}
	if *workloads != "" {
		b.workloads = strings.Split(*workloads, ",")
	}
	path, err := filepath.Abs(*program)
	if err != nil {
		return err
	}
	if b.tools, err = findTools(path, *before); err != nil {
		return err
	}
	if b.tools[0].name != "fst" {
		b.results.fail("", "fst", fmt.Errorf("no program %s (make build)", path))
	}
	for _, bench := range benches {
		if !slices.Contains(wanted, bench.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "bench:", bench.name)
		if err := bench.run(b); err != nil {
			return fmt.Errorf("%s: %w", bench.name, err)
		}
	}
	if *asJSON {
		err = b.results.writeJSON(os.Stdout)
	} else {
		err = b.results.writeTable(os.Stdout)
	}
	if err == nil && b.results.failed("fst") {
		err = errors.New("fst could not be measured in full")
	}
	return err
}

// each calls f for every tool in every repetition, the tools taking turns. A
// tool that fails is reported once and left out of what is left of this bench.
func (b *bench) each(name string, f func(t tool) error) {
	out := map[string]bool{}
	for range b.repeats {
		for _, t := range b.tools {
			if out[t.name] {
				continue
			}
			if err := f(t); err != nil {
				out[t.name] = true
				if !errors.Is(err, errCannot) {
					b.results.fail(name, t.name, err)
				}
			}
		}
	}
}
