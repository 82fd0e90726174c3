package opt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fst/compiler/ir"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden optimises testdata/*.ir, and testdata/reads/*.ir by Reads: the program before a
// line "---", what becomes of it behind.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	reads, _ := filepath.Glob("testdata/reads/*.ir")
	files = append(files, reads...)
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, want, _ := strings.Cut(string(text), "---\n")
		p, err := ir.Parse(in)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		pass := Run
		if filepath.Base(filepath.Dir(file)) == "reads" {
			pass = Reads
		}
		if err := pass(p, Options{Check: true}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got := p.String()
		if *update {
			if err := os.WriteFile(file, []byte(in+"---\n"+got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}
