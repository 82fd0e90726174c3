package parse_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/lang/diag"
	"fst/lang/keyword"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

// TestHalfTyped cuts scripts everywhere. What is made of a script at a place within it is right again, and
// what is made of its beginning alone is what it would be with the rest, but for that.
func TestHalfTyped(t *testing.T) {
	for _, name := range []string{"biolatency", "opensnoop", "offcputime"} {
		text, ok := scripts.Source(name)
		if !ok {
			t.Fatal(name)
		}
		asked := 0
		for at := 0; at <= len(text); at++ {
			half, ok := parse.HalfTyped(text[:at], at)
			if !ok {
				continue
			}
			whole, _ := parse.HalfTyped(text, at)
			if !strings.HasPrefix(whole.Text, half.Text) || whole.Start != half.Start {
				t.Fatalf("%s:%d: %q, but with the rest %q", name, at, half.Text, whole.Text)
			}
			if asked++; whole.Empty || isKeyword(half.Text[half.Start:]) || at < len(text) && text[at] >= '0' && text[at] <= 'z' {
				continue // nothing, or the beginning of something
			}
			var set source.Set
			var diags diag.List
			if parse.Parse(set.Add(name, whole.Text), &diags); diags.HasErrors() {
				t.Fatalf("%s:%d: %v\n%s", name, at, diags.All[0].Message, half.Text)
			}
		}
		if asked == 0 {
			t.Errorf("%s has no code", name)
		}
	}
}

// isKeyword reports whether a text begins with a keyword.
func isKeyword(text string) bool {
	word := regexp.MustCompile(`^\w*`).FindString(text)
	return word == "struct" || word == "union" || word == "enum" || slices.ContainsFunc(keyword.Words, func(w keyword.Word) bool { return w.Name == word })
}
