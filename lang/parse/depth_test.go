package parse

import (
	"strings"
	"testing"

	"fst/lang/diag"
	"fst/lang/source"
)

// TestDepth parses what is nested: as deep as people's generators write it, and so
// deep that it is refused at the place where it is too deep.
func TestDepth(t *testing.T) {
	for _, nest := range []struct{ open, in, close string }{
		{"(", "1", ")"}, {"!", "1", ""}, {"- ", "1", ""}, {"nsecs ? 1 : ", "1", ""}, {"nsecs ? ", "1", " : 1"}, {"(int8)", "1", ""},
		{"@[", "1", "]"}, {"(1, ", "2", ")"}, {"{ 1; ", "1", " }"},
	} {
		parsed := func(n int) *diag.List {
			var set source.Set
			var diags diag.List
			Parse(set.Add("deep", "begin { print("+strings.Repeat(nest.open, n)+nest.in+strings.Repeat(nest.close, n)+"); }"), &diags)
			return &diags
		}
		if diags := parsed(1200); diags.HasErrors() {
			t.Errorf("1200 times %q: %v", nest.open, diags)
		}
		diags := parsed(20_000)
		if !diags.HasErrors() || !strings.Contains(diags.Error(), "nested too deeply") || !diags.All[0].Span.IsValid() {
			t.Errorf("20000 times %q: %v", nest.open, diags)
		}
	}
}
