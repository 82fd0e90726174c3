package builtin

import "testing"

// Names that two constants share would make what is shown a matter of chance.
func TestEnumsNameEachNumberOnce(t *testing.T) {
	for name, e := range Enums() {
		seen := map[int64]string{}
		for _, x := range e.Enumerators() {
			if other := seen[x.Value]; other != "" {
				t.Errorf("enum %s: %s and %s are both %d", name, other, x.Name, x.Value)
			}
			seen[x.Value] = x.Name
		}
	}
	for _, want := range []struct {
		enum string
		n    int64
		name string
	}{{"errno", 2, "ENOENT"}, {"errno", 11, "EAGAIN"}, {"signal", 15, "SIGTERM"}, {"signal", 31, "SIGSYS"}} {
		found := ""
		for _, x := range Enums()[want.enum].Enumerators() {
			if x.Value == want.n {
				found = x.Name
			}
		}
		if found != want.name {
			t.Errorf("enum %s: %d is %q, not %s", want.enum, want.n, found, want.name)
		}
	}
}
