package conformance

import "testing"

// TestSpread: each case is run on an older and a newer kernel at least, and about
// half of those that are spread on each.
func TestSpread(t *testing.T) {
	cases, err := Load("../conformance", "../tools")
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, c := range cases {
		for _, two := range spreadOver {
			runs := 0
			for _, kernel := range two {
				if IsFor(c, kernel) {
					runs++
					n[kernel]++
				}
			}
			if runs == 0 {
				t.Errorf("%s is run on none of %v", c.Name, two)
			}
		}
		if !IsFor(c, "") {
			t.Errorf("%s is not run here", c.Name)
		}
	}
	t.Log(len(cases), n)
	for kernel, n := range n {
		if n < len(cases)/2 || n > len(cases)*9/10 {
			t.Errorf("%s runs %d of %d cases", kernel, n, len(cases))
		}
	}
}
