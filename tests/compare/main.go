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
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
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
	show := flag.Bool("v", false, "show what a tool printed that was not right")
	limit := flag.Duration("limit", time.Hour, "time for one kernel")
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
		j := job{Kernel: kernel, FST: "/tmp/stage/fst", Show: *show}
		for _, c := range cases {
			if wanted.MatchString(c.Name) {
				j.Cases = append(j.Cases, c)
			}
		}
		j.drop(func(c Case, r Rival) bool {
			result, known := record.find(c, kernel, r)
			return known && result.final() && !*again || !slices.Contains(strings.Split(*who, ","), r.Who)
		})
		if len(j.Cases) > 0 {
			failed = errors.Join(failed, j.run(ctx, *fst, *limit, keep))
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
