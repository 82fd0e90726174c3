package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers are the project's parts, lowest first: a package imports only from
// its own layer and from lower ones. tests may import everything and nothing
// imports tests.
var layers = []string{"lang", "compiler", "runtime", "fst", "cmd", "tests"}

// layer is the index in layers of a package of this module, or -1. stdlib and
// scripts hold embedded text and may be imported from everywhere, so that they
// import nothing of the layers but lang/diag, which finds the nearest word.
func layer(path string) int {
	if path == "fst" {
		return slices.Index(layers, "fst")
	}
	rest, ok := strings.CutPrefix(path, "fst/")
	if !ok {
		return -1
	}
	first, _, _ := strings.Cut(rest, "/")
	return slices.Index(layers, first)
}

// exclusive are libraries that only some packages may import.
var exclusive = []struct {
	library string
	only    []string // packages, each with what is below it
}{
	{"github.com/alecthomas/participle", []string{"fst/lang/parse"}},
	{"github.com/peterh/liner", []string{"fst/cmd/fst/repl"}},
	{"github.com/cilium/ebpf", []string{
		"fst/compiler/emit", "fst/runtime", "fst/tests"}},
}

// forbidden are imports that exclusive allows and that are wrong all the same.
var forbidden = []struct{ in, library string }{
	{"fst/runtime/render", "github.com/cilium/ebpf"},
	{"fst/runtime/value", "github.com/cilium/ebpf"},
}

// public are the packages that the command may use of the layers below it: those whose
// interface is meant for others.
var public = []string{"fst", "fst/compiler/reference", "fst/compiler/stages", "fst/lang/diag", "fst/lang/load", "fst/lang/parse", "fst/lang/printable",
	"fst/runtime/catalog", "fst/runtime/child", "fst/runtime/graph", "fst/runtime/mainthread", "fst/runtime/terminal"}

func below(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// TestImports checks the direction of imports between the project's packages
// and who may use which library.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		t.Fatal(err)
	}
	// here is the path of a package in a module that is called fst.
	here := func(path string) string {
		if name := strings.TrimSpace(string(module)); below(path, name) {
			return "fst" + strings.TrimPrefix(path, name)
		}
		return path
	}
	seen := 0
	for packages := json.NewDecoder(strings.NewReader(string(out))); ; seen++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for i, path := range p.Imports {
			p.Imports[i] = here(path)
		}
		for _, problem := range wrongImports(here(p.ImportPath), p.Imports) {
			t.Error(problem)
		}
	}
	if seen == 0 {
		t.Error("go list names no package")
	}
}

func wrongImports(path string, imports []string) (problems []string) {
	mine := layer(path)
	for _, i := range imports {
		if theirs := layer(i); theirs > mine && mine >= 0 {
			problems = append(problems, path+" imports "+i+": "+layers[mine]+" must not know "+layers[theirs])
		}
		if mine < 0 && layer(i) >= 0 && i != "fst/lang/diag" {
			problems = append(problems, path+" imports "+i+": it is in no layer")
		}
		if below(path, "fst/cmd") && layer(i) >= 0 && !below(i, "fst/cmd") && !slices.Contains(public, i) {
			problems = append(problems, path+" imports "+i+", which is not public")
		}
		for _, e := range exclusive {
			if below(i, e.library) && !slices.ContainsFunc(e.only, func(dir string) bool { return below(path, dir) }) {
				problems = append(problems, path+" imports "+i+": only "+strings.Join(e.only, ", ")+" may")
			}
		}
		for _, f := range forbidden {
			if below(path, f.in) && below(i, f.library) {
				problems = append(problems, path+" must not import "+i)
			}
		}
	}
	return problems
}

// TestFewFilesAtTheTop keeps the package of the library one that can be read at once.
func TestFewFilesAtTheTop(t *testing.T) {
	const most = 8
	cmd := exec.Command("go", "list", "-json=GoFiles", ".")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ GoFiles []string }
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	if n := len(p.GoFiles); n == 0 || n > most {
		t.Errorf("package fst has %d files, not at most %d: %q", n, most, p.GoFiles)
	}
}

// TestImportRules checks the check.
func TestImportRules(t *testing.T) {
	for _, test := range []struct {
		path, imports string
		wrong         int
	}{
		{"fst/lang/parse", "github.com/alecthomas/participle/v2", 0},
		{"fst/lang/ast", "github.com/alecthomas/participle/v2", 1},
		{"fst/lang/ast", "fst/compiler/types", 1},
		{"fst/compiler/lower", "fst/lang/ast", 0},
		{"fst/compiler/lower", "github.com/cilium/ebpf/asm", 1},
		{"fst/compiler/emit", "github.com/cilium/ebpf/asm", 0},
		{"fst/compiler/object", "github.com/cilium/ebpf/asm", 1},
		{"fst/runtime/attach", "github.com/cilium/ebpf/link", 0},
		{"fst/runtime/render", "github.com/cilium/ebpf", 1},
		{"fst", "fst/runtime/session", 0},
		{"fst/runtime/session", "fst", 1},
		{"fst", "github.com/cilium/ebpf", 1},
		{"fst/cmd/fst/cli", "github.com/peterh/liner", 1},
		{"fst/cmd/fst/repl", "github.com/peterh/liner", 0},
		{"fst/cmd/fst/cli", "fst/runtime/graph", 0},
		{"fst/cmd/fst/cli", "fst/runtime/session", 1},
		{"fst/runtime/kernel", "fst/tests/vm", 1},
	} {
		if got := wrongImports(test.path, []string{test.imports}); len(got) != test.wrong {
			t.Errorf("%s imports %s: %q", test.path, test.imports, got)
		}
	}
}
