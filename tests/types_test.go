package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// A type of runtime/ that has more is several.
const (
	mostMethods = 20
	mostFields  = 15
)

// declared is what the declarations of a type say.
type declared struct {
	methods, fields int
	embedded        []string // types without a contract of their own, as package.Name
}

// TestTypesAreSmall counts the methods and fields of each type of runtime/. Those of an
// embedded type count, too, unless it is exported: that one has a contract of its own.
func TestTypesAreSmall(t *testing.T) {
	types := declaredIn(t, "../runtime")
	if len(types) < 100 {
		t.Errorf("only %d types are found", len(types))
	}
	for name := range types {
		methods, fields := size(types, name)
		if methods > mostMethods || fields > mostFields {
			t.Errorf("%s has %d methods and %d fields: more than %d or %d are several types", name, methods, fields, mostMethods, mostFields)
		}
	}
}

// TestCompilerIsSplit: the concerns of checking and of lowering have types of their own, which hold the checker of
// the unit or the function that is built. Methods of an embedded type do not count.
func TestCompilerIsSplit(t *testing.T) {
	const most, mostLines = 60, 500
	for _, dir := range []string{"../compiler/check", "../compiler/analysis", "../compiler/lower"} {
		for name, typ := range declaredIn(t, dir) {
			if typ.methods > most {
				t.Errorf("%s has %d methods: more than %d are several types", name, typ.methods, most)
			}
		}
		files, _ := filepath.Glob(dir + "/*.go")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if n := strings.Count(string(text), "\n"); err != nil || n > mostLines {
				t.Errorf("%s has %d lines (%v): more than %d are several files", file, n, err, mostLines)
			}
		}
	}
}

// declaredIn reads the declarations of types in a directory and those below it.
func declaredIn(t *testing.T, dir string) map[string]*declared {
	types := map[string]*declared{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err == nil {
			declarations(tree, types)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return types
}

// declarations adds what a file declares.
func declarations(file *ast.File, types map[string]*declared) {
	named := func(e ast.Expr) (name string, exported bool) {
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		}
		switch x := e.(type) {
		case *ast.Ident:
			return file.Name.Name + "." + x.Name, x.IsExported()
		case *ast.SelectorExpr:
			return x.X.(*ast.Ident).Name + "." + x.Sel.Name, true
		}
		return "", true
	}
	// A type's methods may be met before the type.
	of := func(name string) *declared {
		if types[name] == nil {
			types[name] = &declared{}
		}
		return types[name]
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				name, _ := named(n.Recv.List[0].Type)
				of(name).methods++
			}
			return false
		case *ast.TypeSpec:
			typ := of(file.Name.Name + "." + n.Name.Name)
			embed := func(f *ast.Field) {
				if name, exported := named(f.Type); len(f.Names) == 0 && !exported {
					typ.embedded = append(typ.embedded, name)
				}
			}
			switch x := n.Type.(type) {
			case *ast.StructType:
				for _, f := range x.Fields.List {
					typ.fields += max(1, len(f.Names))
					embed(f)
				}
			case *ast.InterfaceType:
				for _, f := range x.Methods.List {
					typ.methods += len(f.Names)
					embed(f)
				}
			}
		}
		return true
	})
}

// size is how many methods and fields a type has.
func size(types map[string]*declared, name string) (methods, fields int) {
	typ := types[name]
	if typ == nil {
		return 0, 0 // the language's own
	}
	methods, fields = typ.methods, typ.fields
	for _, e := range typ.embedded {
		m, f := size(types, e)
		methods, fields = methods+m, fields+f
	}
	return methods, fields
}

// TestSizeOfTypes checks the count.
func TestSizeOfTypes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "", `package p
func (*A) one() {}
func (a A) two() {}
type A struct { x, y int; z string; *b }
type b struct { n int }
func (x *b) three() {}
type C[T any] struct { b; d, e other.D; other.D; A }
func (C[T]) four() {}
type I interface { five(); j }
type j interface { six() }
type K int
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]*declared{}
	declarations(file, types)
	for name, want := range map[string][2]int{"A": {3, 5}, "b": {1, 1}, "C": {2, 6}, "I": {2, 0}, "K": {0, 0}} {
		if m, f := size(types, "p."+name); [2]int{m, f} != want {
			t.Errorf("%s has %d methods and %d fields", name, m, f)
		}
	}
}
