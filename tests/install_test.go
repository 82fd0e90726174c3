package tests

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestInstall installs below a directory, and removes it again without leaving a file.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds fst")
	}
	dir := t.TempDir()
	program := filepath.Join(t.TempDir(), "fst")
	run := func(target string) []string {
		cmd := exec.Command("make", target, "DESTDIR="+dir, "PREFIX=/usr", "FST="+program)
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
		return filesBelow(t, dir)
	}
	files := run("install")
	for _, want := range []string{"usr/bin/fst", "usr/share/fst/kernels/6.1.zip", "usr/share/man/man1/fst.1", "usr/share/man/man1/fst-biolatency.1", "usr/share/man/man7/fst.7",
		"usr/share/bash-completion/completions/fst", "usr/share/zsh/site-functions/_fst", "usr/share/fish/vendor_completions.d/fst.fish"} {
		if !slices.Contains(files, want) {
			t.Errorf("%s is not installed: %q", want, files)
		}
	}
	if out, err := exec.Command(filepath.Join(dir, "usr/bin/fst"), "version").CombinedOutput(); err != nil {
		t.Errorf("fst version: %v: %s", err, out)
	}
	if left := run("uninstall"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
