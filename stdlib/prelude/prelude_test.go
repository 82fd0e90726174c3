package prelude

import (
	"slices"
	"strings"
	"testing"
)

// TestDocs: each macro is described, by a comment that says how it is called.
func TestDocs(t *testing.T) {
	docs := Docs()
	for _, f := range Files() {
		for line := range strings.Lines(f.Text) {
			call, ok := strings.CutPrefix(line, "macro ")
			if !ok {
				continue
			}
			name, _, _ := strings.Cut(call, "(")
			i := slices.IndexFunc(docs, func(d Doc) bool { return slices.Contains(d.Names, name) })
			if i < 0 {
				t.Errorf("%s: %s is not described", f.Name, name)
				continue
			}
			// A family of names is written with a word in capitals: sargN.
			if d := docs[i]; !strings.Contains(d.Usage, name) && (strings.ToLower(d.Usage) == d.Usage || d.Help == "") {
				t.Errorf("%s: %s is described as %q: %s", f.Name, name, d.Usage, d.Help)
			}
		}
	}
}
