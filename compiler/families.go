package compiler

import (
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/stdlib"
)

// families are the parts of the standard library that a program uses. It
// implements expand.Families.
type families struct {
	set    *source.Set
	diags  *diag.List
	loaded map[string]*ast.Program
}

func (l *families) Family(family string) *ast.Program {
	if p, ok := l.loaded[family]; ok {
		return p
	}
	name, text, ok := stdlib.Source(family)
	if ok {
		f := l.set.Add(name, text)
		f.Library = true
		l.loaded[family] = parse.Parse(f, l.diags)
	}
	return l.loaded[family]
}
