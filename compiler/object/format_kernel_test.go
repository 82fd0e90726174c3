package object

import "testing"

func TestKernelPointers(t *testing.T) {
	parsed, _ := ParseFormat("a %pS|%ps, %p S %pSx %pB\n%pS %d")
	subs := ""
	for _, v := range KernelPointers(parsed) {
		if v.Conv == 'p' {
			subs += string(max(v.Sub, '-'))
		}
	}
	if subs != "Ss--BS" {
		t.Errorf("%q", subs)
	}
	parsed, _ = ParseFormat("%pS")
	if verbs := KernelPointers(parsed); len(verbs) != 1 || verbs[0].Sub != 'S' || verbs[0].End != 3 {
		t.Errorf("%+v", verbs)
	}
}
