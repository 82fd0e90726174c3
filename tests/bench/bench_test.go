package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// These test the arithmetic and the parts; no figure of a machine is asserted.

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(test.values); got != test.want {
			t.Errorf("median of %v is %v, not %v", test.values, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	var r results
	r.add("cost", "count", "ns", "ply", 100)
	r.add("cost", "count", "ns", "floor", 30)
	for _, v := range []float64{45, 33, 36} {
		r.add("cost", "count", "ns", "fst", v)
	}
	r.add("printf", "lost", "%", "fst", 0)
	r.add("printf", "lost", "%", "floor", 0)
	r.add("cost", "hist", "ns", "fst", 20)
	r.add("cost", "hist", "ns", "fst", 10).least = true
	r.fail("printf", "ply", errors.New("too slow"))
	var out strings.Builder
	if err := r.writeTable(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{
		"unit fst floor ply fst/floor fst/ply",
		"cost count ns 36.0 30.0 100 1.20 0.36",
		"printf lost % 0 0 - 1.00 -",
		"cost hist ns 10.0 - - - -",
		"failed: ply printf: too slow",
	}
	for i := range want {
		if i >= len(lines) || strings.Join(strings.Fields(lines[i]), " ") != want[i] {
			t.Fatalf("line %d is not %q:\n%s", i, want[i], out.String())
		}
	}
	if !r.failed("ply") || r.failed("fst") {
		t.Error("failures are mixed up")
	}
	out.Reset()
	if err := r.writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `"floor": 1.2`) {
		t.Errorf("no ratio in\n%s", out.String())
	}
}

func TestNothingAgainstSomething(t *testing.T) {
	r := row{values: map[string][]float64{"fst": {3}, "floor": {0}}}
	if x, ok := r.ratio("floor"); ok {
		t.Errorf("3 over 0 is %v", x)
	}
}

func TestLongScript(t *testing.T) {
	s := longScript(300)
	if n := strings.Count(s, "\n"); n != 300 {
		t.Errorf("%d lines", n)
	}
	if strings.Contains(s, "%!") {
		t.Errorf("wrong format in\n%s", s)
	}
}

func TestStepTimes(t *testing.T) {
	steps, err := stepTimes("parse       0.750 ms\nkernel     12.000 ms\n")
	if err != nil || len(steps) != 2 || steps[0] != (stepTime{"parse", 0.75}) || steps[1] != (stepTime{"kernel", 12}) {
		t.Error(steps, err)
	}
	if _, err := stepTimes("stdin:1:1: error"); err == nil {
		t.Error("an error passes for times")
	}
}

func TestQuestion(t *testing.T) {
	q := question{floor: "count PID", script: "/pid == PID/ { @[pid] = count(); }", fst: "/pid == PID/ { @++; }"}.of(42)
	if q.floor != "count 42" || q.script != "/pid == 42/ { @[pid] = count(); }" || q.fst != "/pid == 42/ { @++; }" || q.ply != "" {
		t.Errorf("%q", q)
	}
}

func TestGenerator(t *testing.T) {
	for _, call := range []string{"getppid", "getpgid", "openat"} {
		var out strings.Builder
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // and never unlocked: the thread ends
			done <- generate(call, strings.NewReader("from 7\nrun 10\nwork\n"), &out)
		}()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		var ready, from, run, work int64
		if _, err := fmt.Sscan(out.String(), &ready, &from, &run, &work); err != nil || run <= 0 || work <= 0 {
			t.Errorf("%s: %q %v", call, out.String(), err)
		}
	}
	if err := generate("reboot", strings.NewReader(""), &strings.Builder{}); err == nil {
		t.Error("knows reboot")
	}
}

// TestFloor loads each floor program, lets it see a generator, and ends it.
func TestFloor(t *testing.T) {
	if testing.Short() || os.Geteuid() != 0 {
		t.Skip("needs root and a kernel")
	}
	program := filepath.Join(t.TempDir(), "bench")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "floor", "begin").CombinedOutput()
	if err != nil || string(out) != "hi\n" {
		t.Fatalf("begin: %v %s", err, out)
	}
	bench := exec.Command(program, "-n", "1", "-only", "cost,wildcard,readout", "-fst", "none")
	bench.Env = []string{"PATH="} // no peers
	out, err = bench.CombinedOutput()
	if !strings.Contains(string(out), "cost latency") || strings.Contains(string(out), "failed: floor") {
		t.Errorf("%v\n%s", err, out)
	}
}
