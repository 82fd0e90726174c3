package compiler

import (
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/stdlib/prelude"
)

// withPrelude adds the macros that every script may call. A macro of the
// script's own hides all of the prelude that have its name.
func withPrelude(set *source.Set, prog *ast.Program, diags *diag.List) *ast.Program {
	out := *prog
	own := map[string]bool{}
	for _, m := range prog.Macros {
		own[m.Name] = true
	}
	for _, f := range prelude.Files() {
		for _, m := range parse.Parse(set.Add(f.Name, f.Text), diags).Macros {
			if !own[m.Name] {
				out.Macros = append(out.Macros[:len(out.Macros):len(out.Macros)], m)
			}
		}
	}
	return &out
}
