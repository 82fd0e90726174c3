package interptest

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	r := Run(t, `begin { print(1 + 2); errorf("no"); exit(4); }`)
	if strings.TrimSpace(r.Out) != "3" || r.Errs == "" || r.Code != 4 {
		t.Errorf("%+v", r)
	}
}
