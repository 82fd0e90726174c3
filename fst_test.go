package fst

import (
	"errors"
	"strings"
	"testing"
)

func TestScriptError(t *testing.T) {
	_, err := Compile("BEGIN {\n  printf(;\n}\n", Options{Name: "x.bt"})
	var e *ScriptError
	if !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	p := e.Problems()
	if len(p) == 0 || p[0].File != "x.bt" || p[0].Line != 2 || p[0].Warning || !strings.Contains(err.Error(), "x.bt:2:") {
		t.Errorf("%+v\n%v", p, err)
	}
}

func TestFormat(t *testing.T) {
	out, err := Format("x.bt", "BEGIN{printf(\"x\")}")
	if err != nil || !strings.Contains(out, `printf("x")`) || !strings.HasPrefix(out, "BEGIN {") {
		t.Errorf("%q %v", out, err)
	}
	for _, text := range []string{"", "\n\n"} {
		if out, err := Format("x.bt", text); err != nil || out != "" {
			t.Errorf("%q becomes %q, %v", text, out, err)
		}
	}
}
