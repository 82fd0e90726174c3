package parse

import (
	"testing"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

func TestIsStatements(t *testing.T) {
	for text, want := range map[string]bool{
		"print(1 + 2)":              true,
		"$x = 3; print($x);\n":      true,
		"if (1) { print(2) }":       true,
		"print(1,":                  true, // wrong as both
		"1 + ":                      true,
		"tracepoint:a:b { print(1)": false,
		"begin { print(1) }":        false,
		"macro m($x) { ":            false,
		"syscall:read":              false,
	} {
		if got := IsStatements(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestStatements(t *testing.T) {
	for _, c := range []struct {
		text        string
		show        bool
		stmts, errs int
	}{
		{"$x = 3; $x + 1", false, 2, 0},
		{"$x = 3; $x + 1", true, 2, 0},
		{"print(1) }", false, 0, 1},
		{"print(1 +; $x = ; }", false, 0, 3},
		{";;", true, 0, 0},
	} {
		var set source.Set
		var diags diag.List
		prog := ParseWith(set.Add("input", c.text), Options{Statements: true, Show: c.show}, &diags)
		if diags.Errors() != c.errs {
			t.Errorf("%q: %d errors, want %d: %v", c.text, diags.Errors(), c.errs, &diags)
		}
		if c.errs > 0 {
			continue
		}
		body := prog.Clauses[0].Body
		if len(body.Stmts) != c.stmts {
			t.Errorf("%q: %d statements, want %d", c.text, len(body.Stmts), c.stmts)
			continue
		}
		if c.stmts == 0 {
			continue
		}
		last, ok := body.Stmts[c.stmts-1].(*ast.ExprStmt)
		if call, isCall := last.X.(*ast.Call); !ok || isCall != c.show || isCall && call.Name != "print" {
			t.Errorf("%q: the last statement is %T", c.text, last.X)
		}
	}
}
