package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCampaign is the short form of "make hostile": texts of a sixteenth of the length.
func TestCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("builds fst, and runs it a hundred times")
	}
	program := filepath.Join(t.TempDir(), "fst")
	if out, err := exec.Command("go", "build", "-o", program, "fst/cmd/fst").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	failed, err := campaign(program, "", 16)
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 {
		t.Errorf("%d inputs failed", failed)
	}
}
