package parse

import (
	"strconv"
	"strings"

	"fst/lang/diag"
	"fst/lang/source"
)

// Incomplete reports whether a text ends where a script needs more, so that a prompt
// should ask for another line.
func Incomplete(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	var set source.Set
	var diags diag.List
	Parse(set.Add("input", text), &diags)
	return IsIncomplete(&diags)
}

// Definitions names what a text defines besides clauses: macros, types,
// settings, maps. alone is true if it has no clauses, and is without errors.
func Definitions(text string) (names []string, alone bool) {
	var set source.Set
	var diags diag.List
	tree := Parse(set.Add("input", text), &diags)
	if diags.HasErrors() {
		return nil, false
	}
	for _, d := range tree.Defines {
		names = append(names, "#define "+d.Name)
	}
	for _, t := range tree.CTypes {
		names = append(names, strings.TrimSpace(t.Kind+" "+t.Name))
	}
	for _, t := range tree.Typedefs {
		names = append(names, "typedef "+t.Name)
	}
	for _, s := range tree.Config {
		names = append(names, "config "+s.Key)
	}
	for _, i := range tree.Imports {
		names = append(names, "import "+i.Path)
	}
	for _, m := range tree.MapDecls {
		names = append(names, "@"+m.Name)
	}
	for _, m := range tree.Macros {
		names = append(names, m.Word()+" "+m.Name)
	}
	for _, p := range tree.Probes {
		names = append(names, "probe "+p.Title())
	}
	return names, len(names) > 0 && len(tree.Clauses) == 0
}

// Share reads a share such as "2%" or "0.5%".
func Share(text string) (share float64, ok bool) {
	number, ok := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(n > 0 && n <= 1e6) {
		return 0, false
	}
	return n / 100, true
}
