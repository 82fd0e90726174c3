package parse

import "testing"

func TestTextIncomplete(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "BEGIN {": true, "BEGIN { }": false, "BEGIN { printf(\"x\");": true, "BEGIN { ) }": false,
	} {
		if got := Incomplete(text); got != want {
			t.Errorf("Incomplete(%q) = %v", text, got)
		}
	}
}
