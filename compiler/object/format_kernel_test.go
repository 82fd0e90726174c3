package object

import (
	"strings"
	"testing"
)

func TestKernelPointers(t *testing.T) {
	parsed, _ := ParseFormat("a %pS|%ps, %p S %pSx %pB\n%pS %d %5pI4h%pi6%pusI|%pM %px")
	var forms []string
	for _, v := range KernelPointers(parsed) {
		switch {
		case v.Pointer != "":
			forms = append(forms, string(v.Conv)+v.Pointer)
		case v.Conv != 0:
			forms = append(forms, string(v.Conv))
		}
	}
	if got, want := strings.Join(forms, " "), "pS ps p pS pB pS d pI4 pi6 sus p x"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	parsed, _ = ParseFormat("%pS")
	if verbs := KernelPointers(parsed); len(verbs) != 1 || verbs[0].Pointer != "S" || verbs[0].End != 3 {
		t.Errorf("%+v", verbs)
	}
}
