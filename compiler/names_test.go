package compiler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fst/compiler/builtin"
)

// TestNoNames makes sure that nothing is decided by the name of a built-in: what
// sets one apart from the others is in its record, or in a table by records. Nor is it known there by which helper
// the kernel is asked.
func TestNoNames(t *testing.T) {
	for _, dir := range []string{"check", "analysis", "lower", "schema"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal("no files", err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			refuse := func(list ...ast.Expr) {
				for _, x := range list {
					lit, ok := x.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						continue
					}
					name, _ := strconv.Unquote(lit.Value)
					_, function := builtin.FuncByName(name)
					if _, variable := builtin.VarByName(name); function || variable {
						t.Errorf("%s: the name %s decides", set.Position(lit.Pos()), name)
					}
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "ir" && (strings.HasPrefix(n.Sel.Name, "Helper") || n.Sel.Name == "OpMapPtr") {
						t.Errorf("%s: only compiler/legalize knows helpers", set.Position(n.Pos()))
					}
				case *ast.BinaryExpr:
					if n.Op == token.EQL || n.Op == token.NEQ {
						refuse(n.X, n.Y)
					}
				case *ast.CaseClause:
					refuse(n.List...)
				case *ast.KeyValueExpr:
					refuse(n.Key)
				}
				return true
			})
		}
	}
}
