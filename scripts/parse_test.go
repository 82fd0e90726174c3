package scripts_test

import (
	"testing"

	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

// TestParse makes sure that every bundled tool is a program of the language.
func TestParse(t *testing.T) {
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		var set source.Set
		var diags diag.List
		parse.Parse(set.Add(name+".fst", text), &diags)
		for _, d := range diags.All {
			p := set.Position(d.Span.Start)
			t.Errorf("%s:%d:%d: %s (%s)", name, p.Line, p.Col, d.Message, d.Hint)
		}
	}
}
