// Package program builds fst for tests that run it.
package program

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build builds fst into a directory and returns its path. The test that calls it is
// run anew when a file of fst has changed: what Go's cache of test results knows of a test are
// the files that it looks at, which Build does, and not what it builds.
func Build(dir string) (path string, err error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{".git", "bin", "tests"}, d.Name()) {
			return filepath.SkipDir
		}
		if err == nil {
			_, err = os.Stat(file)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "fst")
	cmd := exec.Command("go", "build", "-o", path, "./cmd/fst")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}
