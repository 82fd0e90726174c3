package export

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst"
	"fst/scripts"
)

// examples compiles the examples of each bundled tool for a recorded kernel, as far as they are for it.
func examples(t *testing.T, try func(tool, example string, prog *fst.Program)) {
	t.Helper()
	kernel, err := fst.OpenRecorded("../../compiler/target/fixture/testdata/6.12.zip")
	if err != nil {
		t.Fatal(err)
	}
	shared := []scripts.Option{{Short: "d", Long: "duration", Value: "SEC"}, {Short: "f", Long: "format", Value: "FORMAT"}, {Short: "o", Long: "output", Value: "FILE"}}
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		header, _ := scripts.ParseHeader(text)
		if !strings.Contains(text, "@") {
			continue
		}
		for _, example := range header.Examples {
			command, _, _ := strings.Cut(example, " | ")
			words, named, _, err := header.Args(strings.Fields(strings.ReplaceAll(command, "'", ""))[2:], shared)
			if err != nil {
				t.Fatal(example, err)
			}
			prog, err := fst.Compile(text, fst.Options{Name: name, Kernel: kernel, Params: fst.Params{Words: words, Named: named}})
			if err != nil {
				continue // what the recording has not: others test that
			}
			try(name, example, prog)
		}
	}
}

// withoutUnit are metrics of numbers that are no times, sizes or counts.
var withoutUnit = []string{"fst_cpuwalk_cpu", "fst_runqlen_length", "fst_tcpsynbl_backlog", "fst_argdist_value", "fst_stackcount_depth"}

// TestTools: each bundled tool has metrics with names, labels, a unit and a help of their own, or says in a line why not.
func TestTools(t *testing.T) {
	nameless := regexp.MustCompile(`^key(_[0-9]+)?$`)
	with := map[string]bool{}
	examples(t, func(tool, example string, prog *fst.Program) {
		list, why := prog.Metrics()
		if len(list) == 0 && (why == "" || strings.Contains(why, "\n")) || len(list) > 0 && why != "" {
			t.Errorf("%s: %d metrics, and %q", example, len(list), why)
		}
		seen := map[string]bool{}
		for _, m := range list {
			if seen[m.Name] || !strings.HasPrefix(m.Name, "fst_"+strings.ReplaceAll(tool, "-", "_")) || m.Help == "" {
				t.Errorf("%s: %+v", example, m)
			}
			seen[m.Name] = true
			if m.Unit == "" && m.Kind != "counter" && !slices.Contains(withoutUnit, m.Name) {
				t.Errorf("%s: %s, a %s, has no unit", example, m.Name, m.Kind)
			}
			if i := slices.IndexFunc(m.Labels, nameless.MatchString); i >= 0 {
				t.Errorf("%s: a label of %s has no name: give the part of the key one, by a variable or the heading of a table: %q", example, m.Name, m.Labels)
			}
			t.Logf("%s: %s %s %v", example, m.Name, m.Kind, m.Labels)
		}
		with[tool] = with[tool] || len(list) > 0
	})
	if len(with) < 30 {
		t.Errorf("only %d tools have metrics", len(with))
	}
}
