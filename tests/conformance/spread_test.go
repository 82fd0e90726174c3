package conformance

import (
	"slices"
	"strings"
	"testing"
)

// TestSpread: each case is run on an older kernel at least, and on a newer one, which is this
// machine's for what depends little on the kernel; about half of those that are spread on each.
func TestSpread(t *testing.T) {
	cases, err := Load("../conformance", "../tools")
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, c := range cases {
		for age, two := range spreadOver {
			runs := 0
			for _, kernel := range two {
				if IsFor(c, kernel) {
					runs++
					n[kernel]++
				}
			}
			here := age > 0 && slices.ContainsFunc(indoors, func(begin string) bool { return strings.HasPrefix(c.Name, begin) })
			if runs == 0 && !here {
				t.Errorf("%s is run on none of %v", c.Name, two)
			}
		}
		if !IsFor(c, "") {
			t.Errorf("%s is not run here", c.Name)
		}
	}
	t.Log(len(cases), n)
	for kernel, n := range n {
		if n < len(cases)/3 || n > len(cases)*9/10 {
			t.Errorf("%s runs %d of %d cases", kernel, n, len(cases))
		}
	}
}
