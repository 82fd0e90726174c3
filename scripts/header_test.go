package scripts

import (
	"strings"
	"testing"
)

// TestWrap: lines end between words, and a meaning goes below its word where there is no room behind it.
func TestWrap(t *testing.T) {
	for _, test := range []struct {
		name, help string
		column     int
		want       string
	}{
		{"a", "short", 6, "  a   short\n"},
		{"a", "some more words", 6, "  a   some more\n      words\n"},
		{"abc", "some more words", 6, "  abc\n      some more\n      words\n"},
		{"a", "a word-that-is-too-long here", 6, "  a   a\n      word-that-is-too-long\n      here\n"},
	} {
		var b strings.Builder
		if EntryAt(&b, test.name, test.help, test.column, 16); b.String() != test.want {
			t.Errorf("%q: %q, want %q", test.help, b.String(), test.want)
		}
	}
}
