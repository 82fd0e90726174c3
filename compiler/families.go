package compiler

import (
	"strings"

	"fst/lang/ast"
	"fst/lang/parse"
	"fst/stdlib"
	"fst/stdlib/prelude"
)

// LibraryParts are the names by which a script can import the parts of the standard
// library.
func LibraryParts() []string {
	var parts []string
	for _, family := range stdlib.Families() {
		parts = append(parts, "stdlib/"+family)
	}
	parts = append(parts, "stdlib/prelude")
	for _, f := range prelude.Files() {
		parts = append(parts, strings.TrimSuffix(f.Name, ".fst"))
	}
	return parts
}

// families are the parts of the standard library that a program uses. It
// implements expand.Families.
type families struct {
	prelude *macros
	loaded  map[string]*ast.Program
}

func (l *families) Family(family string) *ast.Program {
	if p, ok := l.loaded[family]; ok {
		return p
	}
	name, text, ok := stdlib.Source(family)
	if ok {
		f := l.prelude.set.Add(name, text)
		f.Library = true
		l.loaded[family] = l.prelude.with(parse.Parse(f, l.prelude.diags))
	}
	return l.loaded[family]
}
