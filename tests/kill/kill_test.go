package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"fst/tests/program"
)

func build(t *testing.T) string {
	t.Helper()
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("traces as root, for a minute")
	}
	path, err := program.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCampaign is the short form of "make kill".
func TestCampaign(t *testing.T) {
	failed, err := campaign(build(t), 40, uint64(time.Now().UnixNano()), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 {
		t.Errorf("%d runs left something", failed)
	}
}

// TestSees makes sure that what is left would be seen.
func TestSees(t *testing.T) {
	program := build(t)
	m, err := ebpf.NewMap(&ebpf.MapSpec{Name: token, Type: ebpf.Array, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !slices.Contains(maps(), "map "+token) {
		t.Error("a map that is there is not seen")
	}
	m.Close()
	cmd := exec.Command(program, "-q", "-e", "tracepoint:syscalls:sys_enter_setns { @"+token+" = count(); }")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := false
	for range 100 {
		if seen = len(maps()) > 0; seen {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	cmd.Process.Signal(os.Interrupt)
	if cmd.Wait(); !seen {
		t.Error("the map of a run is not seen")
	}
}

// TestLimits runs with few descriptors, and without the right to raise the limit: what fails is said in
// one message, and no program of Go shows its stacks.
func TestLimits(t *testing.T) {
	program := build(t)
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip(err)
	}
	for _, limit := range []string{"-n 10", "-n 15", "-n 20", "-n 25", "-n 30", "-n 40", "-l 0"} {
		shell := fmt.Sprintf("ulimit %s; exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource %s --duration 0.2 -e 'tracepoint:syscalls:sys_enter_* { @ = count(); }'", limit, program)
		out, err := exec.Command("bash", "-c", shell).CombinedOutput()
		text := string(out)
		said := strings.Contains(text, "too many open files") && strings.Count(text, "ERROR")+strings.Count(text, "fst: ") == 1
		if err != nil && !said || strings.Contains(text, "goroutine ") {
			t.Errorf("ulimit %s: %v: %s", limit, err, text)
		}
	}
}
