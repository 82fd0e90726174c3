package program

import (
	"os/exec"
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	path, err := Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(path, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "fst ") {
		t.Errorf("%q %v", out, err)
	}
}
