package keyword

import "testing"

// Every word and every other form of one is there once, and says all that fst doc shows.
func TestWords(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range Words {
		for _, name := range append([]string{w.Name}, w.Forms...) {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if w.Usage == "" || w.Help == "" || w.Example == "" {
			t.Errorf("%s lacks its usage, help or example", w.Name)
		}
		if found, ok := Lookup(w.Name); !ok || found.Usage != w.Usage {
			t.Errorf("Lookup(%s) finds %q", w.Name, found.Usage)
		}
	}
	if w, ok := Lookup("printf"); ok {
		t.Errorf("Lookup(printf) finds %q: it is a function", w.Usage)
	}
}
