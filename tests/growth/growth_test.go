package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestGrowth compiles scripts of each kind in three sizes, each twice the one before,
// and counts how often the pieces of the code run: from the second step to the
// third it must be little more than twice as much more as from the first to the
// second. Of work that grows with the square it is four times as much.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds fst with counters")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "growth")
	build := exec.Command("go", "build", "-cover", "-covermode=count", "-coverpkg=fst/tests/growth,fst/lang/...,fst/compiler/...", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const size, most = 200, 2.6
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			var total [3]float64
			var pieces [3]map[string]float64
			for i := range total {
				pieces[i] = count(t, program, k.name, size<<i)
				for _, n := range pieces[i] {
					total[i] += n
				}
			}
			first, second := total[1]-total[0], total[2]-total[1]
			t.Logf("%.0f, %.0f more, %.0f more", total[0], first, second)
			if second <= most*first {
				return
			}
			worst, extra := "", 0.0
			for piece, n := range pieces[2] {
				a, b := pieces[0][piece], pieces[1][piece]
				if more := n - b - 2*(b-a); more > extra {
					worst, extra = piece, more
				}
			}
			t.Errorf("the work grows too fast: %.0f times at %d, %.0f at %d, %.0f at %d; most of it at %s",
				total[0], size, total[1], 2*size, total[2], 4*size, worst)
		})
	}
}

// count runs the program and returns how often each piece of it ran, by its place.
func count(t *testing.T, program, kind string, n int) map[string]float64 {
	dir := t.TempDir()
	run := exec.Command(program, kind, strconv.Itoa(n))
	run.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s of %d: %v\n%s", kind, n, err, out)
	}
	profile := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	pieces := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		var place string
		var statements int
		var times float64
		if _, err := fmt.Sscan(line, &place, &statements, &times); err == nil {
			pieces[place] += times
		}
	}
	if len(pieces) == 0 {
		t.Fatal("nothing was counted")
	}
	return pieces
}
