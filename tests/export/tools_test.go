package export

import (
	"strings"
	"testing"

	"fst"
	"fst/scripts"
)

// TestTools: each bundled tool has metrics with names, labels and a help of their own, or says in a line why not.
func TestTools(t *testing.T) {
	kernel, err := fst.OpenRecorded("../../compiler/target/fixture/testdata/6.12.zip")
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		prog, err := fst.Compile(text, fst.Options{Name: name, Kernel: kernel, Params: fst.Params{Open: true}})
		if err != nil {
			continue // it needs an argument, or what the recording has not: others test that
		}
		list, why := prog.Metrics()
		if len(list) == 0 && (why == "" || strings.Contains(why, "\n")) || len(list) > 0 && why != "" {
			t.Errorf("%s: %d metrics, and %q", name, len(list), why)
		}
		seen := map[string]bool{}
		for _, m := range list {
			if seen[m.Name] || !strings.HasPrefix(m.Name, "fst_"+strings.ReplaceAll(name, "-", "_")) || m.Help == "" {
				t.Errorf("%s: %+v", name, m)
			}
			seen[m.Name] = true
			t.Logf("%s %s %v", m.Name, m.Kind, m.Labels)
		}
		if len(list) > 0 {
			with++
		}
	}
	if with < 30 {
		t.Errorf("only %d tools have metrics", with)
	}
}
