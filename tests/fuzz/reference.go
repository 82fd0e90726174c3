package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// reference is an installed bpftrace, or nil.
type reference struct {
	path string
	dir  string // where programs are written
	// refusals counts what it refuses and we accept, by class.
	refusals map[string]int
	runs     int
}

// findReference finds bpftrace: FST_REFERENCE names it, or it is in PATH.
func findReference(dir string) *reference {
	path := os.Getenv("FST_REFERENCE")
	if path == "" {
		path, _ = exec.LookPath("bpftrace")
	}
	if path == "" {
		return nil
	}
	return &reference{path: path, dir: dir, refusals: map[string]int{}}
}

// judge runs a program by bpftrace and compares. A program that it refuses is
// counted, and no failure.
func (r *reference) judge(text string, got *output) *failure {
	if r == nil {
		return nil
	}
	file := filepath.Join(r.dir, "program.bt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fail("reference", err.Error())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.path, "-q", file)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	r.runs++
	if err := cmd.Run(); err != nil {
		message := "it ended: " + err.Error()
		for line := range strings.Lines(errs.String()) {
			if at, m, ok := strings.Cut(line, "ERROR: "); ok {
				// FILE:LINE:COL-COL: ERROR: MESSAGE
				message = strings.TrimPrefix(at, file+":") + m
				found := fail("unjudged", message)
				found.class = class(m)
				return found
			}
		}
		return fail("unjudged", message)
	}
	a, b := ordered(out.String()), ordered(got.text)
	if a == b {
		return nil
	}
	return &failure{kind: "reference", detail: difference("bpftrace", a, "fst", b)}
}

// ordered sorts the elements of maps, which bpftrace does not always, each run
// of lines that begin alike.
func ordered(text string) string {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		name, _, ok := strings.Cut(lines[i], "[")
		if !ok || !strings.HasPrefix(name, "@") {
			i++
			continue
		}
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], name+"[") {
			end++
		}
		slices.Sort(lines[i:end])
		i = end
	}
	return strings.Join(lines, "\n")
}
