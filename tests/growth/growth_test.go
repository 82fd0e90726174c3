package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=fst/tests/growth,fst/lang/...,fst/compiler/...", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const most = 2.6
	// Which names there are, and where their hashes fall, makes some steps more or less. A square
	// so small is as much as the rest at 320,000.
	const chance = 1.0 / 200
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			dir := t.TempDir()
			after := measure(t, program, k.name, dir)
			first, second := after[2]-2*after[1]+after[0], after[3]-2*after[2]+after[1]
			t.Logf("%.0f at %s, %.0f more at %s, %.0f more at %s", after[1]-after[0], sizes[1], first, sizes[2], second, sizes[3])
			if second <= most*first || second <= chance*(after[1]-after[0]) {
				return
			}
			var pieces [len(sizes)]map[string]float64
			for i, size := range sizes {
				pieces[i] = read(t, filepath.Join(dir, size))
			}
			worst, extra := "", 0.0
			for piece, n := range pieces[3] {
				small, middle, large := pieces[1][piece]-pieces[0][piece], pieces[2][piece]-pieces[1][piece], n-pieces[2][piece]
				if more := large - middle - 2*(middle-small); more > extra {
					worst, extra = piece, more
				}
			}
			t.Errorf("the work grows too fast; most of it at %s", worst)
		})
	}
}

// sizes are those of the scripts, each of the last three twice the one before. The
// first fills what is made once.
var sizes = [...]string{"50", "200", "400", "800"}

// measure runs the program and returns how many pieces of it had run after each size.
func measure(t *testing.T, program, kind, dir string) (after [len(sizes)]float64) {
	run := exec.Command(program, append([]string{kind, dir}, sizes[:]...)...)
	run.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", kind, err, out)
	}
	if _, err := fmt.Sscan(string(out), &after[0], &after[1], &after[2], &after[3]); err != nil || after[0] == 0 {
		t.Fatalf("%s printed no counts: %v\n%s", kind, err, out)
	}
	return after
}

// read returns how often each piece of the program ran, by its place.
func read(t *testing.T, dir string) map[string]float64 {
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
