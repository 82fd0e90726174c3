package examples

import (
	"slices"
	"strings"
	"testing"

	"fst/scripts"
)

// TestAll: each tool has an example, of which words and options are as its script has them.
func TestAll(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts.Names() {
		if !slices.ContainsFunc(list, func(e Example) bool { return e.Tool == name }) {
			t.Errorf("%s has no example", name)
		}
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Command, "fst "+e.Tool) || slices.ContainsFunc(e.Words, func(w string) bool { return strings.ContainsAny(w, "'|") || strings.HasPrefix(w, "-") }) {
			t.Errorf("%s of %s: %q %v", e.Command, e.Tool, e.Words, e.Named)
		}
	}
	i := slices.IndexFunc(list, func(e Example) bool { return e.Command == "fst memleak -p 1234 10" })
	if i < 0 || list[i].Named["pid"] != "1234" || list[i].Named["interval"] != "10" || list[i].Text == "" {
		t.Errorf("fst memleak -p 1234 10: %+v", list[max(i, 0)])
	}
}
