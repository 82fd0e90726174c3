package main

import (
	"os"
	"testing"
	"time"

	"fst/tests/program"
)

// TestSoak is the short form of "make soak".
func TestSoak(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("traces as root, for some seconds")
	}
	path, err := program.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	failed, err := soak(os.Stdout, path, 8*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 {
		t.Errorf("%d instances failed", failed)
	}
}
