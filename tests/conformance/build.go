package conformance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// buildNeeds are needs of a case's build alone.
var buildNeeds = map[string]bool{"cc": true, "c++": true, "go": true}

// BuildAll makes the programs of cases in directories below dir, for machines
// without compilers. What this machine cannot build either is left out: such a
// case says itself what it needs.
func BuildAll(ctx context.Context, cases []*Case, dir string) error {
	here := ThisMachine()
	for _, c := range cases {
		var needs []string
		for _, need := range c.Needs {
			if buildNeeds[need] {
				needs = append(needs, need)
			}
		}
		if reason, _ := here.Missing(needs); c.Build == "" || reason != "" {
			continue
		}
		into := filepath.Join(dir, c.Name)
		if err := os.MkdirAll(into, 0o755); err != nil {
			return err
		}
		e := &execution{Case: c, dir: into, vars: map[string]string{"DIR": into}}
		if err := e.writeFiles(); err != nil {
			return err
		}
		if err := e.script(ctx, "build", c.Build); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		// The case's own files are written where it runs, with that place's names.
		for name := range c.Files {
			if err := os.Remove(filepath.Join(into, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// BuildWorkload makes the workload generator of the sources in dir. Without a C
// compiler there is none, which is no error: cases that need it say so.
func BuildWorkload(ctx context.Context, dir, path string) error {
	sources, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil || len(sources) == 0 || !inPath("gcc") {
		return err
	}
	args := append([]string{"-O1", "-Wall", "-static", "-pthread", "-o", path}, sources...)
	if out, err := exec.CommandContext(ctx, "gcc", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("the workload generator: %w\n%s", err, out)
	}
	return nil
}

// isBuilt reports whether a case's programs were made on another machine.
func (r *Runner) isBuilt(c *Case) bool {
	return r.Built != "" && c.Build != "" && exists(filepath.Join(r.Built, c.Name))
}
