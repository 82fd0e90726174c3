package kernel

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x1", "a/x2", "a/y", "b/x1", "c[1]/x?1"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(dir+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ pattern, want string }{
		{"*/x1", "a/x1 b/x1"},
		{"a/*", "a/x1 a/x2 a/y"},
		{"*/*1", "a/x1 b/x1 c[1]/x?1"},
		{"c[1]/*?1", "c[1]/x?1"},
		{"no*/x", ""},
		{"fifo/*", ""},
		{"*/x1/*", ""},
	} {
		got, err := glob(dir + "/" + test.pattern)
		var want []string
		for _, w := range strings.Fields(test.want) {
			want = append(want, dir+"/"+w)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", test.pattern, got, err, want)
		}
	}
	if _, err := glob("/proc/*/*/*/*/*"); err == nil || !strings.Contains(err.Error(), "name their directories") {
		t.Errorf("all of /proc: %v", err)
	}
}
