package main

import (
	"testing"

	"fst/tests/program"
)

// TestCampaign is the short form of "make hostile": texts of a sixteenth of the length.
func TestCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("builds fst, and runs it a hundred times")
	}
	path, err := program.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failed, err := campaign(path, "", 16)
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 {
		t.Errorf("%d inputs failed", failed)
	}
}
