package main

import (
	"os"
	"testing"
	"time"

	"fst/tests/program"
)

func TestMain(m *testing.M) {
	if isGenerator() {
		return
	}
	os.Exit(m.Run())
}

// TestOutputs is what "make soak" does with several outputs, for a second.
func TestOutputs(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("traces as root, for some seconds")
	}
	t.Parallel()
	path, err := program.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := outputs(os.Stdout, path, 200_000, 200_000); err != nil {
		t.Error(err)
	}
}

// TestSoak is the short form of "make soak".
func TestSoak(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("traces as root, for some seconds")
	}
	t.Parallel()
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
