package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fst/tests/conformance"
	"fst/tests/vm"
)

// printRerun shows each run of a case that was run more than once, with what
// fst printed.
func printRerun(layer string, r conformance.Result) {
	indent := func(text string) { fmt.Println("    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")) }
	fmt.Printf("\nRERUN %s: %s was run %d times, the last: %s\n", layer, r.Name, len(r.Earlier)+1, r.Status)
	for i, reason := range r.Earlier {
		fmt.Printf("  run %d failed:\n", i+1)
		indent(reason)
	}
	fmt.Printf("  run %d, %s:\n", len(r.Earlier)+1, r.Status)
	if r.Status == conformance.Passed {
		indent(r.Printed)
	} else {
		indent(r.Reason)
	}
}

// oneDay is how long a rerun counts: a case that needs two within it fails.
const oneDay = 24 * time.Hour

// rerun is a line of the file of reruns, which outlives a run of the tests.
type rerun struct {
	Time  time.Time
	Layer string
	Case  string
	Why   []string // why each run but the last failed
}

// judgeReruns makes failures of the cases that needed a second run twice within
// a day, in this run of the tests (on two kernels, say) or in earlier ones.
func (s *suite) judgeReruns() {
	cache, err := vm.DefaultCache()
	if err != nil {
		return // without a cache no guest has run
	}
	path := filepath.Join(cache.Dir, "reruns.jsonl")
	now := time.Now()
	known, err := readReruns(path, now.Add(-oneDay))
	if err == nil {
		var again map[string]int
		known, again = addReruns(known, s.tallies, now)
		for _, t := range s.tallies {
			for _, r := range t.reruns {
				if n := again[r.Name]; r.Status == conformance.Passed && n > 1 {
					t.passed--
					t.fail(r.Name, fmt.Sprintf("it needed a further run %d times within a day: find out why", n))
				}
			}
		}
		err = writeReruns(path, known)
	}
	if err != nil {
		fmt.Printf("   the record of reruns: %v\n", err)
	}
}

// addReruns appends the reruns of this run of the tests to those known, and
// counts them by case.
func addReruns(known []rerun, tallies []*tally, now time.Time) ([]rerun, map[string]int) {
	for _, t := range tallies {
		for _, r := range t.reruns {
			known = append(known, rerun{now, t.layer, r.Name, r.Earlier})
		}
	}
	count := map[string]int{}
	for _, r := range known {
		count[r.Case]++
	}
	return known, count
}

// readReruns reads those that came after a time; a file that is not there has none.
func readReruns(path string, after time.Time) (list []rerun, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := json.NewDecoder(f); ; {
		var r rerun
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if r.Time.After(after) {
			list = append(list, r)
		}
	}
}

func writeReruns(path string, list []rerun) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(f)
	for _, r := range list {
		if err := lines.Encode(r); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}
