package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// buildNeeds are needs of a case's build alone.
var buildNeeds = map[string]bool{"cc": true, "c++": true}

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

// isBuilt reports whether a case's programs were made on another machine.
func (r *Runner) isBuilt(c *Case) bool {
	return r.Built != "" && c.Build != "" && exists(filepath.Join(r.Built, c.Name))
}
