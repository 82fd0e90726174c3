package fst

import (
	"slices"
	"strings"

	"fst/compiler/builtin"
)

// Builtin describes a built-in function or variable.
type Builtin struct {
	Name    string
	Aliases []string
	Family  string // the heading it stands under
	Usage   string // how it is written: "hist(n[, k])"
	Help    string
	Example string
}

// Builtins lists the built-in functions and variables by family.
func Builtins() []Builtin {
	var list []Builtin
	for _, f := range builtin.Funcs {
		list = append(list, Builtin{f.Name, f.Aliases, f.Family, f.Signature, f.Help, f.Example})
	}
	for _, v := range builtin.Vars {
		usage := v.Name
		if v.Signature != "" {
			usage = v.Signature
		}
		list = append(list, Builtin{v.Name, v.Aliases, v.Family, usage, v.Help, v.Example})
	}
	return list
}

// FindBuiltin finds a built-in by its name or an alias.
func FindBuiltin(name string) (Builtin, bool) {
	name = strings.TrimSuffix(name, "()")
	for _, b := range Builtins() {
		if b.Name == name || slices.Contains(b.Aliases, name) {
			return b, true
		}
	}
	return Builtin{}, false
}
