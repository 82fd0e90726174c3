package compiler

import (
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/expand"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/stdlib/prelude"
)

// macros are the prelude's, read when somebody needs them.
type macros struct {
	set   *source.Set
	diags *diag.List
	read  *ast.Program
}

// with adds the macros that every script, and the standard library, may call.
//
// Most one-liners need none, and reading it costs as much as compiling them:
// it is left out where everything is known without.
func (p *macros) with(prog *ast.Program) *ast.Program {
	if !needsPrelude(prog) {
		return prog
	}
	out := *prog
	out.Prelude = p.parsed().Macros
	return &out
}

// parsed is all of the prelude.
func (p *macros) parsed() *ast.Program {
	if p.read == nil {
		p.read = &ast.Program{}
		for _, f := range prelude.Files() {
			text := p.set.Add(f.Name, f.Text)
			text.Library = true
			part := parse.Parse(text, p.diags)
			p.read.Macros, p.read.Clauses = append(p.read.Macros, part.Macros...), append(p.read.Clauses, part.Clauses...)
		}
	}
	return p.read
}

// needsPrelude tells whether a program may use a macro that is not its own: it
// names something that is neither built in nor its own, or has other texts read.
func needsPrelude(prog *ast.Program) bool {
	needs := len(prog.Imports) > 0
	known := func(name string, args int) bool {
		if slices.ContainsFunc(prog.Macros, func(m *ast.Macro) bool { return m.Name == name && len(m.Params) == args }) {
			return true
		}
		if _, ok := builtin.FuncByName(name); ok {
			return true
		}
		if _, ok := builtin.VarByName(name); ok {
			return true
		}
		_, ok := builtin.ArgNumber(name)
		return ok || builtin.IsWord(name)
	}
	ast.Walk(prog, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AttachPoint:
			_, ok := builtin.ProbeByName(n.Provider)
			needs = needs || !ok
		case *ast.Call:
			needs = needs || !known(n.Name, len(n.Args)) || expand.HasTimes(n)
		case *ast.Ident:
			needs = needs || !known(n.Name, 0)
		}
		return !needs
	})
	return needs
}
