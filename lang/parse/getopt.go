package parse

import (
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// Getopts returns the options that a script reads by getopt(), and those of its reports, and whether each takes a value:
// one whose default is a number or a text does. What the script imports is not looked into.
func Getopts(text string) map[string]bool {
	found := map[string]bool{}
	var set source.Set
	var diags diag.List
	script := Parse(set.Add("", text), &diags)
	ast.Walk(script, func(n ast.Node) bool {
		if probe, ok := n.(*ast.AttachPoint); ok && probe.Provider == "report" {
			found["interval"], found["count"] = true, true
		}
		if call, ok := n.(*ast.Call); ok && call.Name == "getopt" && len(call.Args) > 0 {
			if name, ok := call.Args[0].(*ast.StringLit); ok {
				value := false
				if len(call.Args) > 1 {
					_, flag := call.Args[1].(*ast.BoolLit)
					value = !flag
				}
				found[name.Value] = value
			}
		}
		return true
	})
	return found
}
