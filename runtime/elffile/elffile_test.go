package elffile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpen opens what is no ELF file. A pipe must not be waited for.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	pipe, text, short := filepath.Join(dir, "pipe"), filepath.Join(dir, "text"), filepath.Join(dir, "short")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{text: "#!/bin/sh\n" + strings.Repeat("true\n", 100), short: "x"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]error{pipe: ErrNotRegular, dir: ErrNotRegular, "/dev/null": ErrNotRegular,
		filepath.Join(dir, "none"): fs.ErrNotExist, text: ErrNotELF, short: ErrNotELF} {
		if f, err := Open(path); !errors.Is(err, want) || f != nil {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(self)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Progs) == 0 {
		t.Error("this program has no segments")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
