package main

import (
	"path/filepath"
	"testing"
	"time"

	"fst/tests/conformance"
)

func TestRerunsOfADayAreCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reruns.jsonl")
	now := time.Now()
	old := []rerun{
		{now.Add(-25 * time.Hour), "here", "a", nil},
		{now.Add(-time.Hour), "kernel 6.1", "a", nil},
		{now.Add(-time.Hour), "kernel 6.1", "b", nil},
	}
	if err := writeReruns(path, old); err != nil {
		t.Fatal(err)
	}
	known, err := readReruns(path, now.Add(-oneDay))
	if err != nil || len(known) != 2 {
		t.Fatalf("%v, %v", known, err)
	}
	tallies := []*tally{{layer: "here", reruns: []conformance.Result{{Name: "a"}, {Name: "c"}}}}
	known, count := addReruns(known, tallies, now)
	if len(known) != 4 || count["a"] != 2 || count["b"] != 1 || count["c"] != 1 {
		t.Errorf("%v, %v", known, count)
	}
}
