// Package inspect answers what an editor asks of a place in a script that is being typed: the type of the
// expression there, and the names that can follow.
package inspect

import (
	"slices"
	"strconv"
	"strings"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/load"
	"fst/lang/parse"
	"fst/lang/source"
)

// Cursor is what is known of a place in a script.
type Cursor struct {
	// Word is the beginning of a name that ends there, with its @ or $: what a completion replaces.
	Word string
	// Type is that of the expression that ends there, or "" if there is none or it is not known. Behind '.'
	// and "->" it is that of the expression in front of these, and Members are what can follow.
	Type    string
	Members []NamedType
	// Vars and Maps are those of the clause and of the script, without their $ and @.
	Vars, Maps []NamedType
	// Key is the type of the key whose place it is: of a map in whose brackets it is.
	Key string
}

// NamedType is a member, a variable or a map, and the type of its values.
type NamedType struct{ Name, Type string }

// At describes the place at an offset of a text, be the text whole or half typed. The set is that of the
// options' maps of a store, or empty. ok is false outside of filters and bodies.
func At(set *source.Set, text string, offset int, l load.Options, o check.Options) (p Cursor, ok bool) {
	half, ok := parse.HalfTyped(text, offset)
	if !ok {
		return p, false
	}
	var diags diag.List
	f := set.Add("input", half.Text)
	l.Statements = false
	_, info := compiler.Check(set, load.Program(set, f, l, &diags), o, &diags)
	p.Word = half.Word
	here := f.Span(half.Start, half.End)
	for _, m := range info.Maps {
		if m.First != nil && within(set, m.First, here) {
			continue // the beginning of a name
		}
		if !strings.ContainsFunc(m.Name, isForeign) {
			p.Maps = append(p.Maps, NamedType{m.Name, m.Value.String()})
		}
		if m.Name == half.Map && half.Map != "" {
			p.Key = keyType(m.Key, half.Key)
		}
	}
	for _, u := range slices.Concat(info.Units, info.Unattached) {
		x := at(set, u, here)
		if x == nil {
			continue
		}
		p.Vars = variables(set, f, u, here)
		if t := u.Types[x]; t.Kind != types.Invalid && !half.Empty {
			p.Type = t.String()
			if half.Member {
				p.Members = members(t)
			}
			break
		}
	}
	return p, true
}

// at is the outermost expression that was checked within a place, or nil.
func at(set *source.Set, u *check.Unit, place source.Span) (found ast.Expr) {
	look := func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && found == nil && u.Types[x] != nil && within(set, x, place) {
			found = x
		}
		return found == nil
	}
	ast.Walk(u.Filter, look)
	ast.Walk(u.Body, look)
	return found
}

// within reports whether a node stands in a part of a text.
func within(set *source.Set, n ast.Node, place source.Span) bool {
	sp := set.Origin(n.Pos())
	return sp.Start >= place.Start && sp.End <= place.End
}

// variables are those of a unit that a text names elsewhere than at a place.
func variables(set *source.Set, f *source.File, u *check.Unit, here source.Span) (list []NamedType) {
	seen := map[string]bool{}
	for x, v := range u.Vars {
		sp := set.Origin(x.Span)
		start, end := int(sp.Start-f.Base), int(sp.End-f.Base)
		if start < 0 || end > len(f.Text) || f.Text[start] != '$' || seen[f.Text[start:end]] || within(set, x, here) {
			continue
		}
		seen[f.Text[start:end]] = true
		list = append(list, NamedType{f.Text[start+1 : end], typeText(v.Type)})
	}
	slices.SortFunc(list, func(a, b NamedType) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func typeText(t *types.Type) string {
	if t == nil || t.Kind == types.Invalid {
		return ""
	}
	return t.String()
}

// members are the names that can follow a value behind '.' and "->".
func members(t *types.Type) (list []NamedType) {
	if t.Kind == types.Pointer {
		t = t.Elem
	}
	switch t.Kind {
	case types.Tuple:
		for i, f := range t.Fields() {
			list = append(list, NamedType{strconv.Itoa(i), typeText(f.Type)})
		}
	case types.Struct, types.Union, types.Record:
		for _, name := range t.FieldNames() {
			f, _ := t.Field(name)
			list = append(list, NamedType{name, typeText(f.Type)})
		}
	}
	return list
}

// keyType is the type of key i of a map.
func keyType(t *types.Type, i int) string {
	switch {
	case t == nil:
		return ""
	case t.Kind == types.Tuple && i < len(t.Fields()):
		return typeText(t.Fields()[i].Type)
	}
	return typeText(t)
}

// isForeign is true of what no name of a script has, but names that the compiler makes.
func isForeign(c rune) bool {
	return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}
