package tests

import (
	"bufio"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
	"fst/tests/conformance"
)

var updateColumns = flag.Bool("update", false, "write unchecked_columns.txt anew")

// uncheckedColumns lists the columns that no case checks, a line "TOOL COLUMN
// REASON" each. Every one is a gap: the file only gets shorter.
const uncheckedColumns = "unchecked_columns.txt"

// TestEveryColumnOfAToolIsChecked holds the expect sections of tests/tools
// against the columns that the bundled tools print. A tool that prints no
// table needs an expectation of one of its maps ("@").
func TestEveryColumnOfAToolIsChecked(t *testing.T) {
	cases, err := conformance.Load("tools")
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	for _, c := range cases {
		if c.HasProg || len(c.Args) == 0 {
			continue
		}
		for _, x := range c.Expect {
			for _, column := range x.Columns() {
				checked[c.Args[0]+" "+column] = true
			}
		}
	}
	missing := map[string]bool{}
	for _, tool := range scripts.Names() {
		for _, column := range columnsOf(t, tool) {
			if !checked[tool+" "+column] {
				missing[tool+" "+column] = true
			}
		}
	}
	known, order := map[string]string{}, []string{}
	f, err := os.Open(uncheckedColumns)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.SplitN(lines.Text(), " ", 3); len(words) >= 2 {
			key := words[0] + " " + words[1]
			known[key] = lines.Text()
			order = append(order, key)
		}
	}
	if *updateColumns {
		var text strings.Builder
		for _, key := range slices.Sorted(maps.Keys(missing)) {
			if line, ok := known[key]; ok {
				key = line
			}
			text.WriteString(key + "\n")
		}
		if err := os.WriteFile(uncheckedColumns, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		if known[key] == "" {
			t.Errorf("%s: no expect section in tests/tools checks this column", key)
		}
	}
	for _, key := range order {
		if !missing[key] {
			t.Errorf("%s is checked (or no longer printed): take it out of %s", key, uncheckedColumns)
		}
	}
}

var columnForm = regexp.MustCompile(`([A-Z][A-Z0-9_-]*(?:%%)?)(?:\([a-z]+\))? %(\.0s)?`)

// columnsOf lists the columns of a tool's tables, or "@" if it has none.
func columnsOf(t *testing.T, tool string) []string {
	text, _ := scripts.Source(tool)
	var set source.Set
	var diags diag.List
	found := map[string]bool{}
	visit := func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok && (call.Name == "row" || call.Name == "table") && len(call.Args) > 0 {
			if format, ok := call.Args[0].(*ast.StringLit); ok {
				for _, m := range columnForm.FindAllStringSubmatch(format.Value, -1) {
					if m[2] == "" { // a column that text has
						found[strings.ReplaceAll(m[1], "%%", "%")] = true
					}
				}
			}
		}
		return true
	}
	prog := parse.Parse(set.Add(tool, text), &diags)
	for _, m := range prog.Macros {
		ast.Walk(m.Body, visit)
	}
	for _, cl := range prog.Clauses {
		if cl.Body != nil {
			ast.Walk(cl.Body, visit)
		}
	}
	if len(found) == 0 {
		return []string{"@"}
	}
	return slices.Sorted(maps.Keys(found))
}
